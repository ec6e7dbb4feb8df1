"""Which of the editor's tools a call is for, as each agent spells it."""

from typing import Any

import pytest

from acp_nvim.protocol.decode.tool_call import tool_call
from acp_nvim.session.own_tool import own_tool

CODEX = {"server": "acp_nvim", "tool": "read_buffer", "arguments": {"path": "a"}}


def spelled(**raw: Any) -> Any:
    return own_tool(tool_call({"toolCallId": "1", **raw}, known=False))


@pytest.mark.parametrize(
    "raw",
    [
        {"title": "Read", "_meta": {"claudeCode": {"toolName": "mcp__acp_nvim__read_buffer"}}},
        {"title": '{"path": "a"}', "_meta": {"toolName": "mcp__acp_nvim__read_buffer"}},
        {
            "title": "acp nvim: read_buffer",
            "_meta": {"goose": {"toolCall": {"toolName": "acp_nvim__read_buffer"}}},
        },
        {"title": "mcp.acp_nvim.read_buffer", "kind": "execute", "rawInput": CODEX},
    ],
)
def test_a_name_is_sure(raw: dict[str, Any]) -> None:
    found = spelled(**raw)
    assert (found.name, found.is_sure) == ("read_buffer", True)


@pytest.mark.parametrize(
    "raw",
    [
        {"title": "acp_nvim_read_buffer"},
        {"title": "mcp__acp_nvim__read_buffer"},
        {"title": "mcp_acp_nvim.read_buffer"},
        {"title": "acp nvim: read_buffer"},
        {"toolCallId": "mcp_acp_nvim_read_buffer-1764"},
        {"title": "read_buffer (acp_nvim MCP Server)"},
        {"title": "read_buffer"},
    ],
)
def test_a_title_or_an_id_is_not(raw: dict[str, Any]) -> None:
    found = spelled(**raw)
    assert (found.name, found.is_sure) == ("read_buffer", False)


@pytest.mark.parametrize(
    "raw",
    [
        {"title": "Run ls", "rawInput": CODEX},
        {"title": "mcp.acp_nvim.read_buffer", "rawInput": {**CODEX, "command": "rm -rf /"}},
        {"title": "mcp.acp_nvim.read_buffer", "rawInput": {**CODEX, "server": "other"}},
        {"title": "x", "_meta": {"toolName": "mcp__my_acp_nvim__read_buffer"}},
        {"title": "x", "_meta": {"toolName": "neovim.read_buffer"}},
    ],
)
def test_what_only_looks_so_is_not_sure(raw: dict[str, Any]) -> None:
    found = spelled(**raw)
    assert found is None or not found.is_sure
