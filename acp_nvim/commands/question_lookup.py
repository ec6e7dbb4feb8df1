"""Finds the open question that a command is about."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Refused
from acp_nvim.commands.interface import Application
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session


def find(app: Application, number: int) -> tuple[Session, Question] | None:
    """Return the question and its session; None if it is not open any more."""
    for session in app.sessions.values():
        if question := session.questions.get(number):
            return session, question
    return None


def get(app: Application, number: int) -> tuple[Session, Question]:
    """Return the question and its session; raise an error for the user if the question is not open any more."""
    found = find(app, number)
    if found is None:
        raise Refused(f"not sent: question {number} is no longer open")
    return found
