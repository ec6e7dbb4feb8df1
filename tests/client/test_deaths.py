"""An agent that dies over each kind of request: one clear line, and a restart brings the session back."""

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    Rule,
    error,
    eventually,
    leave,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    stderr,
)

OFFERS = on_initialize(loadSession=True, sessionCapabilities={"list": {}, "resume": {}, "fork": {}})
HISTORY = on("session/load", say("from before"))
DIES = (stderr("out of memory\n"), leave(9))


async def lives(desk: Desk, *rules: Rule) -> Talk:
    """A session in which something has been said, with an agent that will not survive all that comes."""
    desk.agent(*rules, OFFERS, HISTORY)
    talk = await desk.ready()
    await talk.turn("hello")
    return talk


async def comes_back(desk: Desk, talk: Talk) -> None:
    await desk.message("mine exited with status 9", "out of memory", ":Acp restart")
    await talk.until("failed")
    agent = desk.agent(OFFERS, HISTORY)
    talk.send("restart")
    await talk.until("idle")
    assert "from before" in talk.lines
    assert agent.got("session/load")[-1]["params"]["sessionId"] == talk.status["session_id"]
    assert (await talk.turn("again"))["stop_reason"] == "end_turn"


@pytest.mark.statement(17)
@pytest.mark.parametrize(
    ("method", "verb", "payload"),
    [
        ("session/prompt", "prompt", {"seq": 2, "text": "die"}),
        ("session/list", "list", {"cwd": "/"}),
        ("session/delete", "delete", {"id": "s9"}),
        ("session/set_config_option", "set_option", {"id": "effort", "value": "high"}),
        ("session/set_mode", "set_mode", {"id": "b"}),
        ("session/set_model", "set_model", {"id": "n"}),
        ("logout", "logout", {}),
        ("authenticate", "login", {}),
    ],
)
async def test_over_a_request_of_a_session_that_lives(
    desk: Desk, method: str, verb: str, payload: object
) -> None:
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
    answer = {
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": True,
            "sessionCapabilities": {"list": {}, "delete": {}},
            "auth": {"logout": {}},
        },
        "authMethods": [{"id": "key", "name": "Key"}],
    }
    models = {
        "currentModelId": "m",
        "availableModels": [{"modelId": "m", "name": "M"}, {"modelId": "n", "name": "N"}],
    }
    choices = [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]
    option = {"id": "effort", "name": "Effort", "type": "select", "currentValue": "low", "options": choices}
    session = {"sessionId": "s1", "modes": modes, "models": models, "configOptions": [option]}
    begins = on("initialize", result(answer)), on("session/new", result(session))
    text = "die" if verb == "prompt" else ""
    talk = await lives(desk, *begins, on(method, *DIES, text=text))
    assert isinstance(payload, dict)
    of_session = {} if verb in ("list", "delete") else {"session": talk.number}
    desk.send(verb, **of_session, **payload)
    await comes_back(desk, talk)


@pytest.mark.parametrize("verb", ["load", "resume", "fork", "new"])
async def test_while_another_session_is_opened(desk: Desk, verb: str) -> None:
    talk = await lives(desk, on("session/new", times=1), on(f"session/{verb}", *DIES))
    more = {} if verb == "new" else {"id": "old"}
    opened = desk.new(verb=verb, **more)
    await opened.until("failed")
    assert opened.data("AcpSessionStarted") == []
    await desk.message("mine exited with status 9")
    answers = (on(f"session/{way}", result({"sessionId": way})) for way in ("fork", "new"))
    agent = desk.agent(OFFERS, HISTORY, *answers)
    talk.send("restart")
    await talk.until("idle")
    await opened.until("idle")
    assert "from before" in talk.lines
    wanted = "session/new" if verb == "new" else f"session/{verb}"
    assert agent.got(wanted)[-1]["params"].get("sessionId") in (None, "old")
    assert opened.status["session_id"] == {"load": "old", "resume": "old"}.get(verb, verb)


async def test_while_another_session_is_closed(desk: Desk) -> None:
    closes = on_initialize(loadSession=True, sessionCapabilities={"close": {}})
    talk = await lives(desk, closes, on("session/close", *DIES))
    closed = await desk.ready()
    closed.send("close")
    await comes_back(desk, talk)
    assert not closed.is_listed


async def test_over_initialize(desk: Desk) -> None:
    desk.agent(on("initialize", *DIES))
    talk = desk.new()
    talk.prompt("hello")
    await talk.until("failed")
    await desk.message("mine exited with status 9", "out of memory")
    desk.agent(OFFERS)
    talk.send("restart")
    await talk.until("idle")
    assert (talk.status["queue"], talk.status["held"]) == (1, True)
    talk.send("queue_release")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"


async def test_over_a_login_before_the_session_was_there(desk: Desk) -> None:
    answer = {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": [{"id": "key", "name": "Key"}]}
    needs = on("initialize", result(answer)), on("session/new", error(-32000, "log in"), times=1)
    desk.agent(*needs, on("authenticate", *DIES))
    talk = desk.new()
    await talk.until("auth")
    talk.send("login")
    await desk.message("mine exited with status 9", ":Acp restart")
    await talk.until("failed")
    agent = desk.agent(*needs)
    talk.send("restart")
    await talk.until("auth")
    talk.send("login")
    await talk.until("idle")
    assert len(agent.got("authenticate")) == 2


async def test_over_a_load_that_is_a_restart(desk: Desk) -> None:
    talk = await lives(desk)
    desk.agent(OFFERS, on("session/load", *DIES))
    talk.send("restart")
    await talk.until("failed")
    await eventually(lambda: talk.status["session_id"] == "s1")
    await comes_back(desk, talk)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("[session/load] sessionId=s-1 phase=replay durationMs=0\n", "status 9 (:Acp restart)$"),
        ("out of memory\n2026-01-01 INFO shutting down\n", ": out of memory$"),
        ("INFO the last request failed\n", ": INFO the last request failed$"),
    ],
)
async def test_the_reason_is_no_harmless_line_of_a_log(desk: Desk, lines: str, reason: str) -> None:
    talk = await lives(desk, on_prompt("die", stderr(lines), leave(9)))
    talk.prompt("die")
    said = await desk.message("exited with status 9")
    assert said.endswith(reason[:-1])
