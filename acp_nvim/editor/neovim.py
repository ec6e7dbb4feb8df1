"""Sends frames to Neovim: one `nvim_exec_lua` each, the next when the last is answered.

One frame in flight is the back-pressure: while Neovim is busy, or waits at a hit-enter prompt, changes pool here
and the agents' pipes still drain. Requests go past `pynvim.Nvim`, which would look at every value of every answer,
note the stack of every call and wait in a greenlet for each.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pynvim import Session

from acp_nvim import limits
from acp_nvim.editor.interface import A, Collect, Wire
from acp_nvim.messages.base_classes import Call, Question

log = logging.getLogger(__name__)
_PACE = 0.025  # seconds between frames: more of them show a reader no more
_FRAME = "return require('acp_nvim.backend_calls').rpc.frame(...)"
_CALL = "return require('acp_nvim.backend_calls').rpc.call(...)"
_OVER = "require('acp_nvim.backend.process').host_has_ended()"


class EditorError(Exception):
    """A call failed in the editor."""


class Neovim:
    """`receive` is called with what Neovim says while it carries out a call, before the call has its answer."""

    def __init__(self, session: Session, receive: Callable[[list[Any]], object]) -> None:
        self._receive = receive
        self._session = session._async_session
        self._wanted = asyncio.Event()
        self._waiting: list[Wire] = []
        self._changes = 0  # since the last frame
        self._is_hurried = False
        self._pause: asyncio.Future[None] | None = None

    def wake(self, at_once: bool = False) -> None:
        self._wanted.set()
        self._changes += 1
        if at_once or self._changes == limits.FRAME_CHANGES:
            self.hurry()

    def notify(self, call: Call) -> None:
        self._waiting.append(call.wire())
        self._wanted.set()

    def hurry(self) -> None:
        """Send the next frame without a pause, because the user waits for it."""
        self._is_hurried = True
        self._end_pause()

    def _end_pause(self) -> None:
        if self._pause and not self._pause.done():
            self._pause.set_result(None)

    async def call(self, call: Question[A]) -> A:
        answer: A = await self._request(_CALL, call.wire())
        return answer

    def report_end(self) -> None:
        """Tell Neovim that everything of ours has ended."""
        self._session.notify("nvim_exec_lua", [_OVER, []])

    async def run(self, collect: Collect) -> None:
        """Send frames for ever; `collect` returns the changes of the sessions for the next one."""
        while True:
            await self._wanted.wait()
            await asyncio.sleep(0)  # callers whose answer came with this one go on first
            self._wanted.clear()
            began = time.monotonic()
            self._is_hurried, self._changes = False, 0
            batch = self._batch(collect)
            behind = self._wanted.is_set()  # set by collecting: there is more than a frame takes
            if batch:
                await self._send(batch)
                await (asyncio.sleep(0) if behind or self._is_hurried else self._rest(began + _PACE))

    async def _rest(self, until: float) -> None:
        loop = asyncio.get_running_loop()
        self._pause = loop.create_future()
        alarm = loop.call_later(until - time.monotonic(), self._end_pause)
        try:
            await self._pause
        finally:
            alarm.cancel()

    def _batch(self, collect: Collect) -> list[Wire]:
        """Return the calls of the next frame: the changes of the sessions, then the other calls."""
        waiting, self._waiting = self._waiting, []
        return [*(call.wire() for call in collect()), *waiting]

    async def _send(self, batch: list[Wire]) -> None:
        try:
            for complaint in await self._request(_FRAME, [batch]):
                log.error("the editor could not show a frame: %s", complaint)
        except (EditorError, OverflowError, TypeError, ValueError):
            log.exception("a frame was lost; the chat is drawn again when its lines no longer fit")

    def _request(self, code: str, arguments: list[Any]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._session.request("nvim_exec_lua", [code, arguments], partial(self._answered, future))
        return future

    def _answered(self, future: asyncio.Future[Any], error: Any, result: Any) -> None:
        if error and not future.done():
            future.set_exception(EditorError(error[1]))
        elif not error:
            answer, *said = result
            for command in said:
                self._receive(command)
            if not future.done():
                future.set_result(answer)
