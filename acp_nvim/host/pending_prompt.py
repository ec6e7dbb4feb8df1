"""Delays a prompt until the last turn's changes are known and git has been asked how the files look: a moment at most,
and not if the user hurries."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from acp_nvim.host.agent_services import AgentServices
from acp_nvim.session.session import Session


class PendingPrompt:
    def __init__(self, services: AgentServices, session: Session, send: Callable[[], None]) -> None:
        self._services, self._session, self._send = services, session, send
        self._waiting = anyio.CancelScope()
        self._has_begun = self._is_gone = False

    async def run(self) -> None:
        with self._waiting:
            await self._services.settle(self._session)
            self._begin()
            await self._services.look_around(self._session)
        self.go()

    def go(self) -> None:
        """Send the prompt now, unless it has been sent."""
        if not self._is_gone:
            self._is_gone = True
            self._begin()
            self._waiting.cancel()
            self._send()

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._services.begin_turn(self._session)
