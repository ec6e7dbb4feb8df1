"""Sessions beside each other, and earlier ones loaded: nothing of one is ever seen in another."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import (
    Step,
    error,
    eventually,
    notify,
    on,
    on_initialize,
    on_prompt,
    repeat,
    result,
    say,
    silence,
    think,
    tool,
    update,
    wait,
    wait_file,
)


def chunk(text: str, role: str = "agent_message") -> dict[str, Any]:
    return {"sessionUpdate": f"{role}_chunk", "content": {"type": "text", "text": text}}


def said(text: str, session: str, role: str = "agent_message") -> Step:
    return notify("session/update", {"sessionId": session, "update": chunk(text, role)})


@pytest.mark.statement(46)
async def test_updates_before_the_answer_are_not_lost(desk: Desk) -> None:
    commands = {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "plan"}]}
    early = (update(commands), say("Welcome, "), say("friend"))
    desk.agent(on("session/new", *early))
    talk = await desk.ready()
    await eventually(lambda: talk.says == "Welcome, friend")
    assert [command["name"] for command in desk.editor.commands[1]] == ["plan"]


@pytest.mark.statement(46)
async def test_updates_for_nobody_are_dropped(desk: Desk) -> None:
    strange = said("for nobody", "stranger")
    agent = desk.agent(
        on("session/new", strange, said("mine", "{session}"), times=1),
        on("session/new", result({"sessionId": "stranger"})),
        on_prompt("hello", strange, say("Hi")),
    )
    talk = await desk.ready()
    await talk.turn("hello")
    assert "for nobody" not in "\n".join(talk.lines)
    assert "mine" in talk.lines
    assert any("stranger" in line for line in desk.log())
    late = await desk.ready()
    assert (late.status["session_id"], len(agent.got("session/new"))) == ("stranger", 2)
    await late.turn("again")
    assert "for nobody" not in "\n".join(late.lines)


@pytest.mark.statement(46)
async def test_what_came_before_a_refusal_is_dropped_with_it(desk: Desk) -> None:
    desk.agent(
        on("session/new", said("too early", "late"), error(-32603, "not yet"), times=1),
        on("session/new", result({"sessionId": "late"})),
        on_prompt("", say("Hi")),
    )
    await desk.new().until("failed")
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.status["session_id"] == "late"
    assert "too early" not in "\n".join(talk.lines)


@pytest.mark.statement(46)
async def test_two_that_begin_at_once_get_each_its_own(desk: Desk) -> None:
    gate = desk.folder / "gate"
    first = on("session/new", say("one"), wait_file(str(gate)), result({"sessionId": "s1"}), times=1)
    second = on("session/new", say("two"), result({"sessionId": "s2"}), times=1)
    desk.agent(first, second)
    one, two = desk.new(), desk.new()
    await two.until("idle")
    assert one.state == "starting"
    gate.touch()
    await one.until("idle")
    await eventually(lambda: (one.says, two.says) == ("one", "two"))


@pytest.mark.statement(48)
async def test_interleaved_updates_never_cross(desk: Desk) -> None:
    steps: list[Step] = []
    for number in range(40):
        steps += [said(f"a{number} ", "s1"), said(f"b{number} ", "s2")]
        steps += [notify("session/update", {"sessionId": "s1", "update": _call("x", number)})]
        steps += [notify("session/update", {"sessionId": "s2", "update": _call("x", number + 100)})]
    desk.agent(on_prompt("go", wait("second"), *steps), on_prompt("second", wait("never")))
    one, two = await desk.ready(), await desk.ready()
    two.prompt("second")
    one.prompt("go")
    await eventually(lambda: (one.state, two.state) == ("running", "running"))
    desk.client.hosts[0].connection.notify("second", {})
    await one.ended(1)
    await eventually(lambda: "b39" in "\n".join(two.lines))
    assert _letters(one.lines) == {"a"}
    assert _letters(two.lines) == {"b"}
    assert {data["title"] for data in one.data("AcpToolCall")} == {f"step {n}" for n in range(40)}
    assert {data["title"] for data in two.data("AcpToolCall")} == {f"step {n}" for n in range(100, 140)}
    assert two.state == "running"


def _call(id: str, number: int) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": id, "title": f"step {number}"}


def _letters(lines: list[str]) -> set[str]:
    return {word[0] for line in lines for word in line.split() if word[0] in "ab" and word[1:].isdigit()}


@pytest.mark.statement(48)
async def test_ten_sessions_on_two_agents_stream_at_once(desk: Desk) -> None:
    gate = desk.folder / "gate"
    for name in ("one", "two"):
        steps = (say(f"{name} {{session}} {{n}}. "), tool("{n}", title=f"{name} {{session}} step {{n}}"))
        desk.agent(on_prompt("", wait_file(str(gate)), repeat(50, *steps)), name=name)
    talks = [await desk.ready(("one", "two")[count % 2]) for count in range(10)]
    for talk in talks:
        talk.prompt(f"go {talk.number}")
    await eventually(lambda: all(talk.state == "running" for talk in talks))
    gate.touch()
    for talk in talks:
        await talk.ended(1)
        own = f"{talk.status['agent']} {talk.status['session_id']}"
        titles = {data["title"] for data in talk.data("AcpToolCall")}
        assert titles == {f"{own} step {number}" for number in range(50)}
        said = [line for line in talk.lines if line.endswith(". ")]
        assert [line.strip() for line in said] == [f"{own} {number}." for number in range(50)]
        assert f"go {talk.number}" in talk.lines


@pytest.mark.statement(48)
async def test_two_processes_with_the_same_session_id(desk: Desk, other: Path) -> None:
    desk.agent(on_prompt("", say("in {cwd}"), think("hm"), tool("t", title="in {cwd}")))
    one, two = await desk.ready(), await desk.ready(cwd=other)
    assert one.status["session_id"] == two.status["session_id"] == "s1"
    one.prompt("hello")
    two.prompt("hello")
    await one.ended(1)
    await two.ended(1)
    assert f"in {desk.folder}" in one.lines
    assert f"in {other}" in two.lines


@pytest.mark.statement(36, 44)
@pytest.mark.parametrize(("verb", "more"), [("new", {}), ("load", {"id": "old"})])
async def test_folders_are_told_as_absolute_paths(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, verb: str, more: dict[str, str]
) -> None:
    (desk.folder / "sub").mkdir()
    monkeypatch.chdir(desk.folder)
    monkeypatch.setenv("HOME", str(desk.folder))
    agent = desk.agent(on_initialize(loadSession=True, sessionCapabilities={"additionalDirectories": {}}))
    talk = desk.new(verb=verb, cwd=Path("sub/../sub"), roots=["~/sub", "."], **more)
    await talk.until("idle")
    params = agent.got(f"session/{verb}")[0]["params"]
    sub = str(desk.folder / "sub")
    assert (params["cwd"], params["mcpServers"]) == (sub, [])
    assert params["additionalDirectories"] == [sub, str(desk.folder)]


@pytest.mark.statement(44)
@pytest.mark.parametrize("takes", [True, False])
async def test_further_roots_go_along_where_the_agent_takes_them(
    desk: Desk, other: Path, takes: bool
) -> None:
    abilities = {"additionalDirectories": {}} if takes else {"additionalDirectories": None}
    agent = desk.agent(on_initialize(sessionCapabilities=abilities))
    talk = desk.new(roots=[str(other)])
    await talk.until("idle")
    params = agent.got("session/new")[0]["params"]
    assert params.get("additionalDirectories") == ([str(other)] if takes else None)


# --- load

LOADS = on_initialize(loadSession=True)


@pytest.mark.statement(36, 39, 42)
async def test_a_replay_before_and_after_the_answer_is_shown_in_order(desk: Desk) -> None:
    agent = desk.agent(
        LOADS,
        on(
            "session/load",
            update(chunk("question", "user_message")),
            update(chunk("answer")),
            update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "look", "status": "completed"}),
            result(None),
            update(chunk("more")),
            update(chunk("again", "user_message")),
            update(chunk("the end")),
        ),
    )
    talk = desk.new(verb="load", id="old")
    await eventually(lambda: talk.lines[-1] == "the end")
    assert [line for line in talk.lines if line] == [
        "## You",
        "question",
        "## Scripted",
        "answer",
        "tool    look",
        "more",
        "## You",
        "again",
        "## Scripted",
        "the end",
    ]
    assert (talk.state, talk.status["session_id"], talk.status["turn"]) == ("idle", "old", 0)
    (message,) = agent.got("session/load")
    assert message["params"] == {"sessionId": "old", "cwd": str(desk.folder), "mcpServers": []}
    assert talk.events("AcpSessionStarted", "AcpTurnStarted") == [("AcpSessionStarted", {})]
    await talk.turn("hello")
    assert agent.got("session/prompt")[0]["params"]["sessionId"] == "old"
    assert agent.got("session/new") == []


@pytest.mark.statement(40)
async def test_a_refused_load_leaves_nothing(desk: Desk) -> None:
    desk.agent(
        LOADS, on("session/load", update(chunk("half")), error(-32002, "no such session", {"id": "old"}))
    )
    other = await desk.ready()
    talk = desk.new(verb="load", id="old")
    await desk.message("could not load old", "no such session")
    await eventually(lambda: not talk.is_listed)
    assert talk.number not in desk.client.sessions
    assert talk.data("AcpSessionStarted") == []
    assert (await other.turn("hello"))["stop_reason"] == "end_turn"


@pytest.mark.statement(38)
@pytest.mark.parametrize("said_of_it", [False, None])
async def test_load_is_not_sent_to_an_agent_without_it(desk: Desk, said_of_it: object) -> None:
    agent = desk.agent(on_initialize(loadSession=said_of_it))
    talk = desk.new(verb="load", id="old")
    await desk.message("cannot load", "old was not opened")
    await eventually(lambda: not talk.is_listed)
    assert [message["method"] for message in agent.got()] == ["initialize"]


async def test_a_load_may_take_long(desk: Desk) -> None:
    gate = desk.folder / "gate"
    desk.agent(
        LOADS, on("session/load", update(chunk("so far")), wait_file(str(gate))), spec={"timeout_ms": 10}
    )
    talk = desk.new(verb="load", id="old")
    await eventually(lambda: "so far" in talk.lines)
    assert talk.state == "starting"
    talk.prompt("hello")
    gate.touch()
    await talk.ended(1)
    assert [text for text in desk.messages("warn") if "session/load" in text] == []


@pytest.mark.statement(49)
async def test_a_prompt_before_the_session_is_there_is_sent_after(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(on("session/new", wait_file(str(gate))))
    talk = desk.new()
    talk.prompt("early")
    await eventually(lambda: agent.got("session/new"))
    talk.prompt("second")
    talk.send("queue_release")
    await eventually(lambda: talk.status.get("queue") == 2)
    desk.client.hosts[0].connection.notify("behind all of it", {})
    await eventually(lambda: agent.got("behind all of it"))
    assert (talk.state, agent.got("session/prompt")) == ("starting", [])
    gate.touch()
    await talk.ended(2)
    texts = [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]
    assert texts == ["early", "second"]


# --- time


async def test_an_answer_that_takes_too_long_is_told_and_still_counts(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(on("session/new", wait_file(str(gate))), spec={"timeout_ms": 150})
    talk = desk.new()
    await desk.message("mine has not answered session/new", "0.15 s")
    assert talk.state == "starting"
    gate.touch()
    await talk.until("idle")
    assert len(agent.got("session/new")) == 1


async def test_a_mute_agent_can_be_stopped(desk: Desk) -> None:
    desk.agent(on("initialize", silence()), spec={"timeout_ms": 50})
    talk = desk.new()
    await desk.message("has not answered initialize", ":Acp stop")
    talk.send("stop")
    await talk.until("stopped")


async def test_a_prompt_has_no_limit_but_its_own(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("", say("slow"), wait("session/cancel")),
        spec={"timeout_ms": 60_000, "prompt_timeout_ms": 80},
    )
    talk = await desk.ready()
    ended = await talk.turn("hello")
    assert ended["stop_reason"] == "cancelled"
    assert len(agent.got("session/cancel")) == 1
    assert [text for text in desk.messages("warn") if "prompt_timeout_ms" in text]
