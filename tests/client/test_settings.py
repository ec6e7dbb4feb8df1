"""The configuration as it comes from Lua: what is wrong in it is said by name, and the rest works."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import eventually, notify, on_prompt, say


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"permissions": "none"}, "permissions"),
        ({"log": {"level": 7}}, "log.level"),
        ({"fs": 3}, "fs"),
        ({"terminal": "sometimes"}, "terminal"),
    ],
)
async def test_a_wrong_type_is_one_line_and_the_rest_works(
    desk: Desk, config: dict[str, Any], words: str
) -> None:
    desk.agent(on_prompt("", say("Hi")))
    desk.setup(**config)
    said = await desk.message("configuration", words)
    assert "\n" not in said
    assert len(desk.messages("warn")) == 1
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "Hi"


async def test_several_wrong_types_are_each_said(desk: Desk) -> None:
    desk.agent()
    desk.setup(fs="x", terminal=[1], permissions=7)
    for words in ("fs", "terminal", "permissions"):
        await desk.message("configuration", words)
    assert (await desk.ready()).state == "idle"


@pytest.mark.parametrize("config", [None, [], {}, 3, "text"])
async def test_a_configuration_that_is_none(desk: Desk, config: Any) -> None:
    desk.send("setup", config=config)
    await eventually(lambda: desk.editor.is_ready)


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


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"env": ["KEY"]}, "agents.mine.env"),
        ({"timeout_ms": -1}, "agents.mine.timeout_ms"),
        ({"timeout_ms": "soon"}, "agents.mine.timeout_ms"),
        ({"defaults": "plan", "cwd": 3}, "agents.mine.defaults"),
    ],
)
async def test_a_wrong_key_leaves_the_agent_usable(desk: Desk, wrong: dict[str, Any], words: str) -> None:
    desk.agent(on_prompt("", say("Hi")), spec=wrong)
    said = await desk.message("configuration", words)
    assert "\n" not in said
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "Hi"
    assert len(desk.messages("warn")) == len(wrong)


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
