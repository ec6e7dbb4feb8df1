"""Defines the entries of a transcript. `speaker` is the header above an entry; None keeps the header before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from acp_nvim.protocol import schema
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.plan import Plan
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall

Role = Literal["user", "agent"]
NoteKind = Literal["stop", "interrupted", "error", "warning", "info"]


@dataclass(slots=True, eq=False)
class Message:
    key: int
    role: Role
    parts: list[str]
    message_id: str | None = None
    branch_point: str | None = None  # at its end the session can be forked, by this name
    prompt: bool = False  # sent by us: it begins a turn
    is_whole: bool = False  # sent by us: no text is added to it
    at: float | None = None  # when it was sent, in seconds since 1970
    steered: bool = False  # sent by us into a turn: it begins what was sent at once

    @property
    def speaker(self) -> str | None:
        return self.role


@dataclass(slots=True, eq=False)
class Report:
    """Our report to the agent, before a prompt or into a turn: diffs that the user refused or undid."""

    speaker: ClassVar[str | None] = "user"
    key: int
    parts: list[str]
    at: float | None = None  # when it was sent, in seconds since 1970
    steered: bool = False
    message_id: str | None = None
    is_replayed: bool = False  # the agent has sent it back as part of the user's message


@dataclass(slots=True, eq=False)
class AgentContext:
    """What is meant for the model alone, though it came as part of a message: texts and other blocks."""

    key: int
    role: Role
    parts: list[str | schema.ContentBlock]
    message_id: str | None = None

    @property
    def speaker(self) -> str | None:
        return self.role


@dataclass(slots=True, eq=False)
class Placeholder:
    """Content of a message that is not text."""

    key: int
    role: Role
    block: schema.ContentBlock
    message_id: str | None = None

    @property
    def speaker(self) -> str | None:
        return self.role


@dataclass(slots=True, eq=False)
class Thought:
    role: ClassVar[str] = "thought"
    speaker: ClassVar[str | None] = "agent"
    key: int
    parts: list[str]
    message_id: str | None
    started: float
    ended: float | None = None


@dataclass(slots=True, eq=False)
class Note:
    """A note of the client: why a turn stopped, what went wrong."""

    speaker: ClassVar[str | None] = None
    key: int
    kind: str
    text: str
    picture: str | None = None  # the file of the user's picture that it names
    details: str = ""  # what else is known, such as the whole error of a turn


@dataclass(slots=True, eq=False)
class AnswerBegins:
    """The agent has a prompt: its heading stands above whatever it will say, also while it says nothing."""

    speaker: ClassVar[str | None] = "agent"
    key: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What waits for a decision in a file that a turn changed, and what was decided. All counts are 0 where nobody
    knows what it held before."""

    path: str
    plus: int
    minus: int
    kept: int
    undone: int
    note: str = ""  # what waits and has no lines


@dataclass(slots=True, eq=False)
class Changes:
    """The files that a turn changed; empty, and so not shown, if there are none."""

    speaker: ClassVar[str | None] = None
    key: int
    turn: int
    text: str = ""
    files: list[ChangedFile] = field(default_factory=list)
    more: int = 0  # files beside those


UsersEntry = Message | Report | AgentContext | Placeholder  # it may be part of a message of the user

Entry = (
    Message
    | Report
    | AgentContext
    | Placeholder
    | Thought
    | ToolCall
    | Subagent
    | Plan
    | Compaction
    | Note
    | AnswerBegins
    | Changes
)
