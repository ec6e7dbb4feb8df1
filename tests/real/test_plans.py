"""A plan of a real agent that is edited before the yes: the agent gets it as the next message."""

import json
import re

import pytest

from tests.real.story import LONG, Story
from tests.steps.conversation import expect_answerable

PLAN = "# Round the prices\n\n1. Write the code\n2. Ship it\n"
FILE = re.compile(r"/[^\s\"\\]*/plans/[\w-]+\.md")
HERE = "return vim.b.acp_question ~= nil and vim.bo.filetype == 'markdown'"


@pytest.fixture(autouse=True)
def _has_plan_mode(story: Story) -> None:
    modes = [mode["id"] for mode in story.status()["modes"] or []]
    if story.agent != "claude" or "plan" not in modes:
        pytest.skip(f"{story.agent} asks for no yes to a plan")
    assert story.editor.acp("set_mode", "plan")
    story.editor.expect_lua("return require('acp_nvim').status().mode", "plan", timeout=LONG)


def open_plan(story: Story) -> None:
    """claude names the file in which it keeps its plan in the request to the model."""
    story.play("say I plan.")
    [path, *_] = [found for each in story.requests() for found in FILE.findall(each)][-1:]
    story.prompt(f"write {path}::{PLAN}", "tool ExitPlanMode::{ }", "say We go on.")
    while (asked := story.asked())["title"].startswith("Write"):
        story.answer(asked, "allow_once")
    assert asked["has_diff"], asked
    story.editor.screen.expect(":w accepts the plan", LONG)
    story.editor.type("<C-w>t")
    story.editor.expect_lua(HERE)
    assert story.editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == PLAN.splitlines()
    expect_answerable(story.editor)


def test_a_plan_that_is_edited_is_the_next_message(story: Story) -> None:
    open_plan(story)
    before = len(story.requests())
    story.editor.type("/Write<CR>cc1. Write the tests [[say The tests first.]]<Esc>:w<CR>")
    story.until(lambda: "Not yet: I have edited your plan" in "".join(story.requests()[before:]))
    story.until(lambda: "\nThe tests first." in story.chat())
    assert "-1. Write the code" in "".join(story.requests()[before:])
    assert len([each for each in story.sent("session/prompt") if "Not yet" in json.dumps(each)]) <= 1
    assert not story.sent("session/cancel")


def test_a_plan_that_is_written_as_it_is_is_accepted(story: Story) -> None:
    open_plan(story)
    story.editor.type(":w<CR>")
    story.ended()
    assert story.status()["mode"] != "plan"
    assert "Not yet" not in json.dumps(story.sent("session/prompt"))
