"""Finds the last answer of a conversation, and the question that it answers."""

from __future__ import annotations

from typing import NamedTuple

from acp_nvim.session.entries import Entry, Message
from acp_nvim.session.transcript import Transcript


class LastAnswer(NamedTuple):
    question: str
    answer: str  # empty: nothing has been answered yet

    def lines(self, agent: str) -> list[str]:
        """Return both as Markdown."""
        answer = ["", f"## {agent}", "", *self.answer.strip("\n").split("\n")] if self.answer else []
        return ["## You", "", *self.question.strip("\n").split("\n"), *answer]


def find(transcript: Transcript) -> LastAnswer | None:
    """Return the last answer in words with all of its turn's words, else the last question; None without either."""
    answered: LastAnswer | None = None
    question: list[str] = []
    answer: list[str] = []
    before: Entry | None = None
    for entry in transcript.entries:
        if not isinstance(entry, Message):
            before = entry if entry.speaker else before
            continue
        text = "".join(entry.parts)
        if entry.role == "user":
            goes_on = before is not None and before.speaker == "user" and not entry.prompt
            question, answer = [*question, text] if goes_on else [text], []
        else:
            answer.append(text)
            answered = LastAnswer("\n".join(question), "\n\n".join(part.strip("\n") for part in answer))
        before = entry
    return answered or (LastAnswer("\n".join(question), "") if question else None)
