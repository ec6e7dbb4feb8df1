"""Asks the user about a conflict: an agent's write has changed lines that the user has changed, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from acp_nvim.editor.interface import Editor
from acp_nvim.files.file_snapshot import Typed
from acp_nvim.permissions import ask_user
from acp_nvim.protocol import schema
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.text.printable import visible
from acp_nvim.text.text_file import Text

_OPTIONS = (
    Option("agent", "The agent's lines", "allow_once"),
    Option("mine", "Keep mine", "reject_once"),
    Option("merge", "Merge them myself", "allow_once"),
)
_COARSE = "too many changes to be merged line by line"


class Merge(NamedTuple):
    text: str
    typed: Typed | None = None  # the user's part of it


class Begun(NamedTuple):
    """A merge that the user had begun when the agent's side changed."""

    right: str
    text: str


@dataclass(slots=True, eq=False)
class Conflict:
    """An open conflict. `mine` and `agents` differ only where they overlap. Both have plain line ends."""

    path: str
    mine: str
    agents: str
    merged: Merge | None = None  # the user's, for which the option `merge` then stands
    question: Question | None = None
    begun: Begun | None = None  # a merge of an earlier state, to go on with

    def take(self, text: str, mine: str | None) -> None:
        """Note the user's merge; `mine` is what of it is not the agent's."""
        self.merged = Merge(text, Typed.of(self.mine, mine))


def note_on(why: str, coarse: bool) -> str:
    """Return the question's second line. `coarse`: too much has changed to tell whether the same lines are meant."""
    return "; ".join(part for part in (why, _COARSE if coarse else "") if part)


class Conflicts:
    def __init__(self, editor: Editor, touch: Callable[[Session], object]) -> None:
        self.editor = editor
        self.open: dict[int, Conflict] = {}  # by the id of their question
        self.touch = touch

    async def decide(self, session: Session, path: str, mine: Text, agents: Text, note: str) -> Merge:
        """Return what to write. Raise an RpcError if the user keeps their own version or nobody decides."""
        merge, by = await self.ask(session, Conflict(path, plain(mine), plain(agents)), note)
        if merge is not None:
            return merge
        why = (
            "the user keeps their own version"
            if by == "user"
            else "the user's edits overlap, and the user has not decided"
        )
        raise RpcError(INTERNAL_ERROR, f"{path} was not written: {why}")

    async def ask(
        self, session: Session, conflict: Conflict, note: str, stays: bool = False
    ) -> tuple[Merge | None, str]:
        """Return what to write, None for the user's own text; and who ended the question. `stays`: neither the end of a
        turn nor a cancel closes it."""
        while True:
            chosen, by = await self._ask(session, conflict, note, stays)
            if chosen is None or chosen.kind.startswith("reject"):
                return None, by
            if chosen.id == "agent":
                return Merge(conflict.agents), by
            if conflict.merged is not None:
                return conflict.merged, by
            note = "nothing was merged yet"

    async def _ask(
        self, session: Session, conflict: Conflict, note: str, stays: bool
    ) -> tuple[Option | None, str]:
        question = Question(
            session=session.number,
            kind="conflict",
            title=f"conflict in {visible(os.path.basename(conflict.path))}",
            options=_OPTIONS,
            path=conflict.path,
            has_diff=True,
            detail=(visible(conflict.path),),
            note=note,
            stays=stays,
        )
        question.tool_call_id = f"conflict-{os.urandom(16).hex()}"  # which no agent can name
        conflict.question = question
        self.open[question.id] = conflict
        try:
            chosen = await ask_user.answer(session, question, self.touch, shown(question, conflict))
            return chosen, question.ended_by or ""
        finally:
            del self.open[question.id]


def plain(text: Text) -> str:
    """Return the text with plain line ends, for people to read."""
    return replace(text, end="\n").whole


def shown(question: Question, conflict: Conflict) -> schema.ToolCallUpdate:
    """Return the chat's entry of the question, with both versions as a diff."""
    diff = schema.Diff(path=conflict.path, old_text=conflict.mine, new_text=conflict.agents)
    return schema.ToolCallUpdate(
        id=question.tool_call_id or "", title=question.title, kind="ask", content=(diff,)
    )
