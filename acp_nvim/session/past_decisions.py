"""Labels the calls of a loaded session with what the user had decided about them, which agents do not tell.

An agent may give an id to several calls: only a call whose id is the only one of its kind, then and now, gets a label.
"""

from __future__ import annotations

from collections.abc import Mapping

from acp_nvim.session.question import Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript
from acp_nvim.session.why_decided import beside

PastDecisions = Mapping[str, list[Question]]  # by the agent's id of the call: its answered permissions


def of(transcript: Transcript) -> PastDecisions:
    answered = {
        id: [each for each in call.questions if each.kind == "permission" and each.answer]
        for id, call in _unique(transcript).items()
    }
    for question in (question for questions in answered.values() for question in questions):
        question.asked_at = question.ended_at = None  # on a clock that nobody reads any more
    return {id: questions for id, questions in answered.items() if questions}


def label(transcript: Transcript, decided: PastDecisions) -> None:
    """Label calls that have come back. Those that have been asked about since keep what they have."""
    for id, call in _unique(transcript).items():
        if id in decided and not call.questions and not call.is_open:
            call.questions = decided[id]
            call.verdict = beside(call.questions[-1], call)
            transcript.touch(call)


def _unique(transcript: Transcript) -> dict[str, ToolCall]:
    found: dict[str, list[ToolCall]] = {}
    for call in transcript.tool_calls():
        found.setdefault(call.id, []).append(call)
    return {id: calls[0] for id, calls in found.items() if id and len(calls) == 1}
