"""Keeps the last lines that an agent wrote to stderr. The pipe is always drained: an agent blocks on a full one."""

from __future__ import annotations

import re
from collections import deque

from acp_nvim import limits
from acp_nvim.agent.redaction import Redaction

_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class StderrRing:
    """Keeps whole lines and drops the oldest first. A line that is too long is cut and its rest ignored."""

    def __init__(
        self,
        most_bytes: int = limits.STDERR_BYTES,
        most_of_a_line: int = limits.STDERR_LINE_BYTES,
        hidden: Redaction | None = None,
    ) -> None:
        self._hidden = hidden or Redaction(())
        self._most = most_bytes
        self._line_most = most_of_a_line
        self._kept = most_of_a_line + self._hidden.longest  # so that a secret is not cut before it is known
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._open = b""

    def feed(self, data: bytes) -> None:
        *lines, rest = (self._open + data).split(b"\n")
        for line in lines:
            self._add(line[: self._kept])
        self._open = rest[: self._kept]

    def lines(self) -> list[str]:
        """Return the lines without colours and secrets, the unfinished last one included."""
        texts = [*self._lines, self._open] if self._open else self._lines
        plain = (_COLOURS.sub("", self._cut(line).rstrip("\r")) for line in texts)
        return [self._hidden.text(line) for line in plain]  # once more: colours may have stood in a secret

    def tail(self, count: int) -> tuple[str, ...]:
        return tuple(self.lines()[-count:])

    def _cut(self, line: bytes) -> str:
        most = len(line[: self._line_most].decode(errors="replace"))
        return self._hidden.head(line.decode(errors="replace"), most)

    def _add(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line) + 1
        while self._size > self._most:
            self._size -= len(self._lines.popleft()) + 1
