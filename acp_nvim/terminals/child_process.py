"""Runs one command of an agent, in an operating system session of its own, with stdout and stderr in one pipe."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from typing import cast

import anyio

from acp_nvim import limits
from acp_nvim.processes.descendants import Lineage
from acp_nvim.processes.pipe_size import widen
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.terminals.request import TerminalRequest

_GRACE = 0.5  # seconds for SIGTERM to work
_KILL_WAIT = 1.0  # seconds for the system to bury what was killed


class Command:
    """A running command; the constructor starts it. `on_exit` is called once, when all output of the command itself has
    been read; `on_gone` once, when none of its processes runs any more."""

    def __init__(
        self,
        order: TerminalRequest,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[], None],
        on_gone: Callable[[], None],
    ) -> None:
        self._popen = _spawn(order)
        self._on_output, self._on_exit, self._on_gone = on_output, on_exit, on_gone
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._released = False
        self._lineage = Lineage(self._popen.pid)
        self.group: int | None = self._popen.pid  # and its session; None: nothing of it runs any more
        self.returncode: int | None = None  # negative: the signal that ended it
        self.exited = anyio.Event()
        # without a buffer the pipe of Popen is a plain file
        self._pipe = cast(FileIO, self._popen.stdout)
        try:
            self._watch()
        except (OSError, RuntimeError) as error:
            self._undo()
            raise RpcError(INTERNAL_ERROR, f"cannot run {order.argv[0]!r}: {error}") from error

    def _watch(self) -> None:
        widen(self._pipe.fileno())
        self._loop.add_reader(self._pipe.fileno(), self._read)
        threading.Thread(target=self._wait, name=f"command {self.group}", daemon=True).start()

    def _undo(self) -> None:
        """Kill a command that cannot be watched, because no thread or no slot for its pipe is left."""
        self._lineage.kill()
        self._close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_KILL_WAIT)

    def stop(self) -> None:
        """Send SIGTERM to all its processes, and SIGKILL after the grace or as soon as the command has ended."""
        if self.group is None or self._alarm:
            return
        if self.exited.is_set():
            return self._kill_group()
        self._lineage.signal(signal.SIGTERM)
        self._alarm = self._loop.call_later(_GRACE, self._kill)

    def release(self) -> None:
        """Kill it and close its pipe, which other processes could hold open for ever."""
        self._released = True
        self.stop()
        if self.exited.is_set():
            self._close()

    def _close(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()

    @property
    def status(self) -> dict[str, int | str | None] | None:
        """Return the exit status as the protocol has it; None while it runs."""
        if self.returncode is None:
            return None
        if self.returncode >= 0:
            return {"exitCode": self.returncode, "signal": None}
        return {"exitCode": None, "signal": _name(-self.returncode)}

    def _read(self) -> int:
        """Read one slice and return its size."""
        try:
            data = os.read(self._pipe.fileno(), limits.READ_BYTES)
        except BlockingIOError:
            return 0
        if data:
            self._on_output(data)
        else:
            self._close()
            self._look_for_group()
        return len(data)

    def _wait(self) -> None:
        """Wait in a thread: the loop is pynvim's, so there may be no child watcher and no main thread to signal."""
        returncode = self._popen.wait()
        with suppress(RuntimeError):  # the loop has ended before the command
            self._loop.call_soon_threadsafe(self._ended, returncode)

    def _ended(self, returncode: int) -> None:
        if self.exited.is_set():
            return
        self._take_last_words()
        self.returncode = returncode
        self.exited.set()
        if self._alarm:
            self._alarm.cancel()
            self._kill_group()
        self._look_for_group()
        if self._released:
            self._close()
        self._on_exit()

    def _take_last_words(self) -> None:
        """Read its last words, which fit into the pipe. Its children could go on writing for ever."""
        left = limits.PIPE_BYTES
        while left > 0 and not self._pipe.closed and (size := self._read()):
            left -= size

    def _look_for_group(self) -> None:
        """Forget the process group when nothing of it runs any more, before the system gives its number to others. What
        the command left in the background may run until the terminal is released."""
        if self.exited.is_set() and self.group and not self._lineage.look(is_reaped=True):
            self._group_gone()

    def _kill(self) -> None:
        self._lineage.kill(self._is_reaped)
        # not even SIGKILL ends it, as on a dead disk: stop waiting
        self._alarm = self._loop.call_later(_KILL_WAIT, self._ended, -signal.SIGKILL)

    def _kill_group(self) -> None:
        self._lineage.kill(self._is_reaped)
        self._group_gone()

    def _group_gone(self) -> None:
        self.group = None
        self._on_gone()

    @property
    def _is_reaped(self) -> bool:
        return self._popen.returncode is not None


def _spawn(order: TerminalRequest) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            order.argv,
            cwd=order.cwd,
            env=order.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise RpcError(INTERNAL_ERROR, f"cannot run {order.argv[0]!r}: {_reason(error, order)}") from error


def _reason(error: Exception, order: TerminalRequest) -> str:
    if not isinstance(error, OSError):
        return str(error)
    if error.errno == errno.ENOENT:
        exists = os.path.exists(os.path.join(order.cwd, order.argv[0])) and "/" in order.argv[0]
        return "the interpreter it names does not exist" if exists else "command not found"
    return "it is not executable" if error.errno == errno.EACCES else str(error.strerror)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals between the first and the last
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"
