"""Models the user's configuration as the backend receives it: checked, and complete with its defaults.

Both are done in Lua, by lua/acp_nvim/config/schema.lua. A test holds the names and types to be those of the schema.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class AgentSpec(_Frozen):
    """How one agent is started and treated."""

    name: str
    command: str
    args: list[str]
    env: dict[str, str]
    preset_env: dict[str, str] = {}  # a known agent needs it; beside env, whose values count as secrets
    cwd: str | None = None
    dialect: str
    timeout_ms: float
    prompt_timeout_ms: float | None = None
    mcp_servers: Any
    defaults: dict[str, Any]
    auth_method: str | None = None
    system_prompt: str | None = None
    install: str | None = None  # how to install its program
    writes_through: bool = False  # known to write files by asking us
    mcp: str = "session"  # "session", "argument", "none": how it gets the editor's tools

    @property
    def environment(self) -> dict[str, str]:
        """Return what is added to Neovim's environment. The user's own values take precedence."""
        return self.preset_env | self.env

    @property
    def secrets(self) -> list[str]:
        return list(_secrets(dict(self)))


class Log(_Frozen):
    level: str
    wire: bool


class Transcripts(_Frozen):
    keep: int


class FileAccess(_Frozen):
    read: bool
    write: bool
    outside: str
    autocmds: bool


class Settings(_Frozen):
    agents: dict[str, Any]  # each is checked when it is first used
    log: Log
    transcripts: Transcripts
    permissions: list[Any]  # read by session/permission_rules.py
    fs: FileAccess
    terminal: bool
    editor_tools: Any  # a boolean, or names of tools
    editor_tools_wait_ms: float

    def agent(self, name: str) -> AgentSpec:
        """Return the agent of that name; a ValueError says what is wrong in words for the user."""
        found = self.agents.get(name)
        if found is None:
            if name == DEMO.name:
                return DEMO
            known = ", ".join(sorted(self.agents)) or "none"
            raise ValueError(f"no agent '{name}' is configured (configured: {known})")
        if not isinstance(found, dict):
            raise ValueError(f"agents.{name}: not a table")
        try:
            return AgentSpec.model_validate({**found, "name": name})
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"agents.{name}.{where}: {first['msg'].lower()}") from error

    @property
    def secrets(self) -> list[str]:
        """Return what must not be written to disk: of every agent."""
        return [secret for spec in self.agents.values() for secret in _secrets(spec)]


DEMO = AgentSpec(
    name="demo",
    command=sys.executable,
    args=["-I", "-m", "acp_nvim.demo"],
    env={},
    dialect="auto",
    timeout_ms=60_000,
    mcp_servers=[],
    defaults={},
    writes_through=True,
    mcp="none",
)

# Bearer tok, Authorization: Basic dXNlcg==      postgres://user:password@host
_CREDENTIALS = re.compile(
    r"(?i:\b(?:bearer|basic|token|digest|negotiate|api-?key)[ \t:=]+)([^\s,;\"'&]{4,})|://[^\s/@:]*:([^\s/@]{4,})@"
)
# any scheme of one word, and what a header sets: GenieKey tok, session=tok; other=tok
_IN_HEADERS = re.compile(_CREDENTIALS.pattern + r"|^[ \t]*[\w-]+[ \t]+(\S{4,})[ \t]*$|\w=\"?([^\s,;\"&]{4,})")

# Until the editor has sent the configuration, agents may do nothing.
NONE = Settings(
    agents={},
    log=Log(level="info", wire=False),
    transcripts=Transcripts(keep=0),
    permissions=[],
    fs=FileAccess(read=False, write=False, outside="deny", autocmds=False),
    terminal=False,
    editor_tools=False,
    editor_tools_wait_ms=0,
)


def _secrets(spec: Any) -> Iterator[str]:
    """Yield the values of an agent's environment, and those that go to its MCP servers."""
    if not isinstance(spec, dict):
        return
    yield from _values(spec.get("env"))
    servers = spec.get("mcp_servers")
    listed = list(servers.values()) if isinstance(servers, dict) else servers
    for server in listed if isinstance(listed, list) else ():
        if isinstance(server, dict):
            yield from _values(server.get("env"))
            yield from _values(server.get("headers"), _IN_HEADERS)


def _values(table: Any, credentials: re.Pattern[str] = _CREDENTIALS) -> Iterator[str]:
    """Yield the values of a table, or of a list of pairs of name and value, each with the credentials in it: agents
    also say these alone."""
    pairs = table if isinstance(table, list) else ()
    given = (
        table.values() if isinstance(table, dict) else (each["value"] for each in pairs if _has_value(each))
    )
    for value in map(str, given):
        yield value
        yield from filter(None, (part for found in credentials.findall(value) for part in found))


def _has_value(pair: Any) -> bool:
    return isinstance(pair, dict) and "value" in pair
