"""Writes each message to a private file when it is sent or received: `log.wire`. Secrets are removed, the size is
bounded."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from acp_nvim import limits
from acp_nvim.agent import private_files

log = logging.getLogger(__name__)


class WireFile:
    """Lines go to `wire-….jsonl`; when that is full it becomes `….jsonl.1`, and a new one begins."""

    def __init__(self, path: Path, most_bytes: int = limits.WIRE_FILE_BYTES) -> None:
        self.path = path
        self._most = most_bytes
        self._is_given_up = False

    def write(self, lines: bytes) -> None:
        """Append; after a failure, which is logged once, nothing more is written."""
        if self._is_given_up:
            return
        try:
            private_files.append(self.path, lines, self._most)
        except OSError as error:
            self._is_given_up = True
            log.warning("messages are no longer recorded in %s: %s", self.path, error)


def begin(folder: str, agent: str, say: Callable[[str, str], object]) -> WireFile | None:
    """Return a new file for an agent's process and delete the oldest ones; None if the folder cannot be used."""
    try:
        place = Path(folder) / "acp_nvim"
        private_files.folder(place)
        earlier = sorted(place.glob("wire-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in earlier[: max(0, len(earlier) + 1 - limits.WIRE_FILES)]:
            path.unlink()
            Path(f"{path}.1").unlink(missing_ok=True)
    except OSError as error:
        say("warn", f"log.wire: the messages cannot be recorded: {error}")
        return None
    name = re.sub(r"[^\w.-]", "_", agent)[:40]
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return WireFile(place / f"wire-{stamp}-{name}-{os.getpid()}-{time.monotonic_ns()}.jsonl")
