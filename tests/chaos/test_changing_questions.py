"""An agent that changes what it has asked while somebody answers, and faults behind an answer: nothing is allowed that
was not seen, and whatever one question or session ends in, the others go on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.permissions import apply_rules
from tests.chaos.puppet import Json
from tests.chaos.stage import Stage, stage
from tests.client.conftest import desk
from tests.fakes.script import eventually

__all__ = ["desk", "stage"]
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
CALL = {"toolCallId": "t", "title": "run", "kind": "execute", "rawInput": {"command": "git status"}}
OTHER = {"rawInput": {"command": "rm -rf /"}}


def chosen(answer: Json) -> object:
    return answer["result"]["outcome"].get("optionId", "cancelled")


async def test_a_yes_to_what_a_question_was_is_not_sent(stage: Stage):
    asked = stage.permission(CALL, OPTIONS)
    [seen] = await stage.talk.asked()
    stage.update("tool_call_update", toolCallId="t", **OTHER)
    assert stage.talk.questions == [seen]  # no frame has told of it yet
    stage.talk.answer("y")
    await eventually(
        lambda: any("not sent: the question has changed" in text for text in stage.desk.messages())
    )
    assert stage.agent.asked[asked] == []
    await eventually(lambda: stage.talk.questions[0]["version"] > seen["version"])
    assert [data["id"] for data in stage.talk.data("AcpQuestion")] == [seen["id"]] * 2
    stage.talk.answer("y")
    [answer] = await stage.answered(asked)
    assert chosen(answer) == "y"


async def test_a_no_to_what_a_question_was_holds(stage: Stage):
    asked = stage.permission(CALL, OPTIONS)
    await stage.talk.asked()
    stage.update("tool_call_update", toolCallId="t", **OTHER)
    stage.talk.answer("n")
    [answer] = await stage.answered(asked)
    assert chosen(answer) == "n"


@pytest.mark.parametrize(
    "change", [{"kind": "delete"}, {"_meta": {"claudeCode": {"toolName": "Bash"}}}, OTHER]
)
async def test_what_rules_look_at_makes_it_another_question(stage: Stage, change: Json):
    stage.permission({**CALL, "kind": "read"}, OPTIONS)
    [seen] = await stage.talk.asked()
    stage.update("tool_call_update", toolCallId="t", **change)
    await eventually(lambda: stage.talk.questions[0]["version"] > seen["version"])


async def test_a_rule_holds_for_what_a_call_becomes(stage: Stage):
    stage.desk.setup(permissions=[{"action": "reject", "kind": "delete"}])
    asked = stage.permission({**CALL, "kind": "read"}, OPTIONS)
    await stage.talk.asked()
    stage.update("tool_call_update", toolCallId="t", kind="delete")
    [answer] = await stage.answered(asked)
    assert chosen(answer) == "n"


async def test_what_the_user_is_asked_by_us_no_agent_changes_or_ends(stage: Stage):
    """A conflict has an entry in the chat like a tool call's; its id cannot be guessed."""
    ids = []
    for name in ("one", "two"):
        path = stage.desk.folder / name
        path.write_text("a\n")
        await stage.answered(stage.ask("fs/read_text_file", path=str(path)))
        path.write_text("mine\n")
        stage.ask("fs/write_text_file", path=str(path), content="theirs\n")
        question = (await eventually(lambda: stage.talk.questions))[-1]
        ids.append(question["tool_call_id"])
        for guess in (f"conflict-{question['id']}", f"conflict-{question['id'] + 1}", ids[0][:-1]):
            stage.update("tool_call_update", toolCallId=guess, title="harmless", status="completed")
        await stage.goes_on()
        assert stage.talk.questions == [question]
        stage.talk.answer("mine", question["id"])
        await eventually(lambda: stage.talk.questions == [])
    assert len(set(ids)) == 2
    assert all(len(each) > 30 for each in ids)


# --- faults


def chain(folder: Path) -> str:
    """More links than Python follows, and the system."""
    for number in range(1500):
        os.symlink(f"l{number + 1}", folder / f"l{number}")
    return str(folder / "l0")


async def test_a_chain_of_links_is_a_path_like_any_other(stage: Stage, tmp_path: Path):
    asked = stage.permission({**CALL, "rawInput": {"path": chain(tmp_path)}}, OPTIONS)
    read = stage.ask("fs/read_text_file", path=str(tmp_path / "l0"))
    [question] = await stage.talk.asked()
    [refused] = await stage.answered(read)
    assert "symbolic links" in refused["error"]["message"]
    stage.talk.answer("y", question["id"])
    [answer] = await stage.answered(asked)
    assert chosen(answer) == "y"
    await stage.goes_on()


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a fault of ours")


async def test_a_fault_behind_an_answer_keeps_no_turn_from_its_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    asked = stage.permission(CALL, OPTIONS), stage.permission({**CALL, "toolCallId": "u"}, OPTIONS)
    await eventually(lambda: len(stage.talk.questions) == 2)
    monkeypatch.setattr(apply_rules, "scope", broken)
    (prompt,) = stage.agent.open
    stage.agent.answer(prompt, {"stopReason": "end_turn"})
    await stage.talk.until("idle")
    assert [chosen(answer) for answer in await stage.answered(*asked)] == ["cancelled"] * 2
    assert stage.talk.questions == []
    assert len(stage.talk.data("AcpTurnEnded")) == 1
    stage.desk.expects_faults = True


async def test_a_fault_behind_a_question_leaves_none_that_nobody_waits_for(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stage.desk.client.services, "tool_call_changed", broken)
    asked = stage.permission(CALL, OPTIONS)
    [answer] = await stage.answered(asked)
    assert "a fault of ours" in answer["error"]["message"]
    [session] = stage.desk.client.sessions.values()
    assert list(session.questions) == []
    await stage.talk.until("running")
    stage.desk.expects_faults = True


async def test_a_fault_in_what_one_session_leaves_keeps_no_other_from_its_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    other = await stage.open("s2")
    await other.until("idle")
    monkeypatch.setattr(stage.desk.client.services, "end", broken)
    stage.agent.die(1)
    await eventually(lambda: (stage.talk.state, other.state) == ("failed", "failed"))
    assert stage.talk.data("AcpTurnEnded")
    assert other.data("AcpSessionEnded")
    stage.desk.expects_faults = True
