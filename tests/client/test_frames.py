"""When a frame goes out: at a pace for text, at once for what the user waits for. Counted in turns of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_nvim.editor import neovim
from acp_nvim.editor.neovim import Neovim
from acp_nvim.messages.chat import Reset
from acp_nvim.messages.terminals import TerminalFeed


class Channel:
    """Neovim's end: it answers each frame, at once or when it is told to."""

    def __init__(self) -> None:
        self._async_session = self
        self.frames: list[Any] = []
        self.answer: Callable[[], object] = lambda: None
        self.answered: Callable[[Any, Any], None] = lambda error, result: None
        self.is_busy = False

    def request(self, _method: str, arguments: list[Any], answered: Callable[[Any, Any], None]) -> None:
        self.frames.append(arguments[1][0])
        self.answered = answered
        self.answer = lambda: answered(None, [[]])
        if not self.is_busy:
            asyncio.get_running_loop().call_soon(self.answer)


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@asynccontextmanager
async def paused(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Neovim, Channel]]:
    """An editor behind its first frame; the next is due in an hour."""
    monkeypatch.setattr(neovim, "_PACE", 3600)
    channel = Channel()
    editor = Neovim(channel, receive=list)  # type: ignore[arg-type]
    pump = asyncio.create_task(editor.run(lambda: [Reset(1)]))
    editor.wake()
    await turns()
    assert len(channel.frames) == 1
    yield editor, channel
    pump.cancel()


async def test_text_waits_for_the_next_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    async with paused(monkeypatch) as (editor, channel):
        for _ in range(5):
            editor.wake()
        await turns()
        assert len(channel.frames) == 1


@pytest.mark.parametrize(
    "what",
    [
        lambda editor: editor.wake(at_once=True),
        lambda editor: (editor.wake(), editor.hurry()),
        lambda editor: [editor.wake() for _ in range(1000)],
    ],
    ids=["it is awaited", "the user has done something", "a flood"],
)
async def test_nobody_waits_in_vain(
    monkeypatch: pytest.MonkeyPatch, what: Callable[[Neovim], object]
) -> None:
    async with paused(monkeypatch) as (editor, channel):
        what(editor)
        await turns()
        assert len(channel.frames) == 2


async def test_what_neovim_says_with_an_answer_is_heard_before_the_caller_goes_on() -> None:
    channel, heard = Channel(), list[Any]()
    editor = Neovim(channel, receive=heard.append)  # type: ignore[arg-type]
    channel.is_busy = True
    asking = asyncio.create_task(editor.call(TerminalFeed(1, "t", "text", 7)))
    await turns()
    channel.answered(None, [True, ["unlocked", {"path": "/f"}]])
    assert heard == [["unlocked", {"path": "/f"}]]
    assert await asking


async def test_haste_while_a_frame_is_under_way_counts_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with paused(monkeypatch) as (editor, channel):
        channel.is_busy = True
        editor.wake(at_once=True)
        await turns()
        editor.wake(at_once=True)
        await turns()
        assert len(channel.frames) == 2, "one at a time"
        channel.answer()
        await turns()
        assert len(channel.frames) == 3
