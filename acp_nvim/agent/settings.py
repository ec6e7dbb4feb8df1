"""The user's configuration as the backend receives it. Its schema and its defaults are lua/acp_nvim/config/schema.lua:
Lua fills them in. The defaults here stand in for a key that is wrong; a test holds them to be the same.

A wrong key is told by name. Nothing of it is changed once it is read, not even its tables.
"""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

M = TypeVar("M", bound=BaseModel)


def _table(value: Any) -> Any:
    return {} if value in (None, []) else value


def _list(value: Any) -> Any:
    return [] if value in (None, {}) else value


def _environment(value: Any) -> Any:
    """The values may be numbers."""
    return {key: str(item) for key, item in value.items()} if isinstance(value, dict) else _table(value)


# An empty table of Lua may arrive as a list, and an empty list as a table.
OfLua = BeforeValidator(_table)
Table = Annotated[dict[str, Any], OfLua]
Milliseconds = Annotated[float, Field(gt=0)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class AgentSpec(_Frozen):
    """How one agent is started and treated."""

    name: str
    command: str
    args: Annotated[list[str], BeforeValidator(_list)] = Field(default_factory=list)
    env: Annotated[dict[str, str], BeforeValidator(_environment)] = Field(default_factory=dict)
    cwd: str | None = None
    dialect: str = "auto"
    timeout_ms: Milliseconds = 60_000
    prompt_timeout_ms: Milliseconds | None = None
    mcp_servers: Any = Field(default_factory=list)
    defaults: Table = Field(default_factory=dict)
    auth_method: str | None = None
    install: str | None = None  # how to come by its program
    writes_through: bool = False  # known to write files by asking us

    @property
    def secrets(self) -> list[str]:
        return list(_secrets(dict(self)))


class Log(_Frozen):
    level: str = "info"
    wire: bool = False


class Transcripts(_Frozen):
    keep: Annotated[int, Field(ge=0)] = 100


class FileAccess(_Frozen):
    read: bool = True
    write: bool = True
    outside: str = "ask"
    autocmds: bool = True


class Settings(_Frozen):
    agents: Table = Field(default_factory=dict)
    log: Annotated[Log, OfLua] = Log()
    transcripts: Annotated[Transcripts, OfLua] = Transcripts()
    permissions: Annotated[list[Any], BeforeValidator(_list)] = Field(default_factory=list)
    fs: Annotated[FileAccess, OfLua] = FileAccess()
    terminal: bool = True

    def agent(self, name: str) -> AgentSpec:
        """The agent of that name; a ValueError says what is wrong in words for the user."""
        found = self.agents.get(name)
        if found is None:
            if name == DEMO.name:
                return DEMO
            known = ", ".join(sorted(self.agents)) or "none"
            raise ValueError(f"no agent '{name}' is configured (configured: {known})")
        if not isinstance(found, dict) and found != []:
            raise ValueError(f"agents.{name}: not a table")
        try:
            return AgentSpec.model_validate({**dict(found), "name": name})
        except ValidationError as error:
            _, complaint = next(_complaints(error))
            raise ValueError(f"agents.{name}.{complaint}") from error

    @property
    def secrets(self) -> list[str]:
        """What must not be written to disk: of every agent."""
        return [secret for spec in self.agents.values() for secret in _secrets(spec)]


_DEMO_ARGS = ["-I", "-m", "acp_nvim.demo"]
DEMO = AgentSpec(name="demo", command=sys.executable, args=_DEMO_ARGS, writes_through=True)


def read(config: Any) -> tuple[Settings, list[str]]:
    """The settings, and what is wrong in them."""
    given = dict(config) if isinstance(config, dict) else {}
    complaints: list[str] = []
    agents = given.get("agents")
    if isinstance(agents, dict):
        given["agents"] = {name: _usable(str(name), spec, complaints) for name, spec in agents.items()}
    return Settings.model_validate(_fitting(Settings, given, "", complaints)), complaints


def _usable(name: str, spec: Any, complaints: list[str]) -> Any:
    """The agent without its wrong keys. A wrong command stays, to be told when the agent is wanted."""
    if not isinstance(spec, dict):
        return spec
    given = {**spec, "command": "", "name": name}
    fitting = _fitting(AgentSpec, given, f"agents.{name}.", complaints)
    return {key: value for key, value in spec.items() if key in fitting}


def _fitting(
    model: type[BaseModel], given: dict[str, Any], path: str, complaints: list[str]
) -> dict[str, Any]:
    """The keys that the model takes; each of the others is complained of once."""
    try:
        model.model_validate(given)
        return given
    except ValidationError as error:
        wrong = dict(reversed(list(_complaints(error))))  # the first complaint of each key
    complaints += [f"configuration: {path}{complaint}" for complaint in wrong.values()]
    return {key: value for key, value in given.items() if key not in wrong}


def _complaints(error: ValidationError) -> Iterator[tuple[str, str]]:
    """The keys that are wrong, and why."""
    for each in error.errors():
        where = ".".join(map(str, each["loc"]))
        why = "not a table" if each["type"] in ("dict_type", "model_type") else each["msg"].lower()
        yield str(each["loc"][0]), f"{where}: {why}"


def _secrets(spec: Any) -> Iterator[str]:
    """The values of an agent's environment, and those that go to its MCP servers."""
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
