"""The state of a conversation: turns, cancel, questions, and what the editor is told of them."""

from typing import Any

import pytest

from acp_nvim.protocol import schema
from acp_nvim.session.question import Option, Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.status import StatusChanges, status

YES, NO = Option("y", "Yes", "allow_once"), Option("n", "No", "reject_once")


@pytest.fixture
def session() -> Session:
    session = Session(1, "mine", "/w")
    session.ready("s-1")
    return session


def running(session: Session) -> Session:
    session.begin_turn(Prompt("do it"))
    return session


def asked(session: Session, call: str = "c1") -> Question:
    question = Question(1, "permission", "edit", (YES, NO), tool_call_id=call)
    session.questions.ask(question, schema.ToolCallUpdate(id=call, title="edit"), 2.0)
    return question


def events(session: Session) -> list[tuple[Any, ...]]:
    return [
        (name, *(value for key, value in data.items() if key != "session"))
        for name, data in session.events.take()
    ]


def test_a_turn_from_begin_to_end(session: Session) -> None:
    running(session)
    assert (session.state, session.turn) == ("running", 1)
    session.end_turn(2.0, "end_turn")
    assert (session.state, session.stop_reason, session.error) == ("idle", "end_turn", None)
    assert events(session) == [
        ("AcpSessionStarted",),
        ("AcpTurnStarted", 1),
        ("AcpTurnEnded", 1, "end_turn", None),
    ]


def test_a_failed_turn_leaves_idle_with_its_error_until_the_next(session: Session) -> None:
    running(session).end_turn(2.0, error="boom")
    assert (session.state, session.stop_reason, session.error) == ("idle", None, "boom")
    running(session)
    assert session.error is None


@pytest.mark.statement(59)
@pytest.mark.parametrize(
    "reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "tool_use"]
)
def test_every_stop_reason_frees_the_prompt(session: Session, reason: str) -> None:
    running(session).end_turn(2.0, reason)
    assert session.state == "idle"
    assert session.stop_reason == reason


@pytest.mark.parametrize(
    ("reason", "error", "held"), [("refusal", None, True), (None, "x", True), ("max_tokens", None, False)]
)
def test_what_holds_the_queue(session: Session, reason: str | None, error: str | None, held: bool) -> None:
    running(session)
    session.queue.add(Prompt("next"))
    session.end_turn(2.0, reason, error)
    assert status(session)["held"] is held


@pytest.mark.statement(64)
def test_cancel_ends_every_question_as_cancelled(session: Session) -> None:
    running(session)
    questions = [asked(session, "c1"), asked(session, "c2")]
    assert session.state == "asking"
    session.cancel()
    assert [(question.answer, question.ended_by) for question in questions] == [(None, "cancel")] * 2
    assert session.state == "running"  # the agent still owes its answer


def test_a_prompt_between_cancel_and_its_answer_is_not_held(session: Session) -> None:
    running(session)
    session.queue.add(Prompt("old"))
    session.cancel()
    session.queue.add(Prompt("new"))
    session.end_turn(2.0, "cancelled")
    assert [session.queue.take(), session.queue.take()] == [Prompt("new"), Prompt("old")]


@pytest.mark.statement(65)
def test_open_tool_calls_end_cancelled_with_their_turn(session: Session) -> None:
    running(session).apply(schema.ToolCallUpdate(id="c1", title="run", status="in_progress"), 1.5)
    session.end_turn(2.0, "cancelled")
    calls = [event for event in events(session) if event[0] == "AcpToolCall"]
    assert [call[3] for call in calls] == ["in_progress", "cancelled"]


def test_a_rejected_call_that_fails_after_a_cancel_stays_rejected(session: Session) -> None:
    running(session)
    session.questions.end(asked(session), NO, "user")
    session.cancel()
    session.apply(schema.ToolCallUpdate(id="c1", status="failed"), 2.0)
    call = session.transcript.calls.find("c1")
    assert call
    assert (call.verdict, call.status, call.left) == ("rejected", "failed", "")


def test_a_question_is_answered_once(session: Session) -> None:
    running(session)
    question, answers = asked(session), []
    question.on_end = answers.append
    assert session.questions.end(question, YES, "user")
    assert not session.questions.end(question, NO, "user")
    assert answers == [question]
    assert question.answer == YES


@pytest.mark.statement(76)
@pytest.mark.parametrize(
    ("status", "left"), [("pending", 1), ("in_progress", 1), ("completed", 0), ("failed", 0)]
)
def test_a_question_ends_with_its_tool_call(session: Session, status: str, left: int) -> None:
    running(session)
    asked(session)
    session.apply(schema.ToolCallUpdate(id="c1", status=status), 2.5)
    assert len(session.questions) == left


@pytest.mark.statement(77)
def test_a_later_raw_input_asks_for_another_look(session: Session) -> None:
    running(session)
    question = asked(session)
    session.questions.changed = False
    session.apply(schema.ToolCallUpdate(id="c1", raw_input={"command": "rm"}), 2.5)
    assert question.version == 2
    assert session.questions.changed


def test_the_end_of_the_agent_ends_everything_in_order(session: Session) -> None:
    running(session)
    asked(session)
    session.events.take()
    session.agent_ended("exited", "mine exited with status 3", 3.0)
    names = [event[0] for event in events(session)]
    assert names == ["AcpAnswered", "AcpToolCall", "AcpTurnEnded", "AcpSessionEnded"]
    assert session.state == "failed"
    session.agent_ended("exited", "again", 4.0)
    assert events(session) == []


def test_a_clean_end_is_stopped_and_keeps_no_error(session: Session) -> None:
    session.agent_ended("exited", None, 3.0)
    assert (session.state, session.error) == ("stopped", None)


def test_a_tool_call_is_told_only_when_a_fact_changes(session: Session) -> None:
    running(session)
    session.events.take()
    for _ in range(3):
        session.apply(schema.ToolCallUpdate(id="c1", title="run", status="in_progress"), 1.5)
    assert len(session.events.take()) == 1


@pytest.mark.statement(95)
def test_a_cost_that_is_not_repeated_stays(session: Session) -> None:
    session.apply(schema.UsageUpdate(schema.Usage(used=1, size=0, cost_amount=0.5, cost_currency="USD")), 1.0)
    session.apply(schema.UsageUpdate(schema.Usage(used=2, size=10)), 1.0)
    assert session.usage.context == {"used": 2, "size": 10, "cost": {"amount": 0.5, "currency": "USD"}}


@pytest.mark.statement(45)
def test_session_info_leaves_or_clears_the_title(session: Session) -> None:
    session.apply(schema.InfoUpdate(title="One"), 1.0)
    session.apply(schema.InfoUpdate(), 1.0)
    assert session.title == "One"
    session.apply(schema.InfoUpdate(title=None), 1.0)
    assert session.title is None


def test_only_what_changed_is_told_and_what_went_is_none(session: Session) -> None:
    changes, session.facts = StatusChanges(session), {"pid": 7}
    assert changes.take()["pid"] == 7
    assert changes.take() == {}
    session.facts = {}
    assert changes.take() == {"pid": None}
