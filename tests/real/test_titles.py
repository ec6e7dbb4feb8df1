"""Titles with real agents that take them: the new one is stored by the agent and comes back."""

from collections.abc import Callable

import pytest

from tests.real.story import Story


def test_a_title_is_stored_by_the_agent(start: Callable[..., Story], agent: str) -> None:
    story = start().ready()
    if "title" not in story.status()["capabilities"].get("sessionCapabilities", {}):
        pytest.skip(f"{agent} takes no titles")
    story.play("say Hello.")
    story.editor.type(":Acp rename The prices<CR>")
    story.until(lambda: story.answers("session/set_title"))
    assert story.answers("session/set_title")[0].get("title", "The prices") == "The prices"
    story.until(lambda: story.status()["title"] == "The prices")
    assert "refused the title" not in str(story.editor.lua("return vim.fn.execute('messages')"))
