"""Receives Neovim's notifications, whether the backend is a job or runs in pynvim's host.

Neovim only ever notifies; results go back by calling it. pynvim owns the asyncio loop; one root task lives in it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from functools import partial
from typing import Any

from pynvim import Session, stdio_session

from acp_nvim.app import App
from acp_nvim.editor.neovim import Neovim

log = logging.getLogger(__name__)
_GOODBYE = 1.2  # seconds for agents to end before Neovim stops waiting for us


class Backend:
    def __init__(self, session: Session, *, owns_loop: bool = False) -> None:
        self._loop: asyncio.AbstractEventLoop = session.loop._loop
        self._owns_loop = owns_loop  # in pynvim's host the loop belongs to every plugin
        self._editor = Neovim(session, receive=partial(self.receive, "acp_nvim"))
        self.app = App(self._editor)
        self._root: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._root = self._loop.create_task(self._run())
        self._root.add_done_callback(self._ended)

    def receive(self, name: str, arguments: list[Any]) -> None:
        """Handle a notification of Neovim: `acp_nvim`, a verb, its payload."""
        if name != "acp_nvim":
            return  # Neovim's own, such as nvim_error_event: reported by the request that caused it
        verb, payload = (*arguments, None, None)[:2]
        if verb == "shutdown" and self._root:
            self._root.cancel()
        else:
            self.app.receive(str(verb), payload if isinstance(payload, dict) else {})
            self._editor.hurry()

    async def _run(self) -> None:
        pump = asyncio.get_running_loop().create_task(self._editor.run(self.app.collect))
        pump.add_done_callback(self._ended)
        try:
            await self.app.run()
        finally:
            pump.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Log why a task has ended, unless it was a shutdown, and stop with the root task."""
        if not task.cancelled() and (fault := task.exception()):
            log.critical("the backend failed", exc_info=fault)
        elif task is not self._root:
            return
        if self._owns_loop:
            self._loop.stop()
        else:  # behind what ends with the root task: worker threads would hold up the host's own end
            self._loop.call_soon(self._editor.report_end)

    def finish(self) -> None:
        """End all agents and commands within a bounded time, because Neovim has gone or is quitting."""
        if not self._root or self._root.done():
            return
        self._root.cancel()
        loop = self._loop
        goodbye = loop.create_task(asyncio.wait([self._root], timeout=_GOODBYE))
        goodbye.add_done_callback(lambda _: loop.stop())
        while not goodbye.done():  # pynvim stops the loop for each of its pipes that breaks
            loop.run_forever()
        if not self._root.done():  # a slow ps, a suspended machine
            self.app.kill_all()
            os._exit(1)  # Python would wait for anyio's worker threads, which end with the root task


def main() -> None:
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
    session = stdio_session()
    backend = Backend(session, owns_loop=True)
    try:
        session.run(_no_requests, backend.receive, backend.start)
    except Exception as end:  # so pynvim tells that Neovim has gone without a word, or a SIGTERM
        log.info("the connection has ended: %s", end)
    # pynvim has just restored the default, and jobstop() sends one while the agents are being ended
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    backend.finish()


def _no_requests(name: str, arguments: list[Any]) -> None:
    raise RuntimeError(f"the backend answers no requests: {name}")
