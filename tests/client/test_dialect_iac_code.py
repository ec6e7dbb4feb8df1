"""iac-code as its reference describes it, and where its releases differ: a rejected tool is not executed."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers, asked, begin, calls, cancelled, decided, params
from tests.fakes.documents import iac_code
from tests.fakes.script import eventually, on, on_prompt, request, result, tool


@pytest.mark.statement(54, 71, 81)
@pytest.mark.parametrize("name", ["iac-code", "somebody"])
async def test_a_story(desk: Desk, name: str) -> None:
    agent = begin(desk, iac_code(name))
    talk = await desk.ready()
    assert (talk.status["mode"], talk.status["model"]) == ("default", "qwen")
    assert (await decided(talk, "work", "allow_once", 1))["status"] == "completed"
    shown = "\n".join(talk.lines)
    assert "Let me see. " in shown
    assert "thought" in shown
    assert (await decided(talk, "again", "reject_once", 2))["status"] == "failed"
    assert answers(agent) == [{"outcome": "allowed", "option_id": "allow_once"}, {"outcome": "denied"}]
    assert await cancelled(talk, 3) == "cancelled"
    ended = await talk.turn("break it")
    assert ended["stop_reason"] is None
    assert "Session not found" in "\n".join(talk.lines)
    talk.send("close")
    await eventually(lambda: params(agent, "session/close") == [{"sessionId": "iac-1"}])


async def test_a_rejection_for_always_is_remembered_here_an_allowance_there(desk: Desk) -> None:
    agent = begin(desk, iac_code())
    talk = await desk.ready()
    await decided(talk, "work", "reject_always", 1)
    await talk.turn("again")
    assert answers(agent) == [{"outcome": "denied"}, {"outcome": "denied"}]
    assert calls(talk)[-1] == ("bash", "failed")


async def test_names_of_the_document_where_the_standards_are_unknown(desk: Desk) -> None:
    agent = begin(desk, iac_code())
    talk = await desk.ready()
    talk.send("set_mode", id="plan")
    await eventually(lambda: talk.status["mode"] == "plan")
    assert params(agent, "config/set") == [{"sessionId": "iac-1", "configId": "mode", "value": "plan"}]
    desk.send("list", cwd=str(desk.folder))
    await eventually(lambda: params(agent, "sessions/list") == [{"cwd": str(desk.folder)}])


# --- its releases


def _asks(use: str, *options: tuple[str, str]) -> Any:
    offered = [{"optionId": id, "name": id, "kind": kind} for id, kind in options]
    call = {"toolCallId": f"permission/{use}", "title": "Bash(touch a)"}
    params = {"sessionId": "{session}", "toolCall": call, "options": offered}
    return request("session/request_permission", params)


RELEASE = on(
    "initialize", result({"protocolVersion": 1, "agentInfo": {"name": "iac-code"}, "agentCapabilities": {}})
)
OFFERED = (
    ("allow_rule:touch:*", "allow_always"),
    ("once", "allow_once"),
    ("deny_rule:touch:*", "reject_always"),
)


@pytest.mark.parametrize(
    ("option", "result"),
    [
        ("once", {"outcome": {"outcome": "selected", "optionId": "once"}}),
        (
            "deny_rule:touch:*",
            {"outcome": {"outcome": "cancelled"}, "_meta": {"option_id": "deny_rule:touch:*"}},
        ),
    ],
)
async def test_a_release_reads_a_rejection_only_in_meta(desk: Desk, option: str, result: object) -> None:
    agent = desk.agent(RELEASE, on_prompt("work", tool("turn/u1", title="bash"), _asks("u1", *OFFERED)))
    talk = await desk.ready()
    question = await asked(talk, "work")
    assert question["tool_call_id"] == "turn/u1"  # as it was announced
    talk.answer(option)
    await talk.ended(1)
    assert answers(agent) == [result]


async def test_a_rejected_call_that_was_done_is_told_though_its_id_is_another(desk: Desk) -> None:
    done = tool("turn/u1", known=True, status="completed")
    desk.agent(RELEASE, on_prompt("work", tool("turn/u1", title="bash"), _asks("u1", *OFFERED), done))
    talk = await desk.ready()
    await asked(talk, "work")
    talk.answer("deny_rule:touch:*")
    await desk.message("was rejected", "reports it as done")
