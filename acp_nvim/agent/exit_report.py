"""Records how an agent's process ended, and says so in one sentence for the user."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

from acp_nvim import limits

_WRONG = re.compile(
    r"err|fail|fatal|panic|exception|denied|refused|cannot|can't|unable|invalid|missing", re.I
)
_LEVEL = re.compile(r"\b(INFO|DEBUG|TRACE|VERBOSE|info:|debug:|trace:)|\[(info|debug|trace|verbose)\]")
# "[session/load] phase=replay durationMs=0". It never goes back: "a=a=a= x" could be read in very many ways.
_FIELDS = re.compile(r"(?:\[[^]]*\]\s*)*+(?:[\w.-]+=\S*+\s*+)++")


class ExitReport(NamedTuple):
    status: int | None = None
    signal: str | None = None  # its name, such as "SIGKILL"
    stderr_tail: tuple[str, ...] = ()
    asked: bool = False  # we asked it to end
    closed_output: bool = False  # it closed stdout and went on running, so we ended it
    unread: int = 0  # bytes that it left unread until we ended it
    error: str | None = None  # why it never started

    @classmethod
    def of(
        cls,
        returncode: int | None,
        tail: tuple[str, ...],
        asked: bool,
        closed_output: bool,
        unread: int = 0,
    ) -> ExitReport:
        """`returncode` as subprocess gives it: negative for a signal, None for what cannot even be killed."""
        killed = returncode is not None and returncode < 0
        status = None if killed else returncode
        by = _signal_name(-(returncode or 0)) if killed else None
        return cls(status, by, tail, asked, closed_output, unread)

    def sentence(self, name: str, cure: str = "") -> str:
        """Return what happened, what to do about it, and the agent's last line of stderr, which may be cut."""
        if self.error:
            return f"{self.error}; {cure}" if cure else self.error
        if self.asked:
            return f"{name} was stopped"
        last = next((_plain(line) for line in reversed(self.stderr_tail) if not _is_harmless(line)), "")
        told = f"{name} {self._what_happened()}" + (f" ({cure})" if cure else "")
        return f"{told}: {last}" if last else told

    def _what_happened(self) -> str:
        if self.unread:
            return f"left {self.unread >> 20} MiB unread and was stopped"
        if self.closed_output:
            return "closed its output and was stopped"
        return f"was killed by {self.signal}" if self.signal else f"exited with status {self.status}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no names of their own
        return f"signal {number}"


def _is_harmless(line: str) -> bool:
    """Whether a line is progress output, and so no reason for the end."""
    text = line.strip()[: limits.NAME_CHARS]
    if _WRONG.search(text):
        return False
    return not text or _LEVEL.search(text) is not None or _FIELDS.fullmatch(text) is not None


def _plain(line: str) -> str:
    """Make stderr safe for a message: no escape sequence, no hidden character."""
    cut = line.strip()[: limits.NAME_CHARS]
    return "".join(char if char.isprintable() else "\ufffd" for char in cut)
