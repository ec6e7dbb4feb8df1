"""Agentao as its appendix describes it, and where its releases differ."""

import json

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers, asked, begin, cancelled, decided, params
from tests.fakes.documents import agentao
from tests.fakes.script import eventually, on, result


@pytest.mark.statement(9, 54, 71)
async def test_a_story(desk: Desk) -> None:
    agent = begin(desk, agentao(), "agentao", ids="srv_")
    talk = await desk.ready()
    assert (await decided(talk, "work", "allow_once", 1))["status"] == "completed"
    (call,) = [entry for entry in desk.client.sessions[1].transcript.entries if hasattr(entry, "content")]
    assert [item.content.text for item in call.content] == ["compiling\nlinking\n"]
    assert (await decided(talk, "again", "reject_once", 2))["status"] == "failed"
    selected = [{"outcome": "selected", "optionId": option} for option in ("allow", "reject")]
    assert answers(agent) == [{"outcome": outcome} for outcome in selected]
    assert [message["id"] for message in agent.got() if "method" not in message] == ["srv_0", "srv_1"]
    assert await cancelled(talk, 3) == "cancelled"
    assert all("id" not in message for message in agent.got("session/cancel"))
    talk.send("close")
    await eventually(lambda: agent.logged("eof"))


async def test_what_is_allowed_always_is_the_agents_to_remember(desk: Desk) -> None:
    begin(desk, agentao(), "agentao")
    talk = await desk.ready()
    await decided(talk, "work", "allow_always", 1)
    await asked(talk, "again")
    assert len(talk.questions) == 1


async def test_its_command_gives_it_the_capabilities_that_it_requires(desk: Desk) -> None:
    begin(desk, agentao("agentao"))
    talk = desk.new()
    await talk.until("failed")  # python tells nothing of it
    program = desk.folder / "agentao"
    agent = desk.agent(*agentao("agentao"))
    program.symlink_to(agent.argv[0])
    desk.configure("mine", {"command": str(program), "args": agent.argv[1:]})
    await desk.ready()


async def test_a_question_in_words(desk: Desk) -> None:
    agent = begin(desk, agentao(), "agentao", ids="srv_")
    talk = await desk.ready()
    question = await asked(talk, "ask")
    assert (question["kind"], question["title"]) == ("ask", "Which one?")
    talk.answer("answer", content="the second")
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "answered", "text": "the second", "answer": "the second"}]
    await asked(talk, "ask")
    talk.send("cancel")
    await talk.ended(2)
    assert answers(agent)[-1] == {"outcome": "cancelled", "answer": "(user unavailable)"}


@pytest.mark.statement(92)
async def test_models_by_exactly_three_keys_and_modes_that_it_does_not_list(desk: Desk) -> None:
    agent = begin(desk, agentao(), "agentao")
    talk = await desk.ready()
    assert [mode["id"] for mode in talk.status["modes"]] == [
        "read-only",
        "workspace-write",
        "full-access",
        "plan",
    ]
    talk.send("set_mode", id="plan")
    talk.send("set_model", id="openai/gpt-5")
    await eventually(lambda: (talk.status.get("mode"), talk.status.get("model")) == ("plan", "openai/gpt-5"))
    wanted = {"sessionId": "uuid-1", "configId": "model", "value": "openai/gpt-5"}
    assert params(agent, "session/set_config_option") == [wanted]
    assert params(agent, "session/set_mode") == [{"sessionId": "uuid-1", "modeId": "plan"}]


async def test_its_own_request_for_a_model_where_no_option_is(desk: Desk) -> None:
    rules = [on("session/new", result({"sessionId": "uuid-1", "configOptions": []}))]
    rules += [on("_agentao.cn/set_model", result({"model": "gpt-5-mini"})), *agentao()]
    agent = begin(desk, rules, "agentao")
    talk = await desk.ready()
    talk.send("set_model", id=" gpt-5-mini")
    await eventually(lambda: talk.status.get("model") == "gpt-5-mini")
    assert params(agent, "_agentao.cn/set_model") == [{"sessionId": "uuid-1", "model": " gpt-5-mini"}]


@pytest.mark.statement(39)
async def test_a_replay_into_a_new_session(desk: Desk) -> None:
    """As with --resume: what was said comes before the answer to session/new."""
    replay = next(rule for rule in agentao() if rule["method"] == "session/load")["do"][:-1]
    text = json.dumps(replay).replace("{session}", "kept-1")
    rules = [
        on("session/new", *json.loads(text), result({"sessionId": "kept-1", "configOptions": []})),
        *agentao(),
    ]
    begin(desk, rules, "agentao")
    talk = await desk.ready()
    assert [line for line in talk.lines if line.startswith("Hello")] == ["Hello then", "Hello yourself"]
