"""The end of an agent's process: what waited for it ends, in order, and everybody is told why."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ask,
    die,
    error,
    eventually,
    leave,
    on,
    on_initialize,
    on_prompt,
    permission,
    say,
    stderr,
    tool,
    wait,
)

ENDS = ("AcpAnswered", "AcpToolCall", "AcpTurnEnded", "AcpSessionEnded")


def names(talk: Talk) -> list[str]:
    return [name for name, _ in talk.events(*ENDS)]


@pytest.mark.statement(17)
async def test_an_exit_in_a_turn(desk: Desk) -> None:
    desk.agent(on_prompt("die", say("I go"), stderr("out of memory\n"), leave(9)))
    talk, quiet = await desk.ready(), await desk.ready()
    ended = await talk.turn("die")
    await quiet.until("failed")
    assert ended["stop_reason"] is None
    assert all(words in ended["error"] for words in ("exited with status 9", "out of memory"))
    assert (talk.state, talk.status["error"]) == ("failed", ended["error"])
    assert "pid" not in talk.status
    assert names(talk) == ["AcpTurnEnded", "AcpSessionEnded"]
    assert talk.data("AcpSessionEnded") == quiet.data("AcpSessionEnded") == [{"reason": "exited"}]
    assert "I go" in talk.lines
    assert any("out of memory" in line for line in talk.lines)
    assert len([text for text in desk.messages("error") if "status 9" in text]) == 1
    await eventually(lambda: desk.editor.groups == [])


@pytest.mark.statement(17)
async def test_a_signal_is_named(desk: Desk) -> None:
    desk.agent(on_prompt("die", die("SIGKILL")))
    talk = await desk.ready()
    assert "killed by SIGKILL" in (await talk.turn("die"))["error"]


@pytest.mark.statement(17, 64)
async def test_an_exit_answers_questions_and_closes_tool_calls(desk: Desk) -> None:
    asks = ask("session/request_permission", _params("a")), ask("session/request_permission", _params("b"))
    desk.agent(on_prompt("", tool("t", title="build", status="in_progress"), *asks, wait("go"), leave(1)))
    talk = await desk.ready()
    talk.prompt("hello")
    questions = await talk.asked(2)
    desk.client.hosts[0].connection.notify("go", {})
    await talk.ended(1)
    assert talk.data("AcpAnswered") == [
        {"id": question["id"], "option_id": None, "by": "exit"} for question in questions
    ]
    assert [data["status"] for data in talk.data("AcpToolCall") if data["id"] == "t"][-1] == "cancelled"
    assert names(talk)[-2:] == ["AcpTurnEnded", "AcpSessionEnded"]
    assert talk.questions == []
    talk.answer("yes", questions[0]["id"])
    await desk.message("is no longer open")


async def test_every_event_tells_what_the_status_shows_already(desk: Desk) -> None:
    desk.agent(on_prompt("ask", permission("Run it?")), on_prompt("die", leave(1)))
    talk = await desk.ready()
    talk.prompt("ask")
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    await talk.turn("die")
    shown = {name: (status["state"], status["turn"]) for name, _, status in desk.editor.told}
    assert shown["AcpSessionStarted"] == ("idle", 0)
    assert shown["AcpQuestion"] == ("asking", 1)
    assert shown["AcpTurnEnded"] == shown["AcpSessionEnded"] == ("failed", 2)
    assert [name for name, _ in talk.events() if name != "AcpToolCall"] == [
        "AcpSessionStarted",
        "AcpTurnStarted",
        "AcpQuestion",
        "AcpAnswered",
        "AcpTurnEnded",
        "AcpTurnStarted",
        "AcpTurnEnded",
        "AcpSessionEnded",
    ]


async def test_a_clean_exit_is_no_failure(desk: Desk) -> None:
    desk.agent(on_prompt("bye", say("Bye"), ["result", {"stopReason": "end_turn"}], leave(0)))
    talk = await desk.ready()
    talk.prompt("bye")
    await talk.until("stopped")
    assert talk.data("AcpSessionEnded") == [{"reason": "exited"}]
    assert desk.messages("error") == []


async def test_the_queue_is_held_by_an_exit(desk: Desk) -> None:
    desk.agent(on_prompt("die", wait("go"), leave(1)))
    talk = await desk.ready()
    talk.prompt("die")
    talk.prompt("next")
    await eventually(lambda: talk.status["queue"] == 1)
    desk.client.hosts[0].connection.notify("go", {})
    await talk.until("failed")
    assert (talk.status["queue"], talk.status["held"]) == (1, True)


@pytest.mark.parametrize("status", [0, 1])
async def test_a_prompt_after_the_end_starts_it_again(desk: Desk, status: int) -> None:
    agent = desk.agent(on_prompt("die", leave(status)), on_prompt("again", say("Hello again")))
    talk = await desk.ready()
    talk.prompt("die")
    await talk.until("failed" if status else "stopped")
    ended = await talk.turn("again")
    assert (ended["stop_reason"], talk.says) == ("end_turn", "Hello again")
    assert (talk.state, talk.number, talk.status["turn"]) == ("idle", 1, 2)
    assert "error" not in talk.status
    assert len({start["pid"] for start in agent.logged("start")}) == 2


async def test_a_prompt_after_the_end_goes_before_what_was_held(desk: Desk) -> None:
    desk.agent(on_prompt("die", wait("go"), leave(1)))
    talk = await desk.ready()
    talk.prompt("die")
    talk.prompt("old")
    await eventually(lambda: talk.status["queue"] == 1)
    desk.client.hosts[0].connection.notify("go", {})
    await talk.until("failed")
    talk.prompt("new")
    await talk.ended(3)
    assert [line for line in talk.lines if line in ("die", "old", "new")] == ["die", "new", "old"]


async def test_a_prompt_after_a_start_that_failed_starts_it_again(desk: Desk) -> None:
    desk.configure("mine", {"command": "no-such-agent"})
    talk = desk.new()
    await talk.until("failed")
    desk.agent(on_prompt("", say("Hi")))
    await talk.turn("hello")
    assert talk.says == "Hi"


# --- stop


async def test_stop_names_the_sessions_that_it_ends(desk: Desk, other: Path) -> None:
    desk.agent(on_prompt("work", say("on it"), wait("never")))
    one, two, elsewhere = await desk.ready(), await desk.ready(), await desk.ready(cwd=other)
    one.prompt("work")
    await eventually(lambda: one.says == "on it")
    two.send("stop")
    await desk.message("stopping mine", "1, 2")
    await one.until("stopped")
    await two.until("stopped")
    assert names(one) == ["AcpTurnEnded", "AcpSessionEnded"]
    assert one.data("AcpSessionEnded") == two.data("AcpSessionEnded") == [{"reason": "stopped"}]
    assert elsewhere.state == "idle"
    assert desk.messages("error") == []
    one.send("stop")
    await desk.message("no agent is running here")


async def test_a_prompt_right_after_stop_waits_for_the_new_process(desk: Desk) -> None:
    agent = desk.agent(on_prompt("again", say("Hello again")), ignore=["eof"])
    talk = await desk.ready()
    talk.send("stop")
    talk.prompt("again")
    await eventually(lambda: talk.status["ack"] == 1)
    assert talk.state == "starting"
    await talk.ended(1)
    assert talk.says == "Hello again"
    assert talk.data("AcpTurnStarted") == [{"turn": 1}]
    assert len({start["pid"] for start in agent.logged("start")}) == 2


async def test_a_new_session_right_after_stop_gets_a_process_of_its_own(desk: Desk) -> None:
    desk.agent(ignore=["eof"])
    old = await desk.ready()
    old.send("stop")
    new = await desk.ready()
    await old.until("stopped")
    assert new.state == "idle"
    assert (await new.turn("hello"))["stop_reason"] == "end_turn"


# --- restart


async def test_restart_loads_where_the_agent_can(desk: Desk) -> None:
    replay = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "from before"}}
    agent = desk.agent(
        on_initialize(loadSession=True),
        on_prompt("", say("new words")),
        on("session/load", ["update", replay]),
    )
    talk, untouched = await desk.ready(), await desk.ready()
    await talk.turn("hello")
    talk.send("restart")
    await eventually(lambda: "from before" in talk.lines)
    await talk.until("idle")
    await untouched.until("idle")
    (load,) = agent.got("session/load")
    assert load["params"] == {"sessionId": "s1", "cwd": str(desk.folder), "mcpServers": []}
    assert "new words" not in talk.lines
    assert (talk.status["session_id"], talk.status["turn"]) == ("s1", 1)
    assert len({start["pid"] for start in agent.logged("start")}) == 2
    assert len(agent.got("session/new")) == 3  # the untouched one had nothing to load


async def test_restart_without_load_says_that_the_agent_has_forgotten(desk: Desk) -> None:
    agent = desk.agent(on_prompt("", say("words")))
    talk = await desk.ready()
    await talk.turn("hello")
    talk.send("restart")
    await eventually(lambda: any("does not remember" in line for line in talk.lines))
    await talk.until("idle")
    assert "words" in talk.lines
    assert agent.got("session/load") == []
    assert len(agent.got("session/new")) == 2


async def test_restart_leaves_closed_sessions_closed(desk: Desk) -> None:
    agent = desk.agent(on_prompt("die", leave(1)))
    one, two = await desk.ready(), await desk.ready()
    await one.turn("die")
    await two.until("failed")
    two.send("close")
    one.send("restart")
    await one.until("idle")
    assert not two.is_listed
    assert len(agent.got("session/new")) == 3


async def test_two_restarts_at_once_are_one(desk: Desk) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    talk.send("restart")
    talk.send("restart")
    await eventually(lambda: len(agent.got("session/new")) == 2)
    await talk.turn("hello")
    assert len(agent.got("session/new")) == 2


async def test_a_session_that_lives_again_is_restarted_where_it_lives(desk: Desk) -> None:
    agent = desk.agent(on_prompt("die", leave(1)))
    one, two = await desk.ready(), await desk.ready()
    await one.turn("die")
    await two.until("failed")
    await one.turn("hello")
    one.send("restart")
    await eventually(lambda: len(agent.logged("start")) == 3)
    await one.turn("hello")
    assert two.state == "failed"
    assert one.status["pid"] == agent.logged("start")[-1]["pid"]


async def test_restart_of_what_was_loaded_loads_it_again(desk: Desk) -> None:
    agent = desk.agent(on_initialize(loadSession=True))
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    talk.send("restart")
    await eventually(lambda: len(agent.got("session/load")) == 2)


async def test_a_session_that_cannot_be_loaded_again_goes_on_with_a_new_one(desk: Desk) -> None:
    desk.agent(on_initialize(loadSession=True), on("session/load", error(-32002, "never heard of it")))
    talk = await desk.ready()
    await talk.turn("hello")
    talk.send("restart")
    await desk.message("never heard of it")
    await talk.until("idle")
    assert "hello" in talk.lines, "what was said stays on the screen"
    assert any("does not remember" in line for line in talk.lines)
    assert (await talk.turn("again"))["stop_reason"] == "end_turn"


# --- close


async def test_close_ends_a_session_and_tells_the_agent(desk: Desk) -> None:
    agent = desk.agent(
        on_initialize(sessionCapabilities={"close": {}}), on_prompt("", say("on it"), wait("never"))
    )
    talk, stays = await desk.ready(), await desk.ready()
    talk.prompt("hello")
    await eventually(lambda: talk.says == "on it")
    talk.send("close")
    await eventually(lambda: agent.got("session/close"))
    methods = [message["method"] for message in agent.got()][-2:]
    assert methods == ["session/cancel", "session/close"]
    assert agent.got("session/close")[0]["params"] == {"sessionId": "s1"}
    await eventually(lambda: not talk.is_listed)
    assert names(talk) == ["AcpTurnEnded", "AcpSessionEnded"]
    assert talk.data("AcpSessionEnded") == [{"reason": "closed"}]
    assert stays.state == "idle"
    desk.expects_faults = True
    talk.prompt("anybody there?")
    await desk.message("there is no session 1")


@pytest.mark.statement(38)
async def test_close_is_not_sent_to_an_agent_without_it(desk: Desk) -> None:
    agent = desk.agent()
    talk, stays = await desk.ready(), await desk.ready()
    talk.send("close")
    await stays.turn("hello")
    assert agent.got("session/close") == []
    assert not talk.is_listed


async def test_a_session_closed_before_it_was_ready_is_not_opened(desk: Desk) -> None:
    agent = desk.agent()
    talk, stays = desk.new(), desk.new()
    talk.send("close")
    await stays.turn("hello")
    assert len(agent.got("session/new")) == 1


def _params(id: str) -> dict[str, Any]:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    return {"sessionId": "s1", "toolCall": {"toolCallId": id, "title": id}, "options": options}
