"""A configuration as Lua sends it: complete with the defaults of lua/acp_nvim/config/schema.lua."""

from typing import Any

AGENT: dict[str, Any] = {
    "args": [],
    "env": {},
    "dialect": "auto",
    "timeout_ms": 60_000,
    "mcp_servers": [],
    "defaults": {},
    "mcp": "session",
}
SETTINGS: dict[str, Any] = {
    "agents": {},
    "log": {"level": "info", "wire": False},
    "transcripts": {"keep": 100},
    "permissions": [],
    "fs": {"read": True, "write": True, "outside": "ask", "autocmds": True},
    "terminal": True,
    "editor_tools": True,
    "editor_tools_wait_ms": 45_000,
}


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """`config` with the default of everything that it does not say, but for the editor's tools: the exact params of
    session/new are what many tests are about."""
    config = {"editor_tools": False, **config}
    made = {
        key: {**default, **config.get(key, {})} if isinstance(default, dict) else config.get(key, default)
        for key, default in SETTINGS.items()
    }
    agents = made["agents"].items()
    return {**made, "agents": {name: agent(spec) for name, spec in agents}}


def agent(spec: Any) -> Any:
    return {**AGENT, **spec} if isinstance(spec, dict) else spec
