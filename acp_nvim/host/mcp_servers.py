"""Converts configured MCP servers to what session/new, load, resume and fork send."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from shutil import which
from typing import Any

from acp_nvim.agent.settings import AgentSpec
from acp_nvim.editor_tools.editor_tools import EditorTools
from acp_nvim.protocol.schema import Initialized
from acp_nvim.session.session import Session

Server = dict[str, Any]


class McpServers:
    def __init__(self, say: Callable[[str, str], None], tools: EditorTools) -> None:
        self._say, self._tools = say, tools
        self._told: set[str] = set()

    def of(self, session: Session, spec: AgentSpec, agent: Initialized | None) -> list[Server]:
        """Return the servers of a session, with ours. A restored one gets the same list again: some agents compare."""
        if session.servers is None or not session.lived:
            shaped, complaints = shape(spec.mcp_servers, spec.env.get("PATH"))
            session.servers, left_out = fit(shaped, agent)
            for complaint in [*complaints, *left_out]:
                self._tell(f"{spec.name}: MCP server {complaint}")
        taken = {server["name"] for server in session.servers}
        return [*session.servers, *self._tools.deliver(session, spec, taken)]

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._say("warn", text)


def shape(configured: Any, path: str | None = None) -> tuple[list[Server], list[str]]:
    """Return the servers in the protocol's form, and complaints about others. Tables are sorted by name."""
    servers: list[Server] = []
    complaints: list[str] = []
    for name, table in _named(configured):
        try:
            servers.append(_shaped(name, table, path))
        except ValueError as wrong:
            complaints.append(f"{name}: {wrong}: left out")
    return servers, complaints


def fit(servers: list[Server], agent: Initialized | None) -> tuple[list[Server], list[str]]:
    """Return the servers that this agent accepts, and a complaint about each other. stdio is always accepted."""
    taken: list[Server] = []
    left_out: list[str] = []
    for server in servers:
        kind = server.get("type", "stdio")
        if kind == "stdio" or (agent and agent.mcp(kind)):
            taken.append(server)
        else:
            left_out.append(f"{server['name']}: the agent takes no {kind} servers: left out")
    return taken, left_out


def _named(configured: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(configured, dict):
        yield from ((str(name), configured[name]) for name in sorted(configured))
    elif isinstance(configured, list):
        for number, table in enumerate(configured, 1):
            name = table.get("name") if isinstance(table, dict) else None
            yield str(name or f"number {number}"), table
    elif configured is not None:
        yield "list", configured


def _shaped(name: str, table: Any, path: str | None) -> Server:
    if not isinstance(table, dict):
        raise ValueError("not a table")
    meta = {"_meta": table["_meta"]} if isinstance(table.get("_meta"), dict) else {}
    kind = table.get("type") or ("http" if table.get("url") else "stdio")
    if kind == "stdio":
        command = _text(table, "command")
        return {
            "name": name,
            "command": _found(command, path),
            "args": _arguments(table.get("args")),
            "env": _pairs(table.get("env")),
            **meta,
        }
    if kind not in ("http", "sse"):
        raise ValueError(f"unknown type {kind!r}")
    return {
        "type": kind,
        "name": name,
        "url": _text(table, "url"),
        "headers": _pairs(table.get("headers")),
        **meta,
    }


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"'{key}' is missing")
    return value


def _found(command: str, path: str | None) -> str:
    """Return the absolute path that the standard wants; a command that is not found goes as it is."""
    command = os.path.expanduser(command)
    if os.sep in command:
        return command
    found = which(command, path=path)
    return os.path.abspath(found) if found else command


def _arguments(value: Any) -> list[str]:
    if value in (None, {}):
        return []
    if not isinstance(value, list):
        raise ValueError("'args' must be a list")
    return [str(argument) for argument in value]


def _pairs(value: Any) -> list[dict[str, str]]:
    """Return pairs of name and value, from a table or from a list of pairs."""
    if isinstance(value, dict):
        return [{"name": str(name), "value": _shown(value[name])} for name in sorted(value)]
    pairs = [pair for pair in value if isinstance(pair, dict)] if isinstance(value, list) else []
    return [
        {"name": str(pair["name"]), "value": _shown(pair.get("value"))} for pair in pairs if "name" in pair
    ]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
