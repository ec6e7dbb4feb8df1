"""Collects the facts of an agent's process that the status of its sessions shows."""

from __future__ import annotations

from typing import Any

from acp_nvim.host import login_methods
from acp_nvim.host.interface import AgentHost
from acp_nvim.text.bounded import bounded
from acp_nvim.text.printable import name_of


def facts(
    host: AgentHost, former_title: str, account: dict[str, str] | None, steering: bool
) -> dict[str, Any]:
    """Return the facts. `former_title` is shown until the agent has introduced itself again."""
    agent = host.agent
    info = agent.agent_info if agent else None
    return {
        "agent_title": name_of((info and (info.title or info.name)) or former_title or host.spec.name),
        "agent_version": name_of(info.version) if info and info.version else None,
        "capabilities": bounded(agent.capabilities) if agent else None,
        "pid": host.connection.pid if host.alive else None,
        "steering": steering,
        "account": account,
        "logins": login_methods.shapes(agent.auth_methods) if agent else None,
    }
