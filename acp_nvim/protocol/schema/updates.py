"""Models the decoded forms of `session/update`.

They are made by `decode`, not validated, so they are plain slotted classes: chunks come by the thousand.
"""

import enum
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from acp_nvim.protocol.schema.content import ContentBlock, Location, ToolContent
from acp_nvim.protocol.schema.lenient import Count, Lenient, Number, lifted
from acp_nvim.protocol.schema.session_options import Command, ConfigOption
from acp_nvim.protocol.schema.tokens import RateLimit, Tokens


class Unset(enum.Enum):
    """Marks a field that was not sent, where null is a value of its own."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

Role = Literal["user", "agent", "thought"]
Level = Literal["info", "warning", "error"]


@dataclass(slots=True)
class Chunk:
    """A piece of a message: a text, verbatim, or another block."""

    role: Role
    text: str | None = None
    block: ContentBlock | None = None
    message_id: str | None = None


@dataclass(slots=True)
class ContextChunk(Chunk):
    """A piece of a message that is meant for the model alone."""


@dataclass(slots=True)
class ToolCallUpdate:
    """A tool call that is announced (not `known`) or updated. None and UNSET: not sent, the old value stays."""

    id: str
    known: bool = True
    title: str | None = None
    name: str | None = None
    kind: str | None = None
    status: str | None = None
    content: tuple[ToolContent, ...] | None = None
    locations: tuple[Location, ...] | None = None
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    meta: dict[str, Any] = field(default_factory=dict)
    parent: str | None = None  # the id of the call that has begun the subagent whose call this is


@dataclass(slots=True)
class ToolCallGrowth(ToolCallUpdate):
    """An update whose content is appended."""


class PlanEntry(Lenient):
    content: str
    priority: Literal["high", "medium", "low"] = "medium"
    status: Literal["pending", "in_progress", "completed"] = "pending"


class Usage(Lenient):
    """The context window, `used` of `size` tokens (which may be 0), and the session's cost."""

    used: Count | None = None
    size: Count | None = None
    cost_amount: Number | None = None
    cost_currency: str | None = None

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        return lifted(raw, "cost", cost_amount="amount", cost_currency="currency")


class PlanUpdate(NamedTuple):
    """A plan as a whole: steps, or words without steps. Several may be open, each with an id; the standard's has
    none."""

    entries: tuple[PlanEntry, ...]
    id: str = ""
    words: str = ""
    is_removed: bool = False


class CommandsUpdate(NamedTuple):
    commands: tuple[Command, ...]


class ModeUpdate(NamedTuple):
    mode_id: str


class OptionsUpdate(NamedTuple):
    options: tuple[ConfigOption, ...]


class InfoUpdate(NamedTuple):
    """None clears, UNSET leaves."""

    title: str | Unset | None = UNSET
    updated_at: str | Unset | None = UNSET
    suggestion: str | None = None  # what the user may want to ask next; empty: nothing any more


class UsageUpdate(NamedTuple):
    usage: Usage


class TokensUpdate(NamedTuple):
    """What one request to the model took."""

    tokens: Tokens


class LimitUpdate(NamedTuple):
    limit: RateLimit


class NoticeUpdate(NamedTuple):
    level: Level
    text: str


class CompactionUpdate(NamedTuple):
    """The agent shortens its memory. Without a status: a piece to be appended to the summary.

    None clears, UNSET leaves.
    """

    id: str
    status: str | None = None
    summary: str | Unset | None = UNSET
    error: str | Unset | None = UNSET


class SubagentUpdate(NamedTuple):
    """The agent has begun a session by itself, or changes what is known of one. None clears, UNSET leaves."""

    id: str
    title: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    state: str | Unset | None = UNSET
    stop_reason: str | None = None
    cwd: str | Unset | None = UNSET
    can_cancel: bool | None = None  # None: not sent


class SessionMessageUpdate(NamedTuple):
    """A message between two sessions of the agent, as one of them sees it: whole, or a piece of it (`grows`)."""

    id: str
    sender: str | Unset | None = UNSET
    recipient: str | Unset | None = UNSET
    text: str | Unset | None = UNSET
    grows: bool = False


class InterruptedUpdate(NamedTuple):
    """The user has stopped the replayed turn here."""


class UnknownUpdate(NamedTuple):
    tag: str
    raw: Any


Update = (
    Chunk
    | ToolCallUpdate
    | PlanUpdate
    | CommandsUpdate
    | ModeUpdate
    | OptionsUpdate
    | InfoUpdate
    | UsageUpdate
    | TokensUpdate
    | LimitUpdate
    | NoticeUpdate
    | CompactionUpdate
    | SubagentUpdate
    | SessionMessageUpdate
    | InterruptedUpdate
    | UnknownUpdate
)
