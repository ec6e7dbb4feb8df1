"""Keeps what the user sees of terminals, ours and the agents' own, and sends it to the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio

from acp_nvim import limits
from acp_nvim.editor.interface import Editor
from acp_nvim.messages.terminals import TerminalExit, TerminalFeed, TerminalOpen
from acp_nvim.session.session import Session
from acp_nvim.terminals.output_tail import bound
from acp_nvim.terminals.screen import Screen
from acp_nvim.text.printable import one_line

PACE = 0.05  # seconds between two pieces for a terminal buffer
PATIENCE = 0.2  # seconds between two looks of the chat at one terminal

Spawn = Callable[..., None]


class ScreenRegistry:
    """`on_output(session, id)` is called at most five times a second for each terminal whose text has changed. `spawn`
    runs a coroutine function in a task."""

    def __init__(self, editor: Editor, spawn: Spawn, on_output: Callable[[Session, str], None]) -> None:
        self._editor, self._spawn, self._on_output = editor, spawn, on_output
        self._screens: dict[tuple[int, str], Screen] = {}
        self._pooled: set[Screen] = set()

    def get(self, session: Session, terminal_id: str) -> Screen | None:
        return self._screens.get((session.number, terminal_id))

    def of(self, session: Session) -> list[Screen]:
        return [each for each in self._screens.values() if each.session is session]

    def add(self, screen: Screen, line: str) -> None:
        """Show a new terminal; `line` is its command."""
        self._screens[screen.session.number, screen.id] = screen
        self._editor.notify(
            TerminalOpen(screen.session.number, screen.id, one_line(line)[: limits.TERMINAL_TITLE_CHARS])
        )

    def write(self, screen: Screen, data: bytes) -> None:
        screen.write(data)
        self._changed(screen)

    def end(self, screen: Screen, status: str) -> None:
        screen.status = status
        self._editor.notify(TerminalExit(screen.session.number, screen.id, status))
        self._changed(screen)

    def watch(self, screen: Screen, buffer: int) -> None:
        """Fill the buffer that the user has opened, and follow the output."""
        screen.show_in(buffer)
        self._feed(screen)

    def free_memory(self, session: Session) -> None:
        """Drop the oldest output of terminals that have ended or are the agent's own."""
        ended = [each.tail for each in self.of(session) if each.status or not each.is_ours]
        bound(ended, limits.ENDED_TERMINALS_BYTES)

    def forget(self, session: Session) -> None:
        self._screens = {
            key: screen for key, screen in self._screens.items() if screen.session is not session
        }

    def _changed(self, screen: Screen) -> None:
        if screen not in self._pooled:
            self._pooled.add(screen)
            asyncio.get_running_loop().call_later(PATIENCE, self._show_in_chat, screen)
        self._feed(screen)

    def _show_in_chat(self, screen: Screen) -> None:
        self._pooled.discard(screen)
        self._on_output(screen.session, screen.id)

    def _feed(self, screen: Screen) -> None:
        if screen.viewer is not None and not screen.fed and screen.has_news:
            screen.fed = True
            self._spawn(self._feed_viewer, screen)

    async def _feed_viewer(self, screen: Screen) -> None:
        """Send a piece at a time, the next after the editor has taken the last, so that a busy editor is not
        flooded."""
        try:
            while screen.viewer is not None and screen.has_news:
                buffer, piece = screen.viewer, screen.take()
                number, name = screen.session.number, screen.id
                taken = await self._editor.call(TerminalFeed(number, name, piece, buffer))
                if not taken and screen.viewer == buffer:
                    screen.viewer = None  # the user has wiped it
                await anyio.sleep(PACE)
        finally:
            screen.fed = False
