"""Locks the sessions of an agent that wants a login, and unlocks them after it."""

from __future__ import annotations

from collections.abc import Callable

from acp_nvim.host import login_methods
from acp_nvim.host.interface import AgentHost
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.session import Session


class LoginLock:
    def __init__(self, host: AgentHost, unlock_starts: Callable[[], None]) -> None:
        self._host, self._unlock_starts = host, unlock_starts
        self.under_way = False
        self.logged_out = False

    def require(self, session: Session, error: RpcError) -> None:
        """Lock the session until a login. Prompts that are queued are sent then, because the user has sent them."""
        name, agent = self._host.name, self._host.agent
        hint = login_methods.login_hint(agent.auth_methods if agent else (), error)
        session.lock(f"{name} needs a login: {hint.brief}", f"{name} {hint.text}")
        self._host.app.touch(session)

    def log_out(self) -> None:
        """Lock all sessions after a logout. A running turn is cancelled, and its session is locked at the end of it."""
        self.logged_out = True
        for session in self._host.sessions:
            self._host.cancel(session)
            self.lock(session)
            self._host.app.touch(session)

    def lock(self, session: Session) -> None:
        """Lock an idle session if the agent is logged out."""
        if self.logged_out and session.phase == "idle":
            session.lock(f"{self._host.name} is logged out: :Acp login", "logged out: :Acp login")

    def unlock(self) -> None:
        """Go on with what waited for the login."""
        self.logged_out = False
        self._unlock_starts()
        for session in self._host.sessions:
            if session.id:
                session.unlock()
            self._host.advance(session)

    def cancel(self) -> None:
        """Ask the agent to give up a login that is under way."""
        self._host.connection.give_up(self)
