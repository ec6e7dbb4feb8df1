"""Knows what the editor has been shown of one session, and adds the session's part to the next frame."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.messages.base_classes import Call
from acp_nvim.messages.chat import Chat, Reset
from acp_nvim.messages.events import Event
from acp_nvim.messages.questions import Questions
from acp_nvim.messages.session_options import Commands
from acp_nvim.messages.sessions import ShowPlace
from acp_nvim.messages.status import Status
from acp_nvim.session.session import Session
from acp_nvim.session.status import StatusChanges

# Seconds that changes of earlier blocks are pooled, and that status and events wait behind a flood of text.
PATIENCE = 0.2


class SessionView:
    def __init__(self, session: Session, terminal: Callable[[Session, str], str]) -> None:
        self.session = session
        self.view = ChatView(
            session.transcript,
            lambda: session.agent_title,
            session.cwd,
            partial(terminal, session),
            session.controls.choices,
        )
        self.has_news = True  # other than text: comparing the status costs more than a chunk of text
        self._status = StatusChanges(session)
        self._state: str | None = None  # as the editor knows it
        self._must_reset = False
        self._late_since: float | None = None
        self._middle_at = 0.0
        self._commands: object = None
        self._begun = session.transcript.begun

    @property
    def pools(self) -> bool:
        """Whether there are changes that may wait for `PATIENCE` seconds."""
        return self.view.waiting or self.session.follow.ready_at() is not None

    @property
    def is_awaited(self) -> bool:
        """Whether the user waits for the next frame: a turn has begun or ended, or there is a question."""
        return self.session.state != self._state

    def resend_all(self) -> None:
        """Send everything again, because the chat's buffer is empty."""
        self.view.reset()
        self._must_reset = True

    def frame(self, calls: list[Call], now: float) -> bool:
        """Add this session's calls; True if the chat has more than one frame takes.

        Text goes before the status that follows from it, and events after the status they tell of.
        """
        more = self._chat(calls, now)
        self._late_since = (self._late_since or now) if more else None
        is_late = self._late_since and not (self.session.in_turn and now - self._late_since > PATIENCE)
        if self.has_news and not is_late:
            calls.extend(self.news(now))
        return more

    def news(self, now: float) -> list[Call]:
        """Return the calls that tell everything but text, as far as it has changed."""
        session, number = self.session, self.session.number
        calls: list[Call] = []
        self.has_news, self._state = False, session.state
        if session.questions.changed:
            session.questions.changed = False
            calls.append(Questions(number, [question.shape() for question in session.questions]))
        if session.commands.shapes is not self._commands:
            self._commands = session.commands.shapes
            calls.append(Commands(number, session.commands.shapes))
        if changes := self._status.take():
            calls.append(Status(number, changes))
        calls.extend(Event(name, data) for name, data in session.events.take())
        if place := session.follow.take(now, os.path.isfile):
            told = {"session": number, "path": place.path, "line": place.line or 1}
            calls += [
                Event("AcpLocation", told),
                ShowPlace(number, place.path, place.line or 1),
            ]
        return calls

    def _chat(self, calls: list[Call], now: float) -> bool:
        """Add the changes of the chat; True if there are more than one frame takes."""
        number = self.session.number
        if self._begun != self.session.transcript.begun:
            self._begun = self.session.transcript.begun
            self.resend_all()
        if self._must_reset:
            calls.append(Reset(number))
            self._must_reset = False
        middle = not self.session.in_turn or now - self._middle_at >= PATIENCE
        if middle:
            self._middle_at = now
        ops, more = self.view.flush(middle=middle)
        if ops:
            calls.append(Chat(number, ops, self.view.total))
        return more
