"""The configuration as it comes from Lua, which has checked it."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import notify, on_prompt, say


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"command": 3}, "agents.mine.command"),
        ({}, "agents.mine.command"),
        ("my-agent --acp", "agents.mine"),
    ],
)
async def test_a_wrong_agent_is_named_when_it_is_wanted(desk: Desk, spec: Any, words: str) -> None:
    desk.agent(name="good")
    desk.configure("mine", spec)
    talk = desk.new()
    await talk.until("failed")
    assert "\n" not in await desk.message(words)
    assert (await desk.ready("good")).state == "idle"


async def test_an_agent_whose_configuration_has_changed_is_another(desk: Desk) -> None:
    agent = desk.agent()
    one = await desk.ready()
    desk.configure("mine", {"command": agent.argv[0], "args": agent.argv[1:], "env": {"NEW": "yes"}})
    two = await desk.ready()
    assert one.status["pid"] != two.status["pid"]
    assert [start["env"].get("NEW") for start in agent.logged("start")] == [None, "yes"]
    assert (await one.turn("hello"))["stop_reason"] == "end_turn"


@pytest.mark.parametrize(("level", "kept"), [("debug", True), ("info", False)])
async def test_the_log_keeps_from_its_level_on(desk: Desk, level: str, kept: bool) -> None:
    desk.agent(on_prompt("", notify("$/chatter", {})))
    desk.setup(log={"level": level})
    talk = await desk.ready()
    await talk.turn("hello")
    assert any("$/chatter" in line for line in desk.log()) is kept


async def test_what_comes_before_the_backend_runs_is_not_lost(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    talk = desk.new()
    talk.prompt("hello")  # all before the first turn of the loop
    await talk.ended(1)
    assert talk.says == "Hi"
