"""Says which of the editor's tools a call of an agent is for. Every agent spells that in its own way.

    claude, qwen       the name of the call, mcp__acp_nvim__read_buffer
    goose              the name, acp_nvim__read_buffer
    codex              raw input {server, tool, arguments} below the title mcp.acp_nvim.read_buffer
    opencode, kilo     the title, acp_nvim_read_buffer
    kimi, Agentao      the title, mcp__acp_nvim__read_buffer
    gemini, vibe       the id, mcp_acp_nvim_read_buffer-1764
    gemini             the title, read_buffer (acp_nvim MCP Server)
    copilot            the title, read_buffer

A name is the agent's own word, and so is the shape that codex sends. A title or an id may be made of what its model
says: it joins lines in the chat, and nothing is allowed by it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from acp_nvim.protocol import schema

PREFIX = "neovim."  # of the tool's name in rules, in the chat and in the log
SERVER = "acp_nvim"  # users have servers called neovim
CHANGING = ("rename_symbol", "code_action", "format_file")  # they propose changes; the others read
_SPELLED = r"(?:mcp(?:__|[_./:]))?acp[_ ]nvim(?:__|: |[_./:-])(\w+?)"
_BEHIND = re.compile(r"(\w+) \(acp_nvim MCP Server\)")
_WHOLE = re.compile(_SPELLED)
_BEGINS = re.compile(rf"{_SPELLED}(?:[-:\s(].*)?", re.S)


class OwnTool(NamedTuple):
    name: str
    is_sure: bool
    arguments: Any = schema.UNSET


def own_tool(update: schema.ToolCallUpdate) -> OwnTool | None:
    said = update.raw_input
    if found := _WHOLE.fullmatch(update.name or ""):
        return OwnTool(found[1], True, said)
    if isinstance(said, dict) and said.keys() == {"server", "tool", "arguments"} and said["server"] == SERVER:
        name = said["tool"]
        if isinstance(name, str) and update.title == f"mcp.{SERVER}.{name}":
            return OwnTool(name, True, said["arguments"])
    for text in (update.title or "", update.id):
        if found := _BEGINS.fullmatch(text) or _BEHIND.fullmatch(text):
            return OwnTool(found[1], False)
    return (
        OwnTool(update.title, False)
        if re.fullmatch(r"[a-z_]+", update.title or "") and update.title
        else None
    )


class OwnDiff(schema.Diff):
    """The change of a whole file that one of our tools proposes; `old_text` is the text that the user saw."""

    deletes: bool = False

    @classmethod
    def of(cls, path: str, old: str | None, new: str | None) -> OwnDiff:
        return cls(path=path, old_text=old, new_text=new or "", deletes=new is None)
