"""Questions in words in a recording: shown again, with the answer they had."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import on_prompt, say
from tests.steps.backend import replay_wire, save_wire
from tests.steps.forms import NAME, request_form, request_page


@pytest.mark.parametrize(
    ("option", "content", "wanted"),
    [("answer", {"name": "Ada"}, "Ada"), ("decline", None, "rejected"), (None, None, "cancelled")],
)
async def test_a_form_and_its_answer(desk: Desk, option: str | None, content: Any, wanted: str) -> None:
    desk.agent(on_prompt("work", request_form({"name": NAME}), say("So.")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.answer(option, content=content)
    await talk.ended(1)
    again = await replay_wire(desk, await save_wire(desk, talk))
    assert "Who are you?" in "\n".join(again.lines)
    assert again.lines == talk.lines + again.lines[len(talk.lines) :]
    for shown in (talk, again):
        marks = [mark for mark in desk.editor.chat(shown.number).marks if mark["kind"] == "tool"]
        assert wanted in str(marks[0].get("eol"))


async def test_a_page_is_not_visited_again(desk: Desk) -> None:
    desk.agent(on_prompt("work", request_page()))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.answer("answer")
    await talk.ended(1)
    again = await replay_wire(desk, await save_wire(desk, talk))
    assert "Log in" in "\n".join(again.lines)
    assert len(desk.editor.visited) == 1


async def test_one_that_is_none_is_left_out(desk: Desk) -> None:
    desk.agent(on_prompt("work", request_form({}, requestedSchema=3), request_page("file:///x"), say("So.")))
    talk = await desk.ready()
    await talk.turn("work")
    again = await replay_wire(desk, await save_wire(desk, talk))
    assert again.says.startswith("So.")
