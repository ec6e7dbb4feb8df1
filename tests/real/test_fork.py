"""A fork at a message, with the real claude: the copy remembers what stands above the cursor, and no more."""

from collections.abc import Callable

import pytest

from tests.real.story import LONG, Story

CURSOR = """
  local buf = vim.fn.bufnr('^acp://1/chat$')
  vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
  vim.fn.cursor(1, 1)
  return vim.fn.search([[^One\\.$]], 'cW') > 0
"""


@pytest.fixture
def claude(start: Callable[..., Story], agent: str) -> Story:
    if agent != "claude":
        pytest.skip("it does not fork at a message")
    return start().ready()


def test_a_fork_remembers_what_stands_above_the_cursor(claude: Story) -> None:
    story = claude
    story.play("say One.")
    story.play("say Two.")
    assert story.editor.lua(CURSOR)
    story.editor.type(":Acp fork here<CR>")
    story.editor.wait_event("AcpSessionStarted", LONG, session=2)
    story.until(lambda: "forked" in story.chat(2))
    copy = story.status(2)["session_id"]
    assert copy != story.status(1)["session_id"]
    assert story.editor.acp("close_session", {"session": 2})
    story.editor.wait_event("AcpSessionEnded", LONG, session=2)
    assert story.editor.acp("load", copy, {"agent": "claude"})
    story.editor.wait_event("AcpSessionStarted", LONG, session=3)
    story.until(lambda: "One." in story.chat(3))
    assert "Two." not in story.chat(3)
