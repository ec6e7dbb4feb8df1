"""Forks at a message: at what the agent offers as a point, else of the whole."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent, eventually, on, on_prompt, result, say, update

CLAUDE = "@agentclientprotocol/claude-agent-acp"


def introducing(name: str, **capabilities: Any) -> Any:
    answer = {"protocolVersion": 1, "agentInfo": {"name": name}, "agentCapabilities": capabilities}
    return on("initialize", result(answer))


def message(id: str, text: str) -> list[Any]:
    content = {"type": "text", "text": text}
    return update({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": content})


def key_of(desk: Desk, talk: Talk, line: str) -> Any:
    row = talk.lines.index(line)
    mark = desk.editor.chat(talk.number).at(row)
    assert mark
    return mark["key"]


async def fork(desk: Desk, source: Talk, line: str) -> Talk:
    forked = desk.new(verb="fork", id="s1", of=source.number, key=key_of(desk, source, line))
    await forked.until("idle")
    return forked


def forks(agent: ScriptedAgent) -> list[Any]:
    return [message["params"] for message in agent.got("session/fork")]


@pytest.mark.statement(144)
async def test_claude_forks_at_a_message(desk: Desk) -> None:
    agent = desk.agent(
        introducing(CLAUDE, sessionCapabilities={"fork": {}}),
        on("session/fork", result({"sessionId": "f{id}"})),
        on_prompt("one", message("m1", "First.")),
        on_prompt("two", message("m2", "Second.")),
    )
    talk = await desk.ready()
    await talk.turn("one")
    await talk.turn("two")
    await fork(desk, talk, "First.")
    await fork(desk, talk, "two")
    await fork(desk, talk, "Second.")
    points = [params["_meta"]["jetbrains"]["air"]["fork"] for params in forks(agent)]
    assert points == [{"version": 1, "messageId": id} for id in ("m1", "m1", "m2")]
    assert all(params["sessionId"] == "s1" for params in forks(agent))


@pytest.mark.statement(144)
async def test_above_the_first_answer_all_of_it_is_forked(desk: Desk) -> None:
    agent = desk.agent(
        introducing(CLAUDE, sessionCapabilities={"fork": {}}),
        on("session/fork", result({"sessionId": "f{id}"})),
        on_prompt("one", message("m1", "First.")),
    )
    talk = await desk.ready()
    await talk.turn("one")
    await fork(desk, talk, "one")
    await desk.message("no fork point above this line")
    assert "_meta" not in forks(agent)[0]


@pytest.mark.statement(144)
async def test_of_an_agent_without_points_all_of_it_is_forked(desk: Desk) -> None:
    agent = desk.agent(
        introducing("other", sessionCapabilities={"fork": {}}),
        on("session/fork", result({"sessionId": "f{id}"})),
        on_prompt("one", message("m1", "First.")),
    )
    talk = await desk.ready()
    await talk.turn("one")
    await fork(desk, talk, "First.")
    await desk.message("can only fork whole sessions")
    assert "_meta" not in forks(agent)[0]


def branching(*points: Any) -> list[Any]:
    return [
        on_prompt(
            f"turn {n}",
            say(f"Answer {n}."),
            result({"stopReason": "end_turn", "_meta": {"qwen.branchPoint": point}}),
        )
        for n, point in enumerate(points, 1)
    ]


@pytest.mark.statement(144)
async def test_qwen_copies_up_to_the_end_of_a_turn_and_loads_the_copy(desk: Desk) -> None:
    points = ({"checkpointUuid": "c1"}, {"checkpointUuid": 7.5, "odd": 1}, "odd", {"checkpointUuid": "c4"})
    agent = desk.agent(
        introducing("qwen-code", loadSession=True),
        on("qwen/control/session/branch", result({"newSessionId": "copy", "title": "t"})),
        on(
            "session/load",
            update({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "old"}}),
        ),
        *branching(*points),
    )
    talk = await desk.ready()
    for n in range(1, 5):
        await talk.turn(f"turn {n}")
    forked = desk.new(verb="fork", id="s1", of=1, key=key_of(desk, talk, "Answer 3."))
    await forked.until("idle")
    (branch,) = agent.got("qwen/control/session/branch")
    assert branch["params"] == {"sessionId": "s1", "atRecordId": "7.5"}
    (loaded,) = agent.got("session/load")
    assert loaded["params"]["sessionId"] == "copy"
    assert forked.status["session_id"] == "copy"
    assert agent.got("session/fork") == []


@pytest.mark.statement(144)
@pytest.mark.parametrize("answer", [{}, {"newSessionId": ["x"]}, {"newSessionId": ""}, None])
async def test_a_copy_without_an_id_leaves_no_session(desk: Desk, answer: Any) -> None:
    desk.agent(introducing("qwen-code", loadSession=True), on("qwen/control/session/branch", result(answer)))
    talk = await desk.ready()
    forked = desk.new(verb="fork", id="s1")
    await desk.message("could not fork", "no session id")
    await eventually(lambda: not forked.is_listed)
    assert talk.is_listed
