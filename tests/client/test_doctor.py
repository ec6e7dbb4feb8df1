"""A look at one agent: started by itself, greeted, ended; what it answered and what it did otherwise is told."""

import os
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import (
    Rule,
    ask,
    error,
    eventually,
    leave,
    notify,
    on,
    on_initialize,
    raw,
    result,
    say,
    silence,
    stderr,
)


async def examine(desk: Desk, agent: str = "mine", **more: Any) -> dict[str, Any]:
    desk.editor.reports.clear()
    desk.send("doctor", agent=agent, ticket=7, **more)
    await eventually(lambda: desk.editor.reports)
    assert desk.editor.reports.keys() == {7}
    return dict(desk.editor.reports[7])


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_what_an_agent_answers(desk: Desk) -> None:
    offered = on_initialize(
        loadSession=True, promptCapabilities={"image": True, "audio": False}, sessionCapabilities={"list": {}}
    )
    agent = desk.agent(offered)
    report = await examine(desk)
    assert report["agent"] == "mine"
    assert (report["title"], report["version"], report["protocol"]) == ("Scripted", "1.0", 1)
    assert report["capabilities"] == ["loadSession", "promptCapabilities.image", "sessionCapabilities.list"]
    assert report["ms"] > 0
    assert report["slow_end"] is False
    assert "error" not in report
    start = agent.logged("start")[0]
    assert [message["method"] for message in agent.logged("got")] == ["initialize"]
    assert start["cwd"] != str(desk.folder)
    assert not os.path.exists(start["cwd"])
    assert gone(start["pid"])


async def test_no_session_comes_of_it_and_the_sessions_go_on(desk: Desk) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    await examine(desk)
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert len(agent.logged("start")) == 2
    assert desk.editor.groups == [talk.status["pid"]]


async def test_what_it_does_otherwise_is_told(desk: Desk) -> None:
    odd = on(
        "initialize",
        raw("Welcome!\x1b[31m\n"),
        stderr("loading\x1b[2J models\n"),
        say("too early"),
        notify("vendor/hello", {}),
        ask("fs/read_text_file", {"path": "/etc/passwd"}),
        result({"protocolVersion": 1, "authMethods": [{"id": "key", "description": "A\u202ekey"}, 3]}),
    )
    desk.agent(odd)
    report = await examine(desk)
    deviations = "\n".join(report["deviations"])
    for words in (
        "no agentInfo",
        "no agentCapabilities",
        "1 of 2 authMethods",
        "not a message: Welcome!^[[31m",
        "session/update before there was a session",
        "vendor/hello before",
        "fs/read_text_file before",
    ):
        assert words in deviations
    assert report["stderr"] == ["loading models"]
    assert report["logins"] == [{"id": "key", "name": "key", "text": "key: A<202E>key"}]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (on("initialize", error(-32603, "no licence")), "no licence"),
        (on("initialize", silence()), "no answer to initialize within 0.2 s"),
        (on("initialize", stderr("cannot load\n"), leave(3)), "exited with status 3: cannot load"),
    ],
)
async def test_an_agent_that_does_not_answer(desk: Desk, rule: Rule, words: str) -> None:
    agent = desk.agent(rule)
    report = await examine(desk, seconds=0.2 if "within" in words else 20)
    assert words in report["error"]
    assert gone(agent.logged("start")[0]["pid"])


async def test_one_that_will_not_end(desk: Desk) -> None:
    agent = desk.agent(ignore=["eof", "term"])
    report = await examine(desk)
    assert report["slow_end"] is True
    assert gone(agent.logged("start")[0]["pid"])


async def test_a_program_that_is_not_there(desk: Desk) -> None:
    desk.configure("mine", {"command": "no-such-agent", "install": "brew install it"})
    report = await examine(desk)
    assert report["error"].startswith("mine is not installed: brew install it; ")
    assert "command not found" in report["error"]


async def test_an_agent_that_nobody_knows(desk: Desk) -> None:
    desk.agent()
    assert "no agent 'nobody'" in (await examine(desk, "nobody"))["error"]


async def test_it_does_not_outlive_us(desk: Desk) -> None:
    agent = desk.agent(on("initialize", silence()), ignore=["eof"])
    desk.send("doctor", agent="mine", ticket=1)
    await eventually(lambda: agent.logged("start") and desk.editor.groups)
    assert desk.editor.groups == [agent.logged("start")[0]["pid"]]


async def test_how_to_install_what_is_missing(desk: Desk) -> None:
    desk.agent(name="good")
    desk.configure("mine", {"command": "no-such-agent", "install": "brew install it"})
    talk = desk.new()
    await talk.until("failed")
    said = await desk.message("mine is not installed: brew install it", "command not found", "no-such-agent")
    assert "\n" not in said
    assert said in talk.status["error"]
    assert (await desk.ready("good")).state == "idle"
