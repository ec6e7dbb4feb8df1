"""Names who asks in a session: its own agent, or a subagent, whose questions are asked in the chat of its parent."""

from __future__ import annotations

from typing import NamedTuple

from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent
from acp_nvim.text.printable import name_of


class Asker(NamedTuple):
    """`child` is the session id of a subagent; empty: the session's own agent asks."""

    session: Session
    child: str = ""
    name: str = ""
    is_known: bool = False  # its agent has announced the child

    def sign(self, question: Question) -> Question:
        """Name the subagent in its question."""
        question.asked_by, question.is_of_child = self.name, self.is_known
        return question

    def call_id(self, id: str) -> str:
        """Return the id under which the parent's transcript has a call of the child."""
        return f"{self.child}/{id}" if self.child else id


def announced(session: Session, child: Subagent) -> Asker:
    return Asker(session, child.id, child.name, is_known=True)


def unannounced(session: Session, session_id: str) -> Asker:
    """Return who asks with a session id that nobody knows, in the one session that it can belong to."""
    return Asker(session, session_id, f"session {name_of(session_id)}")
