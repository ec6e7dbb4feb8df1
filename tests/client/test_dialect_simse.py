"""A backend as simse's reference describes it, known by nothing but the shape of what it sends."""

from pathlib import Path

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers, asked, begin, calls, cancelled, decided, params
from tests.fakes.documents import simse
from tests.fakes.script import error, eventually, on, on_initialize, on_prompt, result

DAY = 86_400_000


def _answer(id: str, decision: str) -> object:
    return {
        "permissionId": f"perm-{id}",
        "decision": decision,
        "outcome": {"outcome": "selected", "optionId": decision},
    }


@pytest.mark.statement(50, 54, 71, 81)
async def test_a_story_with_a_backend_of_any_name(desk: Desk) -> None:
    agent = begin(desk, simse())
    talk = await desk.ready()
    question = await asked(talk, "work")
    assert [option["id"] for option in question["options"]] == [
        "allow_once",
        "allow_always",
        "reject_once",
        "reject_always",
    ]
    assert question["tool_call_id"] == "t1"
    assert "tool    bash  make all" in talk.lines
    talk.answer("allow_once")
    await talk.ended(1)
    assert answers(agent) == [_answer("t1", "allow_once")]
    assert calls(talk)[-1] == ("bash", "completed")
    assert "\n".join(talk.lines).count("Let me see.") == 1
    sent = params(agent, "session/prompt")
    assert [each["prompt"] for each in sent] == [[{"type": "text", "text": "work"}], "work"]
    assert sent[1] == {"sessionId": "sim-1", "prompt": "work", "timeoutMs": DAY}
    await talk.turn("brief")
    assert len(params(agent, "session/prompt")) == 3  # it is known by now how it is prompted
    assert "All at once." in "\n".join(talk.lines)
    assert await cancelled(talk, 3) == "end_turn"  # it knows no cancel
    talk.send("close")
    await eventually(lambda: agent.logged("eof"))


@pytest.mark.parametrize("dialect", ["auto", "simse"])
async def test_its_name_or_the_setting_spares_the_first_try(desk: Desk, dialect: str) -> None:
    agent = begin(desk, simse("simse" if dialect == "auto" else "other"), dialect)
    talk = await desk.ready()
    await talk.turn("brief")
    assert params(agent, "session/prompt") == [{"sessionId": "sim-1", "prompt": "brief", "timeoutMs": DAY}]


async def test_a_limit_of_the_configuration_goes_along(desk: Desk) -> None:
    agent = desk.agent(*simse("simse"), spec={"prompt_timeout_ms": 30_000})
    talk = await desk.ready()
    await talk.turn("brief")
    assert params(agent, "session/prompt")[0]["timeoutMs"] == 30_000


@pytest.mark.parametrize(("kind", "status"), [("allow_always", "completed"), ("reject_always", "failed")])
async def test_what_counts_always_is_remembered_for_the_session(
    desk: Desk, kind: str, status: str, other: Path
) -> None:
    agent = begin(desk, simse("simse"))
    talk = await desk.ready()
    assert (await decided(talk, "work", kind, 1))["status"] == status
    await talk.turn("again")
    once = kind.replace("always", "once")
    assert answers(agent) == [_answer("t1", kind), _answer("t2", once)]
    assert calls(talk)[-1] == ("bash", status)
    next_one = await desk.ready(cwd=other)
    await asked(next_one, "work")
    assert len(next_one.questions) == 1  # beyond the session nothing is


async def test_a_rejection_and_a_cancelled_question(desk: Desk) -> None:
    agent = begin(desk, simse("simse"))
    talk = await desk.ready()
    assert (await decided(talk, "work", "reject_once", 1))["status"] == "failed"
    await asked(talk, "again")
    talk.send("cancel")
    await talk.ended(2)
    cancelled = {"permissionId": "perm-t2", "decision": "reject_once", "outcome": {"outcome": "cancelled"}}
    assert answers(agent) == [_answer("t1", "reject_once"), cancelled]


async def test_the_engine_takes_one_block_and_its_own_names_of_options(desk: Desk) -> None:
    models = {
        "currentModelId": "a",
        "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B"}],
    }
    content = [{"type": "text", "text": "Done"}]
    agent = desk.agent(
        on(
            "initialize",
            result({"protocolVersion": 1, "agentInfo": {"name": "simse-engine"}, "agentCapabilities": {}}),
        ),
        on("session/new", result({"sessionId": "s1", "models": models})),
        on_prompt("", result({"content": content, "stopReason": "end_turn"})),
    )
    talk = await desk.ready()
    talk.send("set_model", id="b")
    await talk.turn("work")
    assert "Done" in "\n".join(talk.lines)
    assert params(agent, "session/prompt")[0]["prompt"] == [{"type": "text", "text": "work"}]
    (option,) = params(agent, "session/set_config_option")
    assert (option["configOptionId"], option["groupId"], talk.status["model"]) == ("model", "b", "b")


async def test_one_of_the_name_that_wants_blocks_gets_them(desk: Desk) -> None:
    agent = desk.agent(
        on("initialize", result({"agentInfo": {"name": "simse"}})),
        on("session/prompt", error(-32602, "prompt must be an array"), text='"prompt": "'),
    )
    talk = await desk.ready()
    assert (await talk.turn("one"))["stop_reason"] == "end_turn"
    assert (await talk.turn("two"))["stop_reason"] == "end_turn"
    blocks = [[{"type": "text", "text": word}] for word in ("one", "two")]
    assert [each["prompt"] for each in params(agent, "session/prompt")] == ["one", *blocks]


async def test_what_is_invalid_in_any_form_is_said_and_a_known_agent_is_not_asked_twice(desk: Desk) -> None:
    refuses = on("session/prompt", error(-32602, "nobody is here"))
    agent = desk.agent(on("initialize", result({"agentInfo": {"name": "odd"}})), refuses)
    talk = await desk.ready()
    await talk.turn("one")
    assert "nobody is here" in "\n".join(talk.lines)
    assert len(agent.got("session/prompt")) == 2
    usual = desk.agent(on_initialize(loadSession=True), refuses, name="usual")
    await (await desk.ready("usual")).turn("one")
    assert len(usual.got("session/prompt")) == 1
