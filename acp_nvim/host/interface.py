"""Defines what the modules of a host use of the host, and of the application around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from acp_nvim.agent.connection import Connection, Result
from acp_nvim.agent.settings import AgentSpec
from acp_nvim.host.agent_services import AgentServices
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.protocol.dialects import Dialect
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.schema import Initialized
from acp_nvim.session.session import Session


class Application(Protocol):
    services: AgentServices
    rules: RuleApplier

    def touch(self, session: Session) -> None: ...
    def touch_text(self, session: Session) -> None: ...
    def say(self, level: str, text: str) -> None: ...
    def log(self, level: str, text: str) -> None: ...
    def spawn(self, function: Callable[..., Any], *arguments: Any) -> None: ...


class AgentHost(Protocol):
    """One running agent process and its sessions: `host.py`."""

    name: str
    spec: AgentSpec
    agent: Initialized | None  # what it has said of itself; None: it has not been initialized
    alive: bool
    dialect: Dialect
    offer: dict[str, Any]
    connection: Connection
    sessions: list[Session]

    @property
    def app(self) -> Application: ...

    def call(
        self,
        method: str,
        params: Any,
        then: Callable[[Result], None],
        unbounded: bool = False,
        owner: object = None,
    ) -> None: ...
    def on_update(self, params: Any) -> None: ...
    def servers(self, session: Session) -> list[dict[str, Any]]: ...
    def settle(self, session: Session, fresh: bool, then: Callable[[], None]) -> None: ...
    def opened(self, session: Session) -> None: ...
    def refused(self, session: Session, why: str) -> None: ...
    def wants_login(self, session: Session, error: RpcError) -> None: ...
    def drop(self, session: Session, why: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def advance(self, session: Session) -> None: ...
    def cancel(self, session: Session) -> None: ...
