"""The user's configuration as the backend receives it; the defaults live in Lua alone.

Nobody changes it once it is read, not even the tables in it.
"""

import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from acp_nvim.agent.tables import Least, Wrong, made

Milliseconds = Annotated[float, Least(0, inclusive=False)]
Table = dict[str, Any]
_NO_TABLE: Table = {}
_NO_ITEMS: list[Any] = []


class AgentSpec(NamedTuple):
    """How one agent is started and treated."""

    name: str
    command: str
    args: list[str] = _NO_ITEMS
    env: dict[str, str] = _NO_TABLE
    cwd: str | None = None
    dialect: str = "auto"
    timeout_ms: Milliseconds = 60_000
    prompt_timeout_ms: Milliseconds | None = None
    mcp_servers: Any = _NO_ITEMS
    defaults: Table = _NO_TABLE
    auth_method: str | None = None
    install: str | None = None  # how to come by its program
    writes_through: bool = False  # known to write files by asking us


class Log(NamedTuple):
    level: str = "info"
    wire: bool = False


class Transcripts(NamedTuple):
    keep: Annotated[int, Least(0, inclusive=True)] = 0


class Settings(NamedTuple):
    agents: Table = _NO_TABLE
    log: Log = Log()
    transcripts: Transcripts = Transcripts()
    permissions: list[Any] = _NO_ITEMS
    fs: Table = _NO_TABLE
    terminal: bool = True


_DEMO_ARGS = ["-I", "-m", "acp_nvim.demo"]
DEMO = AgentSpec(name="demo", command=sys.executable, args=_DEMO_ARGS, writes_through=True)


def read(config: Any) -> tuple[Settings, list[str]]:
    """The settings, with what is wrong in them said and left at its default."""
    given = dict(config) if isinstance(config, dict) else {}
    complaints: list[str] = []
    agents = given.get("agents") or {}
    if isinstance(agents, dict):
        given["agents"] = {name: _usable(str(name), spec, complaints) for name, spec in agents.items()}
    while True:
        try:
            return made(Settings, given), complaints
        except Wrong as wrong:
            complaints.append(f"configuration: {wrong}")
            given.pop(wrong.key, None)


def _usable(name: str, spec: Any, complaints: list[str]) -> Any:
    """The agent without its wrong keys, but for the command: without that it is none."""
    while isinstance(spec, dict):
        try:
            made(AgentSpec, {"command": "", **spec, "name": name})
            return spec
        except Wrong as wrong:
            if wrong.key == "command":
                return spec
            complaints.append(f"configuration: agents.{name}.{wrong}")
            spec = {other: value for other, value in spec.items() if other != wrong.key}
    return spec


def asked_for(new: Table) -> str:
    """The agent of a session that is to be begun."""
    return new.get("agent") or DEMO.name


def folder(new: Table) -> str:
    """In which it is to be begun."""
    return os.path.abspath(os.path.expanduser(new.get("cwd") or "."))


def agent(settings: Settings, name: str) -> AgentSpec:
    """The agent of that name; a ValueError says what is wrong in words for the user."""
    found = settings.agents.get(name)
    if found is None:
        if name == DEMO.name:
            return DEMO
        known = ", ".join(sorted(settings.agents)) or "none"
        raise ValueError(f"no agent '{name}' is configured (configured: {known})")
    if not isinstance(found, dict) and found != []:
        raise ValueError(f"agents.{name}.not a table")
    try:
        return made(AgentSpec, {**dict(found), "name": name})
    except Wrong as wrong:
        raise ValueError(f"agents.{name}.{wrong}") from wrong


def secrets(settings: Settings) -> list[str]:
    """What must not be written to disk: of every agent."""
    return [secret for spec in settings.agents.values() for secret in secrets_of(spec)]


def secrets_of(spec: Any) -> Iterator[str]:
    """The values of its environment, and those that go to MCP servers."""
    if not isinstance(spec, dict):
        return
    yield from _values(spec.get("env"))
    servers = spec.get("mcp_servers")
    for server in servers.values() if isinstance(servers, dict) else servers or ():
        if isinstance(server, dict):
            yield from _values(server.get("env"))
            yield from _values(server.get("headers"))


def _values(table: Any) -> Iterator[str]:
    """Of a table, or of a list of pairs of name and value."""
    if isinstance(table, dict):
        yield from map(str, table.values())
    elif isinstance(table, list):
        yield from (str(pair["value"]) for pair in table if isinstance(pair, dict) and "value" in pair)
