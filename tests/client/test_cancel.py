"""Cancelling: the agent is told once, every question ends, and nothing goes on before the agent has answered."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    ask,
    error,
    eventually,
    mark,
    on_prompt,
    permission,
    request,
    result,
    say,
    tool,
    wait,
)

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def asks(id: str, verb: Any = ask) -> list[Any]:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": id, "title": f"run {id}"}
    step = verb(
        "session/request_permission", {"sessionId": "{session}", "toolCall": call, "options": options}
    )
    return list(step)


def answers(agent: ScriptedAgent) -> list[Any]:
    return [message["result"] for message in agent.got() if "method" not in message]


async def running(desk: Desk) -> Talk:
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: "on it" in talk.lines)
    return talk


@pytest.mark.statement(63, 65, 66, 67)
async def test_a_cancel_from_its_notification_to_the_answer(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt(
            "work",
            tool("t", title="build", status="in_progress"),
            say("on it"),
            wait("session/cancel"),
            say(" but"),
            tool("u", title="clean up", status="in_progress"),
            mark("told"),
            wait("go on"),
            say(" stopping"),
        )
    )
    talk = await running(desk)
    talk.send("cancel")
    await eventually(lambda: agent.logged("mark") and "clean up" in "\n".join(talk.lines))
    (message,) = agent.got("session/cancel")
    assert message == {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}
    assert (talk.state, talk.status["cancelling"]) == ("running", True)
    assert talk.data("AcpTurnEnded") == []
    desk.client.hosts[0].connection.notify("go on", {})
    assert await talk.ended(1) == {"turn": 1, "stop_reason": "cancelled", "error": None}
    assert (talk.state, talk.status["cancelling"], talk.status["stop_reason"]) == ("idle", False, "cancelled")
    assert " stopping" in "\n".join(talk.lines)
    last = {data["id"]: data["status"] for data in talk.data("AcpToolCall")}
    assert last == {"t": "cancelled", "u": "cancelled"}
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"


@pytest.mark.statement(64, 69)
async def test_every_question_is_answered_cancelled_once(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt(
            "work", say("on it"), asks("a"), asks("b"), asks("c"), wait("session/cancel"), wait("go on")
        )
    )
    talk = await running(desk)
    questions = await talk.asked(3)
    assert talk.state == "asking"
    talk.answer("yes", questions[1]["id"])
    await talk.asked(2)
    talk.send("cancel")
    talk.send("cancel")
    talk.answer("yes", questions[0]["id"])
    await talk.asked(0)
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    assert answers(agent) == [
        {"outcome": {"outcome": "selected", "optionId": "yes"}},
        CANCELLED,
        CANCELLED,
    ]
    assert len(agent.got("session/cancel")) == 1
    ends = {data["id"]: (data["by"], data["option_id"]) for data in talk.data("AcpAnswered")}
    assert list(ends.values()) == [("user", "yes"), ("cancel", None), ("cancel", None)]
    assert ends.keys() == {question["id"] for question in questions}
    assert any("is no longer open" in text for text in desk.messages("warn"))


@pytest.mark.statement(63, 64)
@pytest.mark.parametrize("way", ["cancel", "the limit of a turn"])
async def test_the_cancel_goes_out_before_the_answers_that_it_gives(desk: Desk, way: str) -> None:
    """An agent that heard the answers first might go on with its turn: the standard tells of a cancel, then of them."""
    agent = desk.agent(
        on_prompt("work", say("on it"), asks("a"), asks("b"), wait("session/cancel"), wait("go on")),
        spec={} if way == "cancel" else {"prompt_timeout_ms": 300},
    )
    talk = await running(desk)
    if way == "cancel":
        await talk.asked(2)
        talk.send("cancel")
    await eventually(lambda: len(answers(agent)) == 2)
    after = agent.got()[[message.get("method") for message in agent.got()].index("session/prompt") + 1 :]
    assert [message.get("method") or message["result"] for message in after] == [
        "session/cancel",
        CANCELLED,
        CANCELLED,
    ]
    desk.client.hosts[0].connection.notify("go on", {})
    assert (await talk.ended(1))["stop_reason"] == "cancelled"


@pytest.mark.statement(64)
async def test_a_question_after_a_cancel_is_answered_at_once(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt(
            "work",
            say("on it"),
            wait("session/cancel"),
            asks("late", request),
            asks("later", request),
            say("{answer}"),
        )
    )
    talk = await running(desk)
    talk.send("cancel")
    assert (await talk.ended(1))["stop_reason"] == "cancelled"
    assert answers(agent) == [CANCELLED, CANCELLED]
    assert talk.questions == []
    assert '"cancelled"' in "\n".join(talk.lines)


@pytest.mark.statement(64)
async def test_a_cancel_leaves_the_questions_of_others_alone(desk: Desk) -> None:
    turns = (say("on it"), asks("a"), wait("session/cancel")), (say("on it"), asks("b"), wait("never"))
    agent = desk.agent(*(on_prompt("work", *turn, times=1) for turn in turns))
    one, two = await running(desk), await running(desk)
    await one.asked()
    await two.asked()
    one.send("cancel")
    await one.ended(1)
    assert [message["params"]["sessionId"] for message in agent.got("session/cancel")] == ["s1"]
    assert (two.state, len(two.questions)) == ("asking", 1)


@pytest.mark.statement(68)
@pytest.mark.parametrize("code", [-32603, -32800, -32000])
async def test_an_error_after_a_cancel_is_the_cancel(desk: Desk, code: int) -> None:
    desk.agent(
        on_prompt("work", say("on it"), wait("session/cancel"), error(code, "The operation was aborted"))
    )
    talk = await running(desk)
    talk.send("cancel")
    assert await talk.ended(1) == {"turn": 1, "stop_reason": "cancelled", "error": None}
    assert (talk.state, talk.status["stop_reason"]) == ("idle", "cancelled")
    assert "error" not in talk.status


@pytest.mark.statement(69)
async def test_a_cancel_with_nothing_running_is_harmless(desk: Desk) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    talk.send("cancel")
    talk.send("cancel", clear=True)
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    talk.send("cancel")
    assert (await talk.turn("again"))["stop_reason"] == "end_turn"
    assert agent.got("session/cancel") == []
    assert talk.status["held"] is False


@pytest.mark.statement(69)
async def test_a_turn_that_ended_by_itself_keeps_its_reason(desk: Desk) -> None:
    desk.agent(on_prompt("work", say("on it"), wait("session/cancel"), result({"stopReason": "max_tokens"})))
    talk = await running(desk)
    talk.send("cancel")
    assert (await talk.ended(1))["stop_reason"] == "max_tokens"


@pytest.mark.statement(70)
async def test_an_agent_that_ignores_a_cancel_can_be_stopped(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", say("on it"), wait("never")))
    talk = await running(desk)
    talk.prompt("next")
    talk.send("cancel")
    await eventually(lambda: agent.got("session/cancel"))
    assert talk.state == "running"
    talk.send("stop")
    await talk.until("stopped")
    assert talk.status["held"]
    assert [name for name, _ in talk.events("AcpTurnEnded", "AcpSessionEnded")] == [
        "AcpTurnEnded",
        "AcpSessionEnded",
    ]
    await talk.turn("again")
    await talk.ended(3)
    texts = [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]
    assert texts == ["work", "again", "next"]


async def test_a_cancel_holds_the_queue(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", say("on it"), wait("session/cancel")))
    talk = await running(desk)
    talk.prompt("old")
    talk.send("cancel")
    await talk.ended(1)
    assert (talk.state, talk.status["queue"], talk.status["held"]) == ("idle", 1, True)
    assert len(agent.got("session/prompt")) == 1


async def test_a_prompt_between_a_cancel_and_its_answer_is_not_held(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", say("on it"), wait("session/cancel"), wait("go on")))
    talk = await running(desk)
    talk.prompt("old")
    talk.send("cancel")
    talk.prompt("new")
    await eventually(lambda: talk.status["queue"] == 2)
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(3)
    texts = [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]
    assert texts == ["work", "new", "old"]


async def test_a_cancel_that_clears_puts_the_queue_into_the_history(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", say("on it"), wait("session/cancel")))
    talk = await running(desk)
    talk.prompt("one")
    talk.prompt("two")
    talk.send("cancel", clear=True)
    await talk.ended(1)
    assert desk.editor.history == {1: ["one", "two"]}
    assert (talk.status["queue"], talk.status["held"]) == (0, False)
    await talk.turn("three")
    texts = [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]
    assert texts == ["work", "three"]


async def test_a_cancel_before_the_session_is_there_holds_what_waits(desk: Desk) -> None:
    agent = desk.agent()
    talk = desk.new()
    talk.prompt("early")
    talk.send("cancel")
    await talk.until("idle")
    assert (talk.status["queue"], talk.status["held"]) == (1, True)
    assert agent.got("session/prompt") == []


BY_ITSELF = "Scripted cancelled this turn by itself"
OFTEN = f"{BY_ITSELF} again: a new session may help, :Acp new"


async def test_a_turn_that_the_agent_cancels_by_itself_is_no_cancel_of_the_user(desk: Desk) -> None:
    desk.agent(
        on_prompt("slow", wait("session/cancel")),
        on_prompt("lost", result({"stopReason": "cancelled"})),
        on_prompt("", say("Hi")),
    )
    talk = await desk.ready()
    talk.prompt("slow")
    await talk.until("running")
    talk.send("cancel")
    await talk.ended(1)
    assert BY_ITSELF not in talk.lines
    await talk.turn("lost")
    assert (talk.lines.count(BY_ITSELF), talk.lines.count(OFTEN)) == (1, 0)
    await talk.turn("lost")
    assert (talk.lines.count(BY_ITSELF), talk.lines.count(OFTEN)) == (1, 1)
    await talk.turn("well")
    await talk.turn("lost")
    assert (talk.lines.count(BY_ITSELF), talk.lines.count(OFTEN)) == (2, 1)


async def test_a_turn_that_ends_with_a_rejection_is_no_reason_for_a_new_session(desk: Desk) -> None:
    desk.agent(on_prompt("", permission("Run it?", id="{n}"), result({"stopReason": "cancelled"})))
    talk = await desk.ready()
    for turn in (1, 2):
        talk.prompt("go")
        await talk.asked()
        talk.answer("no")
        await talk.ended(turn)
    assert (talk.lines.count(BY_ITSELF), talk.lines.count(OFTEN)) == (2, 0)
