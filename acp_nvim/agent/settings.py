"""The user's configuration as the backend receives it; the defaults live in Lua alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Value = TypeVar("Value")


def _table(value: Any) -> Any:
    """An empty Lua table arrives as a list."""
    return {} if value in (None, []) else value


def _list(value: Any) -> Any:
    return [] if value in (None, {}) else value


def _texts(value: Any) -> Any:
    """Environment values may be written as numbers."""
    table = _table(value)
    return {key: str(item) for key, item in table.items()} if isinstance(table, dict) else table


Table = Annotated[dict[str, Any], BeforeValidator(_table)]
Texts = Annotated[dict[str, str], BeforeValidator(_texts)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class AgentSpec(_Settings):
    """How one agent is started and treated."""

    name: str
    command: str
    args: Annotated[list[str], BeforeValidator(_list)] = []
    env: Texts = {}
    cwd: str | None = None
    dialect: str = "auto"
    timeout_ms: Annotated[float, Field(gt=0)] = 60_000
    prompt_timeout_ms: Annotated[float, Field(gt=0)] | None = None
    mcp_servers: Any = []
    defaults: Table = {}
    auth_method: str | None = None
    install: str | None = None  # how to come by its program
    writes_through: bool = False  # known to write files by asking us


class Log(_Settings):
    level: str = "info"
    wire: bool = False


class Transcripts(_Settings):
    keep: Annotated[int, Field(ge=0)] = 0


class Settings(_Settings):
    agents: Table = {}
    log: Log = Log()
    transcripts: Transcripts = Transcripts()
    permissions: Annotated[list[Any], BeforeValidator(_list)] = []
    fs: Table = {}
    terminal: bool = True


_DEMO_ARGS = ["-I", "-m", "acp_nvim.demo"]
DEMO = AgentSpec(name="demo", command=sys.executable, args=_DEMO_ARGS, writes_through=True)


def read(config: Any) -> tuple[Settings, list[str]]:
    """The settings, with what is wrong in them said and left at its default."""
    given = dict(_table(config)) if isinstance(_table(config), dict) else {}
    complaints: list[str] = []
    agents = _table(given.get("agents"))
    if isinstance(agents, dict):
        given["agents"] = {name: _usable(str(name), spec, complaints) for name, spec in agents.items()}
    while True:
        try:
            return Settings.model_validate(given), complaints
        except ValidationError as error:
            key = str(error.errors()[0]["loc"][0])
            complaints.append(f"configuration: {_where(error)}")
            given.pop(key, None)


def _usable(name: str, spec: Any, complaints: list[str]) -> Any:
    """The agent without its wrong keys, but for the command: without that it is none."""
    while isinstance(spec, dict):
        try:
            AgentSpec.model_validate({"command": "", **spec, "name": name})
            return spec
        except ValidationError as error:
            key = error.errors()[0]["loc"][0]
            if key == "command":
                return spec
            complaints.append(f"configuration: agents.{name}.{_where(error)}")
            spec = {other: value for other, value in spec.items() if other != key}
    return spec


def agent(settings: Settings, name: str) -> AgentSpec:
    """The agent of that name; a ValueError says what is wrong in words for the user."""
    found = settings.agents.get(name)
    if found is None:
        if name == DEMO.name:
            return DEMO
        known = ", ".join(sorted(settings.agents)) or "none"
        raise ValueError(f"no agent '{name}' is configured (configured: {known})")
    try:
        return AgentSpec.model_validate({**_table(found), "name": name})
    except (ValidationError, TypeError) as error:
        where = _where(error) if isinstance(error, ValidationError) else "not a table"
        raise ValueError(f"agents.{name}.{where}") from error


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


def _where(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
