"""Requests of ours that the user gives up: the agent is told, and whatever it answers is right."""

from pathlib import Path

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import ScriptedAgent, error, eventually, on, on_initialize, result, wait


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
