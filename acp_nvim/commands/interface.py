"""Defines what a command may use of the application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from acp_nvim.agent.settings import AgentSpec, Settings
from acp_nvim.editor.interface import Editor
from acp_nvim.host.agent_services import AgentServices
from acp_nvim.host.host import Host
from acp_nvim.host.session_controls import SessionControls
from acp_nvim.host.session_start import Way
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.session.session import Session


class Application(Protocol):
    editor: Editor
    settings: Settings
    sessions: dict[int, Session]
    hosts: list[Host]
    services: AgentServices
    controls: SessionControls
    rules: RuleApplier

    def session(self, number: int) -> Session: ...
    def show(self, session: Session) -> None: ...
    def start(self, session: Session, way: Way) -> None: ...
    def forget(self, session: Session) -> None: ...
    def host_for(self, spec: AgentSpec, cwd: str) -> Host: ...
    def host_of(self, session: Session) -> Host | None: ...
    def host_changed(self) -> None: ...
    def touch(self, session: Session) -> None: ...
    def say(self, level: str, text: str, path: str | None = None) -> None: ...
    def spawn(self, function: Callable[..., Any], *arguments: Any) -> None: ...
