"""Keeps the calls of a transcript that have open questions. Each is labelled with the decision when a question ends."""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim.session.question import Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.why_decided import beside


class AskedCalls:
    def __init__(self) -> None:
        self._by_question: dict[int, ToolCall] = {}

    def __iter__(self) -> Iterator[ToolCall]:
        return iter(list(self._by_question.values()))

    def find(self, question: Question) -> ToolCall | None:
        return self._by_question.get(question.id)

    def add(self, question: Question, call: ToolCall) -> None:
        call.questions.append(question)
        self._by_question[question.id] = call

    def end(self, question: Question, now: float) -> ToolCall | None:
        """Label the call of a question that has ended with the decision; None if the call is not here."""
        call = self._by_question.pop(question.id, None)
        question.ended_at = now
        if call:
            call.wait(now)
            call.verdict = beside(question, call)
        return call
