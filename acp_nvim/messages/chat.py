"""Messages about the chat: its lines and their marks, and what the user folds and opens."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, OfSession, OnWire

# --- Parts


class Icon(TypedDict):
    text: str
    hl: str


class Mark(TypedDict):
    """What the lines are from this row to the next mark."""

    row: int
    kind: str
    key: NotRequired[int | str | None]  # the transcript's entry; of an option: its question
    by: NotRequired[Literal["user"]]  # whose words they are, if they are not the agent's
    at: NotRequired[int]  # of a heading: when the prompt was sent, in seconds since 1970
    took: NotRequired[str]  # of a heading: the duration of the turn, once it has ended
    turn: NotRequired[int]  # of "changes": what this turn has changed in files
    options: NotRequired[list[tuple[int, int, int]]]  # columns of each option in the line, and its number
    inline: NotRequired[list[tuple[int, str, str]]]  # signs within the line: column, text, group
    icon: NotRequired[Icon]  # stands before the line
    open: NotRequired[bool]  # a tool call or a compaction that has not ended, or a question that waits
    running: NotRequired[bool]  # a tool at work: its icon turns
    eol: NotRequired[list[tuple[str, str]] | None]
    beside: NotRequired[int]  # the column before which that stands where it does not fit behind the line
    after: NotRequired[int]  # the column where that stands if it fits; the end of the line if it is not given
    spans: NotRequired[list[tuple[int, int, str]]]
    line_hl: NotRequired[str | None]
    code: NotRequired[tuple[int, int, str]]  # of a diff's line: from, to, the name of the file


Append = tuple[Literal["append"], str, list[Mark]]


Splice = tuple[Literal["splice"], int, int, list[str], list[Mark]]  # rows from, to; their new lines


Marks = tuple[Literal["marks"], int, int, list[Mark]]


ChatOp = Append | Splice | Marks


# --- From Lua


class Toggle(OfSession):
    """Fold or unfold an entry; without `open` whichever it is not."""

    key: int
    open: bool | None = None
    run: Literal["line", "calls"] | None = None  # the run that the entry belongs to, or that with its calls


class ToggleAll(OfSession):
    """Fold or unfold all entries."""

    open: bool


class Fit(OfSession):
    """The size of a chat's window."""

    rows: int
    columns: int


class Details(OfSession):
    """Show all of an entry in a float."""

    key: int


class Render(OfSession):
    """The chat's lines are not what they should be: send them again."""


# --- To Lua


@dataclass(slots=True)
class Chat(Call):
    """Change a chat's lines; `total` is how many it has then."""

    session: int
    ops: Annotated[list[Any], OnWire(list[ChatOp])]
    total: int


@dataclass(slots=True)
class Reset(Call):
    """Empty a chat: everything is sent again."""

    session: int
