"""The wire written to disk as it goes by: for its owner's eyes, without secrets, never more than its bounds."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from acp_nvim.agent import private_files

log = logging.getLogger(__name__)
_KEPT = 10  # files of earlier processes


class WireFile:
    """Lines go to `wire-….jsonl`; when that is full it becomes `….jsonl.1`, and a new one begins."""

    def __init__(self, path: Path, most_bytes: int = 16 << 20) -> None:
        self.path = path
        self._most = most_bytes
        self._size = 0
        self._file: IO[bytes] | None = None

    def write(self, line: bytes) -> None:
        """What cannot be written is given up, and said once: the conversation goes on."""
        if self._size < 0:
            return
        try:
            if self._file is None or self._size + len(line) > self._most:
                self._begin()
            assert self._file
            self._file.write(line)
            self._file.flush()
            self._size += len(line)
        except OSError as error:
            self.close()
            self._size = -1
            log.warning("the wire is no longer written to %s: %s", self.path, error)

    def close(self) -> None:
        if self._file:
            with suppress(OSError):  # a full disk has been told already
                self._file.close()
        self._file = None

    def _begin(self) -> None:
        if self._file:
            self.close()
            os.replace(self.path, f"{self.path}.1")
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        self._size = 0


def begin(folder: str, agent: str, say: Callable[[str, str], object]) -> WireFile | None:
    """A new file for an agent's process, the oldest of others given up; None where there is no folder for it."""
    try:
        place = Path(folder) / "acp_nvim"
        private_files.folder(place)
        earlier = sorted(place.glob("wire-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in earlier[: max(0, len(earlier) + 1 - _KEPT)]:
            path.unlink()
            Path(f"{path}.1").unlink(missing_ok=True)
    except OSError as error:
        say("warn", f"log.wire: the wire is not written: {error}")
        return None
    name = re.sub(r"[^\w.-]", "_", agent)[:40]
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return WireFile(place / f"wire-{stamp}-{name}-{os.getpid()}-{time.monotonic_ns()}.jsonl")
