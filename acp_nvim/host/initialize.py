"""Checks an agent's answer to `initialize`: it may refuse, or speak another version of the protocol."""

from __future__ import annotations

from acp_nvim.protocol import decode
from acp_nvim.protocol.jsonrpc import Failure, Response
from acp_nvim.protocol.methods import VERSION
from acp_nvim.protocol.schema import Initialized

_DRAFT = 2  # served by agents that can speak both: no update of either helps


def read(name: str, result: Response | Failure) -> Initialized | str:
    """Return what the agent says of itself, or why it cannot be used."""
    if isinstance(result, Failure):
        return f"{name} refused to start: {result.error}"
    agent = decode.initialized(result.result)
    if agent.protocol_version == _DRAFT:
        return f"{name}: peer answered protocol version {_DRAFT}; we speak {VERSION}"
    if agent.protocol_version != VERSION:
        spoken = f"protocol version {decode.version_said(result.result)}, this plugin version {VERSION}"
        return f"{name} speaks {spoken}: update the older of the two"
    return agent
