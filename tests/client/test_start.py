"""An agent's beginning: what it is told first, when it cannot be used, and where its process runs."""

import json
import os
from pathlib import Path

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import (
    error,
    eventually,
    leave,
    mark,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    stderr,
    touch,
    wait_file,
)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.statement(23)
async def test_initialize_goes_first_and_alone(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(on("initialize", mark("asked"), wait_file(str(gate))))
    one, two = desk.new(), desk.new()
    one.prompt("hello")
    await eventually(lambda: agent.logged("mark"))
    for verb in ("cancel", "logout", "login"):
        two.send(verb)
    two.send("set_mode", id="code")
    desk.send("list", cwd=str(desk.folder))
    desk.client.hosts[0].connection.notify("behind all of it", {})
    await eventually(lambda: agent.got("behind all of it"))
    assert [message["method"] for message in agent.got()] == ["initialize", "behind all of it"]
    assert (one.state, two.state) == ("starting", "starting")
    gate.touch()
    await one.ended(1)
    await two.until("idle")
    methods = [message["method"] for message in agent.got()[2:]]
    assert methods == ["session/new", "session/new", "session/prompt"]


@pytest.mark.statement(24, 25, 146)
async def test_what_initialize_tells(desk: Desk) -> None:
    agent = desk.agent()
    await desk.ready()
    (message,) = agent.got("initialize")
    assert message["params"]["protocolVersion"] == 1
    assert message["params"]["clientInfo"].keys() == {"name", "title", "version"}
    told = message["params"]["clientCapabilities"]
    assert told == {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "auth": {"terminal": True},
        "subagents": {},
        "plan": {},
        "promptSuggestions": {},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "elicitation": {"form": {}, "url": {}},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }


@pytest.mark.statement(150)
async def test_an_agent_that_answers_with_the_draft_is_ended(desk: Desk) -> None:
    agent = desk.agent(on_initialize(version=2))
    talk = desk.new()
    await talk.until("failed")
    assert await desk.message("protocol version") == "mine: peer answered protocol version 2; we speak 1"
    assert [message["params"]["protocolVersion"] for message in agent.got()] == [1]
    await eventually(lambda: gone(agent.logged("start")[0]["pid"]))


@pytest.mark.statement(149)
async def test_nobody_asks_for_the_state_of_a_login(desk: Desk) -> None:
    told = {"protocolVersion": 1, "agentCapabilities": {"auth": {"status": {}, "logout": {}}}}
    agent = desk.agent(on("initialize", result(told)), on("auth/status", error(-32603, "never asked")))
    talk = await desk.ready()
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert [message["method"] for message in agent.got()] == ["initialize", "session/new", "session/prompt"]


@pytest.mark.statement(26)
@pytest.mark.parametrize("version", [7, "one"])
async def test_another_version_is_said_and_the_process_ended(desk: Desk, version: object) -> None:
    agent = desk.agent(on_initialize(version=version))
    talk = desk.new()
    await talk.until("failed")
    said = await desk.message("mine", f"protocol version {json.dumps(version)}")
    assert "\n" not in said
    await eventually(lambda: gone(agent.logged("start")[0]["pid"]))
    await eventually(lambda: desk.editor.groups == [] and "pid" not in talk.status)
    assert [message["method"] for message in agent.got()] == ["initialize"]
    assert talk.data("AcpSessionEnded") == [{"reason": "failed"}]
    assert talk.status["error"] == said


@pytest.mark.statement(28)
async def test_an_agent_that_says_nothing_of_itself(desk: Desk) -> None:
    desk.agent(on("initialize", result({"protocolVersion": 1})), on_prompt("", say("Hi")))
    talk = await desk.ready()
    await talk.turn("hello")
    assert (talk.status["agent_title"], talk.status["capabilities"]) == ("mine", {})
    assert talk.lines[-2:] == ["## mine", "Hi"]


async def test_a_refused_initialize_is_a_failed_start(desk: Desk) -> None:
    desk.agent(on("initialize", error(-32603, "no licence", {"key": "missing"})))
    talk = desk.new()
    await talk.until("failed")
    await desk.message("refused to start", "no licence", "missing")


async def test_what_the_status_tells_of_the_agent(desk: Desk) -> None:
    agent = desk.agent(on_initialize(loadSession=True, odd=[1]))
    talk = await desk.ready()
    status = talk.status
    assert status["agent"] == "mine"
    assert (status["agent_title"], status["agent_version"]) == ("Scripted", "1.0")
    assert status["capabilities"] == {"loadSession": True, "odd": [1]}
    assert status["pid"] == agent.logged("start")[0]["pid"]
    assert (status["session_id"], status["turn"], status["cwd"]) == ("s1", 0, str(desk.folder))
    assert desk.editor.groups == [status["pid"]]
    assert talk.events() == [("AcpSessionStarted", {})]


@pytest.mark.statement(19)
async def test_a_command_that_is_not_there(desk: Desk) -> None:
    desk.configure("mine", {"command": "no-such-agent"})
    talk = desk.new()
    talk.prompt("hello")
    await talk.until("failed")
    await desk.message("no-such-agent", "command not found")
    assert talk.is_listed
    assert talk.data("AcpSessionEnded") == [{"reason": "failed"}]
    assert (talk.status["queue"], talk.status["held"]) == (1, True)


@pytest.mark.statement(18)
async def test_an_exit_before_initialize(desk: Desk) -> None:
    desk.agent(start=[stderr("no API key\n"), leave(3)])
    talk = desk.new()
    talk.prompt("hello")
    await talk.until("failed")
    await desk.message("mine exited with status 3", "no API key")
    assert talk.data("AcpSessionEnded") == [{"reason": "failed"}]
    assert talk.data("AcpTurnStarted") == []
    assert talk.status["held"]
    assert "pid" not in talk.status


async def test_an_unknown_agent_names_those_that_are_known(desk: Desk) -> None:
    desk.agent()
    talk = desk.new("nobody")
    await talk.until("failed")
    await desk.message("nobody", "mine")
    assert (await desk.ready()).state == "idle"


@pytest.mark.parametrize("said", [{"sessionId": ""}, None, {"sessionId": {"a": 1}}])
async def test_a_session_new_without_an_id(desk: Desk, said: object) -> None:
    desk.agent(on("session/new", result(said), times=1))
    talk = desk.new()
    await talk.until("failed")
    await desk.message("could not start a session")
    talk.prompt("hello")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"


async def test_a_session_that_could_not_be_opened_leaves_the_others_alone(desk: Desk) -> None:
    agent = desk.agent(on("session/new", error(-32602, "no such folder", {"cwd": "/x"}), text="other"))
    talk = await desk.ready()
    (desk.folder / "other").mkdir()
    agent_cwd = {"command": agent.argv[0], "args": agent.argv[1:], "cwd": str(desk.folder)}
    desk.configure("mine", agent_cwd)
    failed = desk.new(cwd=desk.folder / "other")
    await failed.until("failed")
    assert "no such folder" in failed.status["error"]
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"


@pytest.mark.statement(31)
@pytest.mark.parametrize(
    "refused", [error(-32000, "log in"), error(-32603, "internal", {"code": "auth_required"})]
)
async def test_an_agent_that_wants_a_login(desk: Desk, refused: list[object]) -> None:
    methods = [{"id": "key", "name": "API key"}, {"id": 7}, {"id": "web", "name": "Browser"}]
    answer = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": methods}
    desk.agent(on("initialize", result(answer)), on("session/new", refused))
    talk = desk.new()
    await talk.until("auth")
    assert all(name in talk.status["error"] for name in ("API key", "Browser"))
    assert any("API key" in line for line in talk.lines)
    assert talk.data("AcpSessionEnded") == []


# --- where it runs


async def test_sessions_of_a_folder_share_a_process(desk: Desk, other: Path) -> None:
    agent = desk.agent(on_prompt("where", touch("{session}.here")))
    one, two, elsewhere = await desk.ready(), await desk.ready(), await desk.ready(cwd=other)
    assert one.status["pid"] == two.status["pid"] != elsewhere.status["pid"]
    assert sorted(desk.editor.groups) == sorted([one.status["pid"], elsewhere.status["pid"]])
    assert [start["cwd"] for start in agent.logged("start")] == [str(desk.folder), str(other)]
    assert [message["params"]["cwd"] for message in agent.got("session/new")] == [
        str(desk.folder),
        str(desk.folder),
        str(other),
    ]
    await elsewhere.turn("where")
    assert (other / "s1.here").exists()


async def test_agents_of_a_folder_do_not_share_a_process(desk: Desk) -> None:
    desk.agent()
    desk.agent(name="second")
    one, two = await desk.ready(), await desk.ready("second")
    assert one.status["pid"] != two.status["pid"]


async def test_an_agent_with_a_folder_of_its_own(desk: Desk, other: Path) -> None:
    agent = desk.agent(spec={"cwd": str(other)})
    one = await desk.ready()
    (desk.folder / "third").mkdir()
    two = await desk.ready(cwd=desk.folder / "third")
    assert [start["cwd"] for start in agent.logged("start")] == [str(other)]
    assert one.status["pid"] == two.status["pid"]
    assert [message["params"]["cwd"] for message in agent.got("session/new")] == [
        str(desk.folder),
        str(desk.folder / "third"),
    ]


async def test_a_folder_that_is_not_there(desk: Desk) -> None:
    desk.agent()
    talk = desk.new(cwd=desk.folder / "gone")
    await talk.until("failed")
    await desk.message("no such folder", "gone")


async def test_the_environment_that_is_configured_reaches_it(desk: Desk) -> None:
    agent = desk.agent(spec={"env": {"MY_KEY": "value", "LEVEL": "3"}})
    await desk.ready()
    env = agent.logged("start")[0]["env"]
    assert (env["MY_KEY"], env["LEVEL"]) == ("value", "3")
