"""Authentication: what the user is told, the ways in and out, and what waited meanwhile."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    Rule,
    Step,
    error,
    eventually,
    on,
    on_prompt,
    result,
    say,
    touch,
    wait,
    wait_file,
)

KEY = {"id": "key", "name": "API key", "description": "from the\u202e console"}
WEB = {"id": "web", "name": "Browser"}
REFUSED = error(-32000, "log in")


def knows(*methods: Any, **capabilities: Any) -> Rule:
    info = {"name": "scripted", "title": "Scripted"}
    answer = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities}
    answer["authMethods"] = list(methods)
    return on("initialize", result(answer))


async def locked(desk: Desk, *rules: Rule, spec: Any = None, methods: Any = (KEY,)) -> tuple[Any, Talk]:
    agent = desk.agent(knows(*methods), *rules, on("session/new", REFUSED, times=1), spec=spec)
    talk = desk.new()
    await talk.until("auth")
    return agent, talk


@pytest.mark.statement(24, 34)
async def test_that_terminal_logins_work_is_told(desk: Desk) -> None:
    agent = desk.agent()
    await desk.ready()
    told = agent.got("initialize")[0]["params"]["clientCapabilities"]
    assert told["auth"] == {"terminal": True}
    assert told["_meta"]["terminal-auth"] is True


@pytest.mark.statement(31, 34)
async def test_the_chat_names_the_ways_to_log_in(desk: Desk) -> None:
    _, talk = await locked(
        desk, methods=(KEY, {"id": 3}, {"id": "tui", "name": "Console", "type": "terminal"})
    )
    assert "API key" in talk.status["error"]
    text = "\n".join(talk.lines)
    assert "key: API key: from the<202E> console" in text
    assert "tui: Console (in a terminal)" in text
    assert ":Acp login" in text
    assert [each["id"] for each in talk.status["logins"]] == ["key", "tui"]


@pytest.mark.statement(32)
async def test_a_login_opens_the_session_once_more_and_sends_what_waited(desk: Desk) -> None:
    agent, talk = await locked(desk, on_prompt("", say("Hi")))
    talk.prompt("hello")
    await desk.message("needs a login", "the prompt waits")
    assert (talk.status["queue"], talk.status["held"]) == (1, False)
    talk.send("login")
    await talk.ended(1)
    assert talk.says == "Hi"
    assert "error" not in talk.status
    assert [message["params"] for message in agent.got("authenticate")] == [{"methodId": "key"}]
    methods = [message["method"] for message in agent.got()]
    assert methods == ["initialize", "session/new", "authenticate", "session/new", "session/prompt"]


@pytest.mark.statement(32)
async def test_what_was_sent_before_the_refusal_is_not_lost(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(
        knows(KEY),
        on("session/new", wait_file(str(gate)), error(-32000, "log in"), times=1),
        on_prompt("", say("Hi")),
    )
    talk = desk.new()
    talk.prompt("early")
    gate.touch()
    await talk.until("auth")
    assert agent.got("session/prompt") == []
    talk.send("login", method="key")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"


@pytest.mark.statement(32)
async def test_after_a_second_refusal_the_user_decides(desk: Desk) -> None:
    agent = desk.agent(knows(KEY), on("session/new", REFUSED))
    talk = desk.new()
    await talk.until("auth")
    talk.send("login")
    await eventually(lambda: sum("needs a login" in line for line in talk.lines) == 2)
    assert talk.state == "auth"
    assert [len(agent.got(name)) for name in ("session/new", "authenticate")] == [2, 1]


async def test_a_login_that_fails_is_said_and_can_be_tried_again(desk: Desk) -> None:
    agent, talk = await locked(desk, on("authenticate", error(-32603, "wrong key"), times=1))
    talk.send("login")
    await desk.message("the login failed", "wrong key")
    assert talk.state == "auth"
    assert any("wrong key" in line for line in talk.lines)
    assert len(agent.got("session/new")) == 1
    talk.send("login")
    await talk.until("idle")


async def test_one_login_at_a_time_and_as_long_as_it_takes(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent, talk = await locked(desk, on("authenticate", wait_file(str(gate))), spec={"timeout_ms": 100})
    talk.send("login")
    talk.send("login")
    await desk.message("is already logging in")
    gate.touch()
    await talk.until("idle")
    assert len(agent.got("authenticate")) == 1
    assert [text for text in desk.messages("warn") if "authenticate" in text] == []


async def test_several_ways_are_the_users_to_choose(desk: Desk) -> None:
    agent, talk = await locked(desk, methods=(KEY, WEB))
    talk.send("login")
    await eventually(lambda: desk.editor.logins)
    ((session, methods),) = desk.editor.logins
    assert (session, [method["id"] for method in methods]) == (talk.number, ["key", "web"])
    talk.send("login", method="nothing")
    await desk.message("no login 'nothing'", "Choose key or web")
    assert agent.got("authenticate") == []
    talk.send("login", method="web")
    await talk.until("idle")
    assert agent.got("authenticate")[0]["params"] == {"methodId": "web"}


async def test_the_configuration_chooses_the_way(desk: Desk) -> None:
    agent, talk = await locked(desk, methods=(KEY, WEB), spec={"auth_method": "web"})
    talk.send("login")
    await talk.until("idle")
    assert agent.got("authenticate")[0]["params"] == {"methodId": "web"}


async def test_an_agent_without_ways_says_what_to_do(desk: Desk) -> None:
    agent, talk = await locked(desk, methods=())
    assert ":Acp restart" in talk.status["error"]
    talk.send("login")
    await desk.message("offers no login here")
    assert agent.got("authenticate") == []


async def test_variables_are_named(desk: Desk) -> None:
    method = {"id": "env", "name": "Key", "type": "env_var", "vars": [{"name": "A_KEY"}, {}, {"name": "B"}]}
    agent, talk = await locked(desk, methods=(method,))
    talk.send("login")
    await desk.message("A_KEY, B", "agents.mine.env", ":Acp restart")
    assert agent.got("authenticate") == []


async def test_all_sessions_of_the_process_go_on(desk: Desk) -> None:
    agent = desk.agent(knows(KEY), on("session/new", REFUSED, times=2))
    one, two = desk.new(), desk.new()
    await one.until("auth")
    await two.until("auth")
    one.send("login")
    await one.until("idle")
    await two.until("idle")
    assert one.status["session_id"] != two.status["session_id"]
    assert len(agent.got("session/new")) == 4


# --- in a terminal


@pytest.mark.statement(33)
@pytest.mark.parametrize(
    ("method", "argv", "env"),
    [
        ({"type": "terminal", "args": ["--login"], "env": {"A": "1"}}, None, {"A": "1", "MINE": "x"}),
        (
            {
                "_meta": {
                    "terminal-auth": {"label": "Sign\nin", "command": "prog", "args": ["a"], "env": {"A": 2}}
                }
            },
            ["prog", "a"],
            {"A": "2", "MINE": "x"},
        ),
        ({"_meta": {"terminal-auth": {"command": "prog"}}}, ["prog"], {"MINE": "x"}),
    ],
)
async def test_a_terminal_way_is_run_and_the_agent_started_anew(
    desk: Desk, method: Any, argv: Any, env: Any
) -> None:
    named = {"id": "tui", "name": "Console", **method}
    agent, talk = await locked(desk, methods=(named,), spec={"env": {"MINE": "x"}})
    talk.prompt("hello")
    talk.send("login")
    await eventually(lambda: desk.editor.logins)
    ((session, what),) = desk.editor.logins
    assert (session, what["env"], what["cwd"]) == (talk.number, env, str(desk.folder))
    assert what["argv"] == (argv or [*agent.argv, "--login"])
    assert "\n" not in what["label"]
    desk.agent(knows(named), on_prompt("", say("Hi")), spec={"env": {"MINE": "x"}})
    talk.send("login_done")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"
    assert len(agent.logged("start")) == 2
    assert agent.got("authenticate") == []


# --- in a turn, and out


@pytest.mark.statement(31)
@pytest.mark.parametrize("refused", [REFUSED, error(-32603, "internal", {"code": "auth_required"})])
async def test_a_prompt_that_needs_a_login(desk: Desk, refused: Step) -> None:
    agent = desk.agent(knows(KEY), on_prompt("early", refused, times=1), on_prompt("", say("Hi")))
    talk = await desk.ready()
    ended = await talk.turn("early")
    assert ended["error"]
    assert talk.state == "auth"
    assert any("key: API key" in line for line in talk.lines)
    talk.prompt("later")
    await desk.message("the prompt waits")
    talk.send("login")
    assert (await talk.ended(2))["stop_reason"] == "end_turn"
    assert len(agent.got("session/new")) == 1


@pytest.mark.statement(35)
async def test_logout_is_not_sent_to_an_agent_without_it(desk: Desk) -> None:
    agent = desk.agent(knows(KEY, auth={"logout": None}))
    talk = await desk.ready()
    talk.send("logout")
    await desk.message("cannot log out")
    await talk.turn("hello")
    assert agent.got("logout") == []


@pytest.mark.statement(35)
async def test_after_a_logout_every_session_wants_a_login(desk: Desk) -> None:
    agent = desk.agent(
        knows(KEY, auth={"logout": {}}),
        on_prompt("work", say("on it"), wait("session/cancel"), touch("ended")),
    )
    one, two = await desk.ready(), await desk.ready()
    two.prompt("work")
    await eventually(lambda: two.says == "on it")
    one.send("logout")
    await one.until("auth")
    await two.until("auth")
    assert len(agent.got("logout")) == 1
    two.send("login")
    await one.until("idle")
    await two.until("idle")


@pytest.mark.parametrize("verb", ["login", "logout"])
async def test_an_agent_that_is_starting_is_not_said_to_be_gone(desk: Desk, verb: str) -> None:
    go = desk.folder / "go"
    desk.agent(on("initialize", wait_file(str(go))))
    talk = desk.new()
    await talk.until("starting")
    talk.send(verb)
    await desk.message("mine is still starting")
    go.touch()
    await talk.until("idle")
