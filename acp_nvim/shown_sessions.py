"""Keeps the sessions that the editor shows, and which of them have changed since the last frame."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from acp_nvim.editor.interface import Editor
from acp_nvim.messages.base_classes import Call
from acp_nvim.session.session import Session
from acp_nvim.session_view import PATIENCE, SessionView


class ShownSessions:
    def __init__(self, editor: Editor, terminal: Callable[[Session, str], str]) -> None:
        self._editor, self._terminal = editor, terminal
        self._shown: dict[int, SessionView] = {}
        self._touched: dict[int, SessionView] = {}
        self._sizes: dict[int, tuple[int, int]] = {}  # rows and columns of the chats' windows

    def of(self, session: Session) -> SessionView:
        return self._shown[session.number]

    def show(self, session: Session) -> None:
        """Begin to show this session."""
        shown = self._shown[session.number] = SessionView(session, self._terminal)
        if size := self._sizes.get(session.number):
            shown.view.fit(size)

    def fit(self, number: int, size: tuple[int, int]) -> None:
        """Note the size of a session's chat; the session may not have begun yet."""
        self._sizes[number] = size
        if shown := self._shown.get(number):
            shown.view.fit(size)

    def touch(self, session: Session) -> None:
        """Mark the session as changed, and ask for a frame."""
        shown = self._shown.get(session.number)
        if shown:
            shown.has_news = True
            self._touched[session.number] = shown
        self._editor.wake(at_once=shown is not None and shown.is_awaited)

    def touch_text(self, session: Session) -> None:
        """Mark the session as changed in its text alone, which costs less to send."""
        if shown := self._shown.get(session.number):
            self._touched[session.number] = shown
        self._editor.wake()

    def forget(self, session: Session) -> list[Call]:
        """Remove the session, and return the calls that the editor has not got yet."""
        shown = self._shown.pop(session.number, None)
        self._touched.pop(session.number, None)
        return shown.news(time.monotonic()) if shown else []

    def collect(self, calls: list[Call], look: Callable[[Session], None]) -> None:
        """Add what has changed to the calls of a frame; call `look` with each session that has changed."""
        touched, self._touched = self._touched, {}
        now = time.monotonic()
        for number, shown in touched.items():
            look(shown.session)
            if shown.frame(calls, now):
                self._touched[number] = shown
                self._editor.wake()
            elif shown.pools:
                asyncio.get_running_loop().call_later(PATIENCE, self.touch, shown.session)
