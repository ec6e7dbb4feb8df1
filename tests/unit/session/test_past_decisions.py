"""Only a call that is certainly the same one gets the label of an earlier decision."""

import pytest

from acp_nvim.protocol import schema
from acp_nvim.session import past_decisions
from acp_nvim.session.question import Option, Question
from acp_nvim.session.transcript import Transcript

YES = Option("yes", "Yes", "allow_once")


def told(*ids: str) -> Transcript:
    transcript = Transcript()
    for id in ids:
        transcript.begin_turn()
        transcript.tool(schema.ToolCallUpdate(id, known=False, title="edit", status="completed"), 1.0)
    return transcript


def decided(*ids: str) -> Transcript:
    """In the first of the calls a part was allowed."""
    transcript = told(*ids)
    question = Question(1, "permission", "edit", (YES,), partly="1 of 2 hunks", allowed_lines=(1, 1))
    question.answer, question.ended_by = YES, "user"
    next(transcript.tool_calls()).questions.append(question)
    return transcript


@pytest.mark.parametrize(
    ("before", "now", "verdicts"),
    [
        (["a", "b"], ["a", "b"], ["1 of 2 hunks", ""]),
        (["a"], ["b"], [""]),
        (["a", "a"], ["a"], [""]),
        (["a"], ["a", "a"], ["", ""]),
        ([""], [""], [""]),
    ],
)
def test_a_label_goes_to_the_only_call_of_its_id(
    before: list[str], now: list[str], verdicts: list[str]
) -> None:
    transcript = told(*now)
    past_decisions.label(transcript, past_decisions.of(decided(*before)))
    assert [call.verdict for call in transcript.tool_calls()] == verdicts
