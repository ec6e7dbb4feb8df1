"""Plans: the one of a turn, and several by their ids, each in one block, until they are removed."""

from typing import Any

import pytest

from acp_nvim import limits
from tests.client.conftest import Desk
from tests.fakes.script import eventually, on_prompt, repeat, update, wait


def steps(*statuses: str) -> list[dict[str, str]]:
    return [
        {"content": f"step {n}", "status": status, "priority": "low"} for n, status in enumerate(statuses, 1)
    ]


def plan(id: Any, *statuses: str) -> list[Any]:
    return update(
        {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": id, "entries": steps(*statuses)}}
    )


def removed(id: Any) -> list[Any]:
    return update({"sessionUpdate": "plan_removed", "planId": id})


@pytest.mark.statement(128)
async def test_the_capability_is_sent(desk: Desk) -> None:
    agent = desk.agent()
    await desk.ready()
    assert agent.got("initialize")[0]["params"]["clientCapabilities"]["plan"] == {}


@pytest.mark.statement(128)
async def test_several_plans_are_open_until_they_are_removed(desk: Desk) -> None:
    desk.agent(
        on_prompt(
            "work",
            plan("one", "completed", "in_progress"),
            plan("two\u202e", "pending"),
            plan("one", "completed", "completed", "pending"),
            wait("go on"),
            removed("one"),
            removed("nobody"),
        )
    )
    talk = await desk.ready()
    assert talk.status["plans"] == []
    talk.prompt("work")
    two = {"id": "two<202E>", "done": 0, "total": 1, "current": "step 1"}
    one = {"id": "one", "done": 2, "total": 3, "current": "step 3"}
    await eventually(lambda: talk.status["plans"] == [two, one])
    assert talk.status["plan"] == {"done": 2, "total": 3, "current": "step 3"}
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    assert talk.status["plans"] == [two]
    assert talk.status["plan"] == {"done": 0, "total": 1, "current": "step 1"}
    assert talk.status["plan_steps"] == [{"text": "step 1", "status": "pending"}]
    shown = [line for line in talk.lines if line.startswith("plan ")]
    assert shown == ["plan 2/3  dropped", "plan 0/1"]


@pytest.mark.statement(128)
async def test_a_plan_that_is_done_is_not_given_up(desk: Desk) -> None:
    desk.agent(on_prompt("work", plan("one", "completed"), removed("one")))
    talk = await desk.ready()
    await talk.turn("work")
    assert [line for line in talk.lines if line.startswith("plan ")] == ["plan 1/1"]
    assert talk.status["plans"] == []


@pytest.mark.statement(128)
async def test_a_plan_goes_on_in_the_next_turn(desk: Desk) -> None:
    desk.agent(
        on_prompt(
            "first", plan("one", "pending"), update({"sessionUpdate": "plan", "entries": steps("pending")})
        ),
        on_prompt("second", plan("one", "completed")),
    )
    talk = await desk.ready()
    await talk.turn("first")
    assert [each["id"] for each in talk.status["plans"]] == ["one", ""]
    await talk.turn("second")
    assert [line for line in talk.lines if line.startswith("plan ")] == [
        "plan 0/1",
        "plan 0/1",
        "plan 1/1",
    ]
    assert talk.status["plans"] == [{"id": "one", "done": 1, "total": 1, "current": None}]


@pytest.mark.statement(128)
async def test_a_plan_in_words_unfolds(desk: Desk) -> None:
    told = {"type": "markdown", "planId": "p", "content": "# First\nwe look\x1b[31m"}
    desk.agent(on_prompt("work", update({"sessionUpdate": "plan_update", "plan": told})))
    talk = await desk.ready()
    await talk.turn("work")
    row = talk.lines.index("plan  # First")
    mark = desk.editor.chat(1).at(row)
    assert mark
    talk.send("toggle", key=mark["key"])
    await eventually(lambda: talk.lines[row + 1 : row + 3] == ["  │ # First", "  │ we look"])


@pytest.mark.statement(128)
async def test_there_are_only_so_many_plans(desk: Desk) -> None:
    desk.agent(on_prompt("work", repeat(limits.OPEN_PLANS + 5, plan("{n}" + "x" * 1000, "pending"))))
    talk = await desk.ready()
    await talk.turn("work")
    assert len(talk.status["plans"]) == limits.OPEN_PLANS
    assert all(len(each["id"]) <= limits.PLAN_ID_CHARS for each in talk.status["plans"])
