"""The editor is Neovim: frames go out as one `nvim_exec_lua` each, the next when the last is answered.

One frame in flight is the back-pressure: while Neovim is busy, or waits at a hit-enter prompt, changes pool here
and the agents' pipes still drain.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

import pynvim

from acp_nvim.editor.interface import Call, Collect

log = logging.getLogger(__name__)
_PACE = 0.016  # seconds between frames: more often, nobody would see it
_FRAME = "return require('acp_nvim.editor').frame(...)"
_CALL = "return require('acp_nvim.editor').call(...)"


class Neovim:
    def __init__(self, nvim: pynvim.Nvim, collect: Collect = list) -> None:
        self.collect = collect
        self._nvim = nvim
        self._loop = nvim.loop
        self._wanted = asyncio.Event()
        self._waiting: list[Call] = []

    def wake(self) -> None:
        self._wanted.set()

    def notify(self, name: str, *arguments: Any) -> None:
        self._waiting.append([name, *arguments])
        self._wanted.set()

    async def call(self, name: str, *arguments: Any) -> Any:
        return await self._request(_CALL, [name, *arguments])

    async def run(self) -> None:
        """Send frames for ever."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            began = time.monotonic()
            batch = self._batch()
            behind = self._wanted.is_set()  # by collecting itself: there is more than a frame takes
            if batch:
                await self._send(batch)
                await asyncio.sleep(0.0 if behind else max(0.0, began + _PACE - time.monotonic()))

    def _batch(self) -> list[Call]:
        """What sessions show, then what was said beside them; both as of now."""
        waiting, self._waiting = self._waiting, []
        return [*self.collect(), *waiting]

    async def _send(self, batch: list[Call]) -> None:
        try:
            for complaint in await self._request(_FRAME, [batch]):
                log.error("the editor could not show a frame: %s", complaint)
        except (pynvim.NvimError, OverflowError, TypeError, ValueError):
            log.exception("a frame was lost; the chat is drawn anew when its lines no longer fit")

    def _request(self, code: str, arguments: list[Any]) -> asyncio.Future[Any]:
        """pynvim can only wait for an answer inside a greenlet of its own."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._nvim.async_call(_answer, future, lambda: self._nvim.exec_lua(code, *arguments))
        return future


def _answer(future: asyncio.Future[Any], ask: Callable[[], Any]) -> None:
    try:
        result = ask()
    except Exception as error:
        if not future.done():
            future.set_exception(error)
    else:
        if not future.done():
            future.set_result(result)
