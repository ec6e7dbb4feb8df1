"""Models a question to the user, from the moment it is asked until its one answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, NamedTuple

from acp_nvim import limits
from acp_nvim.session.form import Form
from acp_nvim.session.form_outline import OutlineLine
from acp_nvim.session.pending_reports import PendingReport
from acp_nvim.text.bounded import short
from acp_nvim.text.comment_text import Comment
from acp_nvim.text.printable import visible

log = logging.getLogger(__name__)
_numbers = count(1)  # question ids are unique over all sessions


def number_from(first: int) -> None:
    """Number questions from here on: the editor still knows those of an earlier backend."""
    global _numbers
    _numbers = count(max(first, next(_numbers)))


Kind = Literal[
    "permission",  # whether a tool call may go on
    "elicitation",  # a form, or a page to visit
    "ask",  # a question in words, by an extension that agents had before forms
    "conflict",  # ours: whose lines a file shall have
    "restore",  # ours: whether files shall be as they were when a turn began
    "outside",  # ours: whether a path beside the session's folders may be read or written
]


class Option(NamedTuple):
    id: str
    name: str
    kind: str
    covers: tuple[str, ...] = ()  # what it would allow from then on, where the agent says so
    description: str = ""  # of a choice

    def shape(self) -> dict[str, Any]:
        covers = {"covers": list(self.covers)} if self.covers else {}
        described = {"description": self.description} if self.description else {}
        return {"id": self.id, "name": self.name, "kind": self.kind, **covers, **described}


@dataclass(slots=True, eq=False)
class Question:
    """A question. Only `end` ends it, and only once."""

    session: int
    kind: Kind
    title: str
    options: tuple[Option, ...] = ()
    tool_call_id: str | None = None
    fields: list[dict[str, Any]] = field(default_factory=list)
    path: str | None = None
    has_diff: bool = False
    is_plan: bool = False  # its diff is a plan, which the user reads and may edit
    files: tuple[str, ...] = ()  # paths of its diff, where there are several
    is_more_than_diff: bool = False  # the diff does not show all of it
    detail: tuple[str, ...] = ()  # everything that it is about, never cut
    own_title: str = ""  # of the permission, where its call is called otherwise
    is_guess: bool = False  # the agent has not said that it is about this call
    note: str = ""  # lines of warning
    has_cut_options: bool = False  # a name of theirs is too long to be shown whole
    is_agents: bool = True  # the agent asks; else a tool of the editor's does
    stays: bool = False  # our own question: the end of a turn leaves it open
    asked_by: str = ""  # the name of the subagent that asks; empty: the session's own agent asks
    is_of_child: bool = False  # the subagent was announced, and may work on after the turn of its parent
    id: int = field(default_factory=lambda: next(_numbers))
    version: int = 1  # grows when what the user must see before answering has changed
    key: int | None = None  # of its entry in the transcript
    judged: int = 0  # the version that rules were last applied to
    rule: str = ""  # the one that has matched: "rule 2"
    because: str = ""  # that rule, written out
    has_made_rule: bool = False  # the user has allowed it by a new rule of the session
    remembered: int = 0  # what `:Acp forget` lists that has answered it, or that the answer has made
    # "edited" or "refused" by path: what the user has made of files in the diff so far
    edited: Mapping[str, str] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)  # the user's on its proposal, so far
    is_decided_in_diff: bool = False
    reports: list[PendingReport] = field(default_factory=list)  # what the agent is to be told of the decision
    partly: str = ""  # the part of a proposal that the user has allowed: "2 of 3 hunks"
    allowed_lines: tuple[int, int] | None = None  # that this part adds and removes
    asked_at: float | None = None  # on the clock of its session
    ended_at: float | None = None
    answer: Option | None = None
    ended_by: str | None = None
    form: Form | None = None  # the fields of an answer; None: the option is all of it
    outline: tuple[OutlineLine, ...] = ()  # what the chat shows of these fields, below the detail
    quick: dict[str, Any] = field(default_factory=dict)  # the contents of options that are answers
    content: dict[str, Any] = field(default_factory=dict)  # the accepted answer
    on_end: Callable[[Question], None] | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_by is None

    @property
    def is_cut(self) -> bool:
        """Whether the chat cannot show all of it: then nobody has seen what would be allowed."""
        if self.has_cut_options or len(self.detail) >= limits.SHOWN_LINES:  # there may be millions
            return True
        parts = (*(self.detail or (self.title,)), self.note, *map(str, self.outline))
        lines = sum(part.count("\n") + 1 for part in parts)
        return lines > limits.SHOWN_LINES or sum(map(len, parts)) + lines > limits.SHOWN_CHARS

    @property
    def said(self) -> str:
        """Return an answer in words as one line."""
        return self.form.told(self.content) if self.form and self.answer else ""

    @property
    def outlives_turn(self) -> bool:
        """Whether it stays open when the turn ends by itself."""
        return self.stays or self.is_of_child or not self.is_agents

    @property
    def of_its_call(self) -> bool:
        """Whether it shows what its tool call shows; else it has a text of its own."""
        return self.kind not in ("elicitation", "ask")

    @property
    def is_form(self) -> bool:
        """Whether it asks for words, and not for a visit to a page."""
        return self.kind == "elicitation" and self.form is not None

    def option(self, option_id: str) -> Option | None:
        return next((option for option in self.options if option.id == option_id), None)

    def end(self, option: Option | None, by: str) -> bool:
        """Take the answer; return False if there was one already."""
        if not self.is_open:
            return False
        self.answer, self.ended_by = option, by
        if self.on_end:
            self._call_listener(self.on_end)
        return True

    def _call_listener(self, on_end: Callable[[Question], None]) -> None:
        """Tell the listener. Its fault is only logged: other questions may have to be ended behind this one."""
        try:
            on_end(self)
        except Exception:
            log.exception("question %d has ended, but not all of what follows has been done", self.id)

    def shape(self) -> dict[str, Any]:
        """Return it as `acp.questions()` shows it, with what the chat needs to guard an answer."""
        return {
            "id": self.id,
            "session": self.session,
            "kind": self.kind,
            "title": short(self.title, limits.QUESTION_TITLE_CHARS),
            "fields": self.fields,
            "tool_call_id": self.tool_call_id,
            "options": [option.shape() for option in self.options],
            "path": None if self.path is None else short(visible(self.path)),
            "has_diff": self.has_diff,
            "plan": self.is_plan,
            "files": [short(visible(path)) for path in self.files],
            "more": self.is_more_than_diff,
            "cut": self.is_cut,
            "version": self.version,
            "key": self.key,
            "asked_by": self.asked_by or None,
        }
