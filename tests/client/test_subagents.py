"""Subagents: sessions that an agent begins by itself. What they ask is asked in the session of their parent."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import eventually, on_prompt, permission, request, result, say, update, wait
from tests.steps.questions import get_outcomes_by_id

OFFERED = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def asked_for(session: Any, title: str = "Run the tests", id: str = "call") -> dict[str, Any]:
    call = {"toolCallId": id, "title": title, "kind": "execute", "rawInput": {"command": "make test"}}
    return {"sessionId": session, "toolCall": call, "options": OFFERED}


def question_of(session: Any, **more: Any) -> list[Any]:
    return request("session/request_permission", asked_for(session, **more))


# --- a child that was never announced


@pytest.mark.statement(139)
async def test_a_question_of_an_unknown_session_is_asked_in_the_one_that_runs(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", question_of("child-7"), say("{answer}")))
    idle, talk = await desk.ready(), await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"] == "session child-7"
    assert "    asked by session child-7" in talk.lines
    assert (talk.state, idle.questions) == ("asking", [])
    talk.answer("yes")
    ended = await talk.ended(1)
    assert ended["stop_reason"] == "end_turn"
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "yes"}}
    assert (talk.state, talk.questions) == ("idle", [])


@pytest.mark.statement(139)
async def test_the_name_of_an_unknown_session_hides_nothing(desk: Desk) -> None:
    desk.agent(on_prompt("work", question_of("a\u202eb\nasked by nobody" + "x" * 5000)))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"].startswith("session a<202E>b asked by nobodyxxx")
    assert len(question["asked_by"]) < 300
    assert len([line for line in talk.lines if line.startswith("    asked by")]) == 1


@pytest.mark.statement(139)
async def test_an_unknown_session_that_could_be_of_two_is_refused(desk: Desk) -> None:
    desk.agent(on_prompt("work", question_of("child"), say("{answer}")), on_prompt("wait", wait("go on")))
    talk, other = await desk.ready(), await desk.ready()
    other.prompt("wait")
    await other.until("running")
    await talk.turn("work")
    assert "-32602" in talk.says
    assert talk.questions == other.questions == []


@pytest.mark.statement(139)
async def test_without_a_running_session_an_unknown_one_is_refused(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("work", result({"stopReason": "end_turn"}), wait("go on"), question_of("child"))
    )
    talk = await desk.ready()
    await talk.turn("work")
    desk.client.hosts[0].connection.notify("go on", {})
    (refused,) = await eventually(lambda: [each for each in agent.got() if "error" in each])
    assert refused["error"]["code"] == -32602
    assert talk.questions == []


@pytest.mark.statement(139)
async def test_a_call_of_a_child_is_none_of_its_parents(desk: Desk) -> None:
    """Ids are unique in their own session only."""
    own = {"sessionUpdate": "tool_call", "toolCallId": "call", "title": "Look around", "kind": "search"}
    desk.agent(on_prompt("work", update(own), question_of("child"), wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["tool_call_id"] == "child/call"
    lines = "\n".join(talk.lines)
    assert "Look around" in lines
    assert "make test" in lines


@pytest.mark.statement(139)
async def test_the_asked_call_of_a_child_goes_on_where_it_was_asked(desk: Desk) -> None:
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "call", "status": "completed"}
    steps = [question_of("child"), ["notify", "session/update", {"sessionId": "child", "update": done}]]
    desk.agent(on_prompt("work", *steps, wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.answer("yes")
    await eventually(
        lambda: any(
            data["id"] == "child/call" and data["status"] == "completed" for data in talk.data("AcpToolCall")
        )
    )


@pytest.mark.statement(139)
async def test_a_cancel_answers_the_question_of_a_child(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", question_of("child"), permission("mine")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.send("cancel")
    await talk.ended(1)
    assert set(map(str, get_outcomes_by_id(agent).values())) == {"{'outcome': 'cancelled'}"}
