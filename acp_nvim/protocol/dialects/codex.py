"""Codex, by its adapter. A call of an MCP tool names the server and the tool beside the arguments, and its permission
says nothing but the id of the call:

    title mcp.files.read, rawInput {server: files, tool: read, arguments: {path: a}}
    title mcp__files__read, name mcp__files__read, rawInput {path: a}
"""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect, with_call

_OF_A_TOOL = {"server", "tool", "arguments"}


class Codex(Dialect):
    name: ClassVar[str] = "codex"
    agents: ClassVar[frozenset[str]] = frozenset({"@agentclientprotocol/codex-acp", "codex-acp"})

    def update(self, params: Any) -> Any:
        return with_call(params, "update", _call)

    def permission(self, params: Any) -> Any:
        return with_call(params, "toolCall", _call)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    said = call.get("rawInput")
    if not isinstance(said, dict) or not said.keys() <= _OF_A_TOOL:
        return call
    server, tool = said.get("server"), said.get("tool")
    if not (isinstance(server, str) and isinstance(tool, str)):
        return call
    name = f"mcp__{server}__{tool}"
    title = name if call.get("title") == f"mcp.{server}.{tool}" else call.get("title")
    return {**call, "title": title, "name": name, "rawInput": said.get("arguments") or {}}
