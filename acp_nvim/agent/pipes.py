"""Reads and writes an agent's pipes from callbacks of the event loop, without blocking it."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from io import FileIO

import anyio

from acp_nvim import limits
from acp_nvim.processes.pipe_size import widen


class Outlet:
    """Reads what the agent writes: one read per iteration of the loop, handed on at once. A registered callback
    costs less than half of a task that waits again for every read."""

    def __init__(self, pipe: FileIO, take: Callable[[bytes], None]) -> None:
        self._pipe = pipe
        self._descriptor = pipe.fileno()
        widen(self._descriptor)
        self._take = take
        self._room = limits.FIRST_READ_BYTES
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._descriptor, self._ready)
        self.ended = anyio.Event()

    def _ready(self) -> None:
        try:
            data = os.read(self._descriptor, self._room)
        except BlockingIOError:
            return
        self._room = limits.FIRST_READ_BYTES if len(data) < limits.FIRST_READ_BYTES else limits.READ_BYTES
        if data:
            self._take(data)
        else:
            self.close()

    def finish(self) -> None:
        """Read the rest, which fits into one read, and close. The end may never come: others can hold the pipe."""
        if not self._pipe.closed:
            self._room = limits.PIPE_BYTES
            self._ready()
            self.close()

    def close(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_reader(self._descriptor)
            self._pipe.close()
            self.ended.set()


class Inlet:
    """Writes what the agent reads. Writing never blocks: unread data is kept and counted."""

    def __init__(self, pipe: FileIO) -> None:
        self._pipe = pipe
        self._descriptor = pipe.fileno()
        widen(self._descriptor)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[memoryview] = deque()
        self.outstanding = 0

    def write(self, data: bytes) -> None:
        if self._pipe.closed:
            return  # nobody reads any more; the exit report tells why
        written = 0 if self._waiting else self._push(data)
        if written < len(data) and not self._pipe.closed:
            if not self._waiting:
                self._loop.add_writer(self._descriptor, self._drain)
            self._waiting.append(memoryview(data)[written:])
            self.outstanding += len(data) - written

    def close(self) -> None:
        """Close the agent's input at once and drop what it has not read."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._descriptor)
            self._pipe.close()
            self._waiting.clear()
            self.outstanding = 0

    def _drain(self) -> None:
        head = self._waiting[0]
        written = self._push(head)
        if self._pipe.closed:
            return
        self.outstanding -= written
        if written < len(head):
            self._waiting[0] = head[written:]
            return
        self._waiting.popleft()
        if not self._waiting:
            self._loop.remove_writer(self._descriptor)

    def _push(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:  # the agent has closed its end
            self.close()
            return 0
