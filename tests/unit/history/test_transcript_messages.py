"""A transcript told again: each thing once, and again only what has changed."""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.history.replay import play
from acp_nvim.history.transcript_messages import TranscriptMessages
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.session.question import Option, Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

YES = Option("yes", "Yes", "allow_once")


def talk() -> tuple[Session, TranscriptMessages]:
    session = Session(1, "mine", "/work")
    session.ready("s1")
    session.begin_turn(Prompt("go"))
    return session, TranscriptMessages(session, lambda _: "")


def told(lines: list[dict[str, Any]]) -> list[Any]:
    """The tags of updates, and of other messages their methods or what they answer."""
    messages = [line["msg"] for line in lines]
    return [
        message["params"]["update"]["sessionUpdate"]
        if message.get("method") == "session/update"
        else message.get("method", "answer")
        for message in messages
    ]


def test_nothing_is_told_twice() -> None:
    session, retelling = talk()
    assert told(retelling.lines(1.0))[-1] == "session/prompt"
    assert retelling.lines(2.0) == []
    session.transcript.chunk(schema.Chunk("agent", "one "), 2.0)
    assert told(retelling.lines(3.0)) == ["agent_message_chunk"]
    session.transcript.chunk(schema.Chunk("agent", "two"), 3.0)
    (grown,) = retelling.lines(4.0)
    assert grown["msg"]["params"]["update"]["content"]["text"] == "two"
    session.end_turn(5.0, "end_turn")
    assert told(retelling.lines(6.0)) == ["answer"]
    assert retelling.lines(7.0) == []


def test_calls_of_a_subagent_are_told_once_with_their_parent() -> None:
    session, retelling = talk()
    session.apply(schema.ToolCallUpdate("t", title="explore", status="in_progress"), 1.0)
    session.apply(schema.ToolCallUpdate("n", title="look", status="completed", parent="t"), 1.0)
    lines = retelling.lines(2.0)
    assert told(lines)[-3:] == ["tool_call", "tool_call", "tool_call_update"]
    nested = lines[-2]["msg"]["params"]["update"]
    assert nested["_meta"] == {"acp_nvim": {"parentToolUseId": "t"}}
    assert retelling.lines(3.0) == []
    assert decode.update({"sessionId": "s", "update": nested}, STANDARD)[1][0].parent == "t"  # type: ignore[union-attr]


def test_what_changed_in_place_is_told_again() -> None:
    session, retelling = talk()
    session.apply(schema.ToolCallUpdate("t", title="read", status="pending"), 1.0)
    step = schema.PlanEntry(content="a")
    session.apply(schema.PlanUpdate((step,)), 1.0)
    retelling.lines(1.0)
    session.apply(schema.ToolCallUpdate("t", status="completed"), 2.0)
    assert told(retelling.lines(2.0)) == ["tool_call_update", "tool_call_update"]
    session.apply(schema.PlanUpdate((step, step)), 3.0)
    assert told(retelling.lines(3.0)) == ["plan"]
    assert retelling.lines(4.0) == []


def test_in_passing_only_beginnings_and_ends_of_calls_are_told() -> None:
    session, retelling = talk()
    session.apply(schema.ToolCallUpdate("t", title="build", status="pending"), 1.0)
    assert told(retelling.lines(1.0, in_passing=True))[-1] == "tool_call"
    for output in ("a", "ab", "abc"):
        session.apply(schema.ToolCallUpdate("t", raw_output=output), 2.0)
        assert retelling.lines(2.0, in_passing=True) == []
    session.apply(schema.ToolCallUpdate("t", status="completed"), 3.0)
    assert told(retelling.lines(3.0, in_passing=True)) == ["tool_call_update", "tool_call_update"]
    assert retelling.lines(4.0, in_passing=True) == []


def test_a_thought_told_in_passing_keeps_its_time() -> None:
    session, retelling = talk()
    session.transcript.chunk(schema.Chunk("thought", "hm"), 0.0)
    retelling.lines(0.5, in_passing=True)
    session.transcript.chunk(schema.Chunk("thought", " m"), 9.0)
    session.transcript.chunk(schema.Chunk("agent", "well"), 10.0)
    _, said = retelling.lines(10.5, in_passing=True)
    assert said["t"] == 10.0 - 0.5  # since the first line


def test_what_a_tool_was_given_is_bounded() -> None:
    session, retelling = talk()
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    raw = {"text": "y" * 10**6, "deep": deep, "many": list(range(10**5))}
    session.apply(schema.ToolCallUpdate("t", raw_input=raw), 1.0)
    (line,) = [line for line in retelling.lines(1.0) if "rawInput" in str(line)]
    assert len(str(line)) < 200_000


def test_the_time_in_which_the_user_was_asked_is_told(tmp_path: Path) -> None:
    session, retelling = talk()
    session.clock = lambda: 22.0
    lines = list(retelling.lines(0.0))
    session.apply(schema.ToolCallUpdate("t", title="edit", kind="edit", status="pending"), 1.0)
    question = Question(1, "permission", "edit", (YES,), tool_call_id="t")
    session.questions.ask(question, schema.ToolCallUpdate("t"), 2.0)
    lines += retelling.lines(3.0)
    assert session.questions.end(question, YES, "user")
    session.apply(schema.ToolCallUpdate("t", status="completed"), 24.0)
    session.end_turn(25.0, "end_turn")
    lines += retelling.lines(25.0)
    file = tmp_path / "transcript.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = Session(2, "mine", "/work")
    play(again, str(file))
    took = [
        [entry.took for entry in each.transcript.entries if isinstance(entry, ToolCall)]
        for each in (session, again)
    ]
    assert took == [[3.0], [3.0]]


@pytest.mark.parametrize(("code", "signal", "end"), [(2, None, "exit 2"), (None, "SIGKILL", "SIGKILL")])
def test_the_end_of_a_terminal_is_told(
    tmp_path: Path, code: int | None, signal: str | None, end: str
) -> None:
    session, retelling = talk()
    exit = {"terminal_exit": {"terminal_id": "x", "exit_code": code, "signal": signal}}
    call = schema.ToolCallUpdate("t", title="make", kind="execute", status="failed", meta=exit)
    session.apply(call, 1.0)
    file = tmp_path / "transcript.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in retelling.lines(2.0)))
    again = Session(2, "mine", "/work")
    play(again, str(file))
    assert [each.bad_end for each in again.transcript.entries if isinstance(each, ToolCall)] == [end]
