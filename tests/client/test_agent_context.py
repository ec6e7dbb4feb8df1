"""Blocks that are meant for the model alone: never the user's words, one folded line each."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import Step, on, on_initialize, on_prompt, say, update
from tests.steps.backend import replay_wire, save_wire

LOADS = on_initialize(loadSession=True)


def chunk(role: str, content: Any, **more: Any) -> Step:
    return update({"sessionUpdate": f"{role}_message_chunk", "content": content, **more})


def text(words: str, audience: Any = None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": words}
    return block if audience is None else {**block, "annotations": {"audience": audience}}


@pytest.mark.statement(126)
async def test_of_a_replayed_prompt_only_the_users_words_are_the_users(desk: Desk) -> None:
    file = {"uri": "file:///p/a.py", "text": "inside\nof it\n"}
    resource = {"type": "resource", "resource": file, "annotations": {"audience": ["assistant"]}}
    desk.agent(
        LOADS,
        on(
            "session/load",
            chunk("user", text("look at it"), messageId="m"),
            chunk("user", text("Called the Read tool\nwith these arguments", ["assistant"]), messageId="m"),
            chunk("user", resource, messageId="m"),
            say("I have."),
        ),
    )
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    assert [line for line in talk.lines if line] == [
        "## You",
        "look at it",
        "context for the agent (4 lines)",
        "## Scripted",
        "I have.",
    ]
    (mark,) = [each for each in desk.editor.chat(talk.number).marks if each["kind"] == "context"]
    talk.send("toggle", key=mark["key"], open=True)
    await talk.turn("and")
    shown = ["  │ Called the Read tool", "  │ with these arguments", "  │ inside", "  │ of it"]
    assert [line for line in talk.lines if "│" in line] == shown


@pytest.mark.statement(126)
async def test_in_a_live_message_it_is_folded_and_the_echo_of_the_prompt_goes_on(desk: Desk) -> None:
    steps = (
        chunk("user", text("hel")),
        chunk("user", text("secret rules", ["assistant"])),
        chunk("user", text("lo")),
        say("Hi"),
        chunk("agent", text("for the model", ["assistant"])),
        say(" there"),
    )
    desk.agent(on_prompt("", *steps))
    talk = await desk.ready()
    await talk.turn("hello")
    shown = [line for line in talk.lines if line]
    assert shown == [
        "## You",
        "hello",
        "## Scripted",
        "context for the agent (1 line)",
        "Hi",
        "context for the agent (1 line)",
        " there",
    ]
    replayed = await replay_wire(desk, await save_wire(desk, talk))
    assert [line for line in replayed.lines if line][:7] == shown


@pytest.mark.statement(126)
@pytest.mark.parametrize("audience", [["user"], ["user", "assistant"], [], None, "assistant", [7], {"a": 1}])
async def test_what_the_user_may_see_is_shown(desk: Desk, audience: Any) -> None:
    block = {"type": "text", "text": "for all", "annotations": {"audience": audience}}
    desk.agent(on_prompt("", chunk("agent", block)))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "for all"
