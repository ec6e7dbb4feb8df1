"""The editor's tools, called by real agents: what only the editor knows is in their next request to the model."""

import pytest

from tests.real.story import LONG, Story

INIT = """
local namespace = vim.api.nvim_create_namespace("test")
vim.diagnostic.set(namespace, vim.fn.bufnr("notes.txt"), {
  { lnum = 4, col = 0, severity = vim.diagnostic.severity.ERROR, message = "a quince is missing" },
})
"""
STATE = "return (require('acp_nvim').status().tools or {}).state"


def answered(story: Story) -> bool:
    """Allow what the agent asks: some ask where nobody can tell what for."""
    for question in story.editor.acp("questions", {"all": True}):
        story.answer(question, "allow_once")
    return True


def test_unsaved_lines_and_problems_reach_the_model(start) -> None:  # type: ignore[no-untyped-def]
    story: Story = start(editor_tools=True)
    story.ready()
    story.editor.type("ggAgooseberries<Esc>")
    story.editor.lua(INIT)
    if story.status()["tools"]["state"] == "none":
        pytest.skip(f"{story.agent} takes no servers")
    if "MCP warning" in story.chat():
        pytest.skip(f"{story.agent} lacks what its MCP client imports")
    before = len(story.requests())
    # qwen waits for no server, and keeps the tools behind a search: its model calls them by their whole names
    is_deferred = story.agent == "qwen"
    if is_deferred:
        story.editor.expect_lua(STATE, "connected", timeout=LONG)
    verb = "tool mcp__acp_nvim__" if is_deferred else "editor "
    story.prompt(
        verb + 'read_buffer::{"path": "notes.txt"}',
        verb + 'get_file_problems::{"severity": "error"}',
        "say That is it.",
    )
    story.until(lambda: answered(story) and story.editor.events("AcpTurnEnded"))
    story.editor.expect_lua(STATE, "connected", timeout=LONG)
    heard = "".join(story.requests()[before:])
    assert "gooseberries" in heard
    assert "a quince is missing" in heard
    titles = [data["title"] for _, data in story.editor.events("AcpToolCall")]
    assert any(title.startswith("neovim.read_buffer") for title in titles), titles
    ours = {
        data["id"] for _, data in story.editor.events("AcpToolCall") if data["title"].startswith("neovim.")
    }
    assert len(ours) == 2, "a line for each call"
