"""Requests of ours that the user gives up: the agent is told, and whatever it answers is right."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import Rule, ScriptedAgent, error, eventually, on, on_initialize, result, wait

GIVEN_UP = wait("$/cancel_request"), error(-32800, "given up")
CHOICES = [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]
EFFORT = {"id": "effort", "name": "Effort", "type": "select", "currentValue": "low", "options": CHOICES}
MODES = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
MODELS = {"currentModelId": "m", "availableModels": [{"modelId": "m"}, {"modelId": "n"}]}
SWITCHES: list[tuple[str, str, dict[str, Any]]] = [
    ("session/set_config_option", "set_option", {"id": "effort", "value": "high"}),
    ("session/set_mode", "set_mode", {"id": "b"}),
    ("session/set_model", "set_model", {"id": "n"}),
]


def given_up(agent: ScriptedAgent) -> list[str]:
    """The methods of the requests that were cancelled."""
    asked = {
        message["id"]: message["method"] for message in agent.got() if "id" in message and "method" in message
    }
    return [asked[message["params"]["requestId"]] for message in agent.got("$/cancel_request")]


@pytest.mark.statement(21)
async def test_a_cancelled_start_is_given_up_once(desk: Desk) -> None:
    agent = desk.agent(on("session/new", wait("$/cancel_request"), error(-32800, "cancelled")))
    talk = desk.new()
    await eventually(lambda: agent.got("session/new"))
    talk.send("cancel")
    talk.send("cancel")
    await talk.until("failed")
    assert given_up(agent) == ["session/new"]
    assert "cancelled" in talk.status["error"]


async def test_a_late_answer_still_counts(desk: Desk) -> None:
    agent = desk.agent(on("session/new", wait("$/cancel_request")))
    talk = desk.new()
    await eventually(lambda: agent.got("session/new"))
    talk.send("cancel")
    await talk.until("idle")
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert given_up(agent) == ["session/new"]


async def test_a_load_is_given_up_with_its_session(desk: Desk, other: Path) -> None:
    agent = desk.agent(
        on_initialize(loadSession=True, sessionCapabilities={"close": {}}),
        on("session/load", wait("$/cancel_request"), result({})),
    )
    stays = await desk.ready()
    talk = desk.new(verb="load", id="old")
    await eventually(lambda: agent.got("session/load"))
    talk.send("close")
    await eventually(lambda: not talk.is_listed)
    await eventually(lambda: given_up(agent) == ["session/load"])
    assert (await stays.turn("hello"))["stop_reason"] == "end_turn"
    await eventually(lambda: [each["params"]["sessionId"] for each in agent.got("session/close")] == ["old"])


async def test_a_turn_is_cancelled_by_its_own_means(desk: Desk) -> None:
    agent = desk.agent(on("session/prompt", wait("session/cancel")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.until("running")
    talk.send("cancel")
    assert (await talk.ended(1))["stop_reason"] == "cancelled"
    assert (given_up(agent), len(agent.got("session/cancel"))) == ([], 1)


# --- what else is under way


def switches(*rules: Rule) -> tuple[Rule, ...]:
    """An agent in which everything can be switched, in one session s1 and more."""
    state = {"modes": MODES, "models": MODELS, "configOptions": [EFFORT]}
    return *rules, on("session/new", result({"sessionId": "s1", **state}), times=1)


@pytest.mark.statement(21)
@pytest.mark.parametrize(("method", "verb", "wish"), SWITCHES)
async def test_a_change_is_given_up_with_what_waits_behind_it(
    desk: Desk, method: str, verb: str, wish: dict[str, Any]
) -> None:
    agent = desk.agent(*switches(on(method, *GIVEN_UP, times=1)))
    talk = await desk.ready()
    before = talk.status[verb.removeprefix("set_")] if verb != "set_option" else talk.status["options"]
    talk.send(verb, **wish)
    talk.send("set_mode", id="a")
    await eventually(lambda: agent.got(method) and talk.status["changing"])
    talk.send("cancel")
    talk.send("cancel")
    await desk.message("was not set", "given up")
    await eventually(lambda: not talk.status["changing"])
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert talk.status["options" if verb == "set_option" else verb.removeprefix("set_")] == before
    assert given_up(agent) == [method]
    assert len([each for each in agent.got() if each["method"].startswith("session/set_")]) == 1


async def test_a_turn_that_is_cancelled_leaves_a_change_alone(desk: Desk) -> None:
    """Whoever ends the work still wants the model for the next."""
    agent = desk.agent(
        *switches(on("session/set_model", wait("session/cancel"))),
        on("session/prompt", wait("session/cancel")),
    )
    talk = await desk.ready()
    talk.prompt("work")
    await talk.until("running")
    talk.send("set_model", id="n")
    await eventually(lambda: agent.got("session/set_model"))
    talk.send("cancel")
    await eventually(lambda: talk.status["model"] == "n")
    assert given_up(agent) == []


async def test_a_change_is_given_up_with_its_session(desk: Desk) -> None:
    agent = desk.agent(*switches(on("session/set_mode", *GIVEN_UP)))
    talk, stays = await desk.ready(), await desk.ready()
    talk.send("set_mode", id="b")
    await eventually(lambda: agent.got("session/set_mode"))
    talk.send("close")
    await eventually(lambda: given_up(agent) == ["session/set_mode"])
    assert (await stays.turn("hello"))["stop_reason"] == "end_turn"
    assert desk.messages("warn", "error") == []


async def test_a_list_is_given_up_by_who_does_not_look_at_it_any_more(desk: Desk) -> None:
    agent = desk.agent(on_initialize(sessionCapabilities={"list": {}}), on("session/list", *GIVEN_UP))
    talk = await desk.ready()
    desk.send("list", cwd=str(desk.folder))
    await eventually(lambda: len(agent.got("session/list")) == 1)
    desk.send("list", cwd=str(desk.folder), refresh=True)
    await eventually(lambda: len(agent.got("session/list")) == 2)
    desk.send("list_end")
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert given_up(agent) == ["session/list"] * 2


def wants_a_login() -> tuple[Rule, ...]:
    answer = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": [{"id": "key", "name": "Key"}]}
    return on("initialize", result(answer)), on("session/new", error(-32000, "log in"), times=2)


async def test_a_login_is_given_up_and_can_be_tried_again(desk: Desk) -> None:
    agent = desk.agent(*wants_a_login(), on("authenticate", *GIVEN_UP, times=1))
    talk = desk.new()
    await talk.until("auth")
    talk.send("login")
    await eventually(lambda: agent.got("authenticate"))
    talk.send("cancel")
    await desk.message("the login failed", "given up")
    assert given_up(agent) == ["authenticate"]
    talk.send("login")
    await eventually(lambda: len(agent.got("session/new")) == 2)


async def test_a_login_is_given_up_with_the_last_session_that_wants_it(desk: Desk) -> None:
    agent = desk.agent(*wants_a_login(), on("authenticate", *GIVEN_UP))
    one, two = desk.new(), desk.new()
    await one.until("auth")
    await two.until("auth")
    one.send("login")
    await eventually(lambda: agent.got("authenticate"))
    one.send("close")
    await eventually(lambda: not one.is_listed)
    assert given_up(agent) == []
    two.send("close")
    await eventually(lambda: given_up(agent) == ["authenticate"])
