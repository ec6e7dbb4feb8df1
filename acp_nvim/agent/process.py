"""Starts and stops one agent process, with all processes that it has started."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from typing import cast

import anyio

from acp_nvim.agent.pipes import Inlet, Outlet
from acp_nvim.agent.spawn import spawn
from acp_nvim.processes.descendants import Lineage

_LAST_WORDS = 0.2  # seconds for the end of its output to arrive once the process is dead
_KILL_WAIT = 1.0  # seconds for the system to bury what was killed


class AgentProcess:
    """A running agent, the leader of an operating system session. The constructor starts it, or raises StartError."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        on_output: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> None:
        self._popen = spawn(name, argv, cwd, env)
        self._loop = asyncio.get_running_loop()
        self._dead = anyio.Event()
        self.pid = self._popen.pid  # also the number of its session
        self._lineage = Lineage(self.pid)
        self.returncode: int | None = None  # negative: the signal that ended it
        self.forced = False  # had to be signalled
        # without a buffer the pipes of Popen are plain files
        self.input = Inlet(cast(FileIO, self._popen.stdin))
        self.output = Outlet(cast(FileIO, self._popen.stdout), on_output)
        self.errors = Outlet(cast(FileIO, self._popen.stderr), on_stderr)
        threading.Thread(target=self._wait, name=f"agent {self.pid}", daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._dead.is_set()

    async def stop(self, grace: float) -> None:
        """Close its input, send SIGTERM to all its processes after `grace` seconds, and SIGKILL after as many again."""
        if self.alive:
            self._lineage.look()  # children that left its session are found only by their parents
        self.input.close()
        if await self._dies_within(grace):
            return
        self.forced = True
        self._lineage.signal(signal.SIGTERM, self._is_reaped)
        if await self._dies_within(grace):
            return
        self._lineage.kill(self._is_reaped)
        if not await self._dies_within(_KILL_WAIT):
            self._died(None)  # not even SIGKILL ends it, as on a dead disk: stop waiting

    def close(self) -> None:
        """Read what is left in its pipes and close them, whatever state the process is in."""
        self.input.close()
        self.output.finish()
        self.errors.finish()

    async def _dies_within(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await self._dead.wait()
        return not self.alive

    @property
    def _is_reaped(self) -> bool:
        return self._popen.returncode is not None

    def _wait(self) -> None:
        """Wait in a thread: the loop is pynvim's, so there may be no child watcher and no main thread to signal.
        Kill its children at once, before its process number can be given to another process."""
        returncode = self._popen.wait()
        self._lineage.kill(is_reaped=True)
        with suppress(RuntimeError):  # the loop has ended before the agent
            self._loop.call_soon_threadsafe(self._died, returncode)

    def _died(self, returncode: int | None) -> None:
        if self.alive:
            self.returncode = returncode
            self.input.close()
            self._dead.set()
            self._loop.call_later(_LAST_WORDS, self.output.finish)
