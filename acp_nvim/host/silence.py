"""Notices that the agent says nothing in a running turn: the heading of its answer tells so after a while.

messages of the agent    |   |       question open        answer                 |
seconds since the last   0   0 ...   not counted          0 ... 10: told         0: told no more
"""

from __future__ import annotations

import asyncio
import time
from math import ceil

from acp_nvim.host.interface import AgentHost
from acp_nvim.session.session import Session

_LONG = 10.0  # seconds
_LOOK = 1.0  # from one look to the next while nothing is counted


class Silence:
    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self._heard: dict[Session, float] = {}  # in a running turn: when the agent sent its last message
        self._looks: dict[Session, asyncio.TimerHandle] = {}  # the next one of each

    def begin(self, session: Session) -> None:
        """Count from now on: the prompt has been sent."""
        is_watched = session in self._heard
        self._heard[session] = time.monotonic()
        if not is_watched:
            self._look_in(_LONG, session)

    def heard(self, session: Session) -> None:
        """Count anew, because a message of the agent has come. Thousands a second come this way."""
        if session in self._heard:
            self._heard[session] = time.monotonic()
        if session.hints.silent_since is not None:
            session.hints.silent_since = None
            self._host.app.touch(session)

    def forget(self, session: Session) -> None:
        """Let go of a session that has left the agent."""
        self._heard.pop(session, None)
        if look := self._looks.pop(session, None):
            look.cancel()

    def _look_in(self, seconds: float, session: Session) -> None:
        self._looks[session] = asyncio.get_running_loop().call_later(seconds, self._look, session)

    def _look(self, session: Session) -> None:
        if not session.in_turn:
            return self.forget(session)
        now = time.monotonic()
        if len(session.questions) or self._runs_command(session):
            self._heard[session] = now
            return self._look_in(_LOOK, session)
        silent = now - self._heard[session]
        if silent < _LONG:
            return self._look_in(_LONG - silent, session)
        if session.hints.silent_since is None:
            session.hints.silent_since = ceil(time.time() - silent)
            self._host.app.touch(session)
        self._look_in(_LOOK, session)

    def _runs_command(self, session: Session) -> bool:
        return any(call.is_open and call.kind == "execute" for call in session.transcript.calls.recent())
