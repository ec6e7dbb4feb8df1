"""Writes to files in a thread, one write after the other, because the disk may be slow."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from anyio import to_thread

log = logging.getLogger(__name__)


class _Write(NamedTuple):
    path: Path
    run: Callable[[], None]  # raises an OSError


class BackgroundWriter:
    """Queues writes and runs them in a worker thread. The message about a failure begins with `what`; the next one
    comes only after a write has succeeded again."""

    def __init__(
        self,
        what: str,
        spawn: Callable[..., None],
        warn_unkept: Callable[[str], None],
        most: int | None = None,
    ) -> None:
        self._what, self._spawn, self._say_unkept = what, spawn, warn_unkept
        self._waiting: deque[_Write] = deque(maxlen=most)
        self._lock = Lock()  # at the end the loop's own thread writes, too
        self._is_running = self._is_ending = False
        self.is_failing = False

    def add(self, path: Path, run: Callable[[], None]) -> None:
        self._waiting.append(_Write(path, run))
        if not self._is_running and not self._is_ending:
            self._is_running = True
            self._spawn(self._drain)

    def end(self) -> None:
        """Let writes wait for `close`, because no task can be started any more."""
        self._is_ending = True

    def close(self) -> None:
        """Write what still waits, so that it is not lost."""
        while self._waiting:
            if trouble := self._write():
                log.error(trouble)

    async def _drain(self) -> None:
        try:
            while self._waiting:
                if trouble := await to_thread.run_sync(self._write):
                    self._say_unkept(trouble)
        finally:
            self._is_running = False

    def _write(self) -> str | None:
        """Write all that waits. At the first failure, return the message if there is one."""
        with self._lock:
            while self._waiting:
                write = self._waiting.popleft()
                try:
                    write.run()
                    self.is_failing = False
                except OSError as error:
                    was_failing, self.is_failing = self.is_failing, True
                    if not was_failing:
                        return f"{self._what}: {error.strerror}: {write.path}"
        return None
