"""Messages about the review: what agents have changed, and what the user has kept or undone."""

from dataclasses import dataclass
from typing import Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, Command, OfSession, Part, Texts

# --- Parts


class CallName(TypedDict):
    id: str
    title: str  # of a command: as it was typed


class OtherTurn(TypedDict):
    session: int
    turn: int


class TypedLines(TypedDict):
    """What the user has typed where an agent's change was shown, so that it is no part of that change."""

    left: str  # the text that was shown on the left
    mine: str  # the same with what the user has typed


class AskedTexts(TypedDict):
    """What a question has shown, and the user has allowed: nobody has to decide on it again."""

    left: str  # the text that it was shown over, with what the user has typed
    decided: str
    option: str  # the name of the user's answer
    call: CallName  # the one that was asked about


class ChangedBy(TypedDict):
    """Who has made a change."""

    session: int
    turn: int
    by: Literal["agent", "unknown", "one of two"]
    call: NotRequired[CallName]  # the command that has made the change
    other: NotRequired[OtherTurn]  # of "one of two": it may as well have been this one


class DiskChange(ChangedBy):
    """What an agent has changed on the disk."""

    given: str  # the path as it was named
    known: bool  # somebody has seen what the file held before
    before: str | None  # None: there was no file, or its text is unknown
    after: str | None  # None: there is no file now
    deleted: bool
    link: NotRequired[str]  # of a deleted file: where the link leads that stands in its place
    bom: bool  # it began with a byte order mark before
    encoding: Literal["utf-8", "latin1"]  # of the text before
    mode: int | None  # before
    folders: list[tuple[str, int]]  # above a deleted file, and their modes
    made: list[str]  # folders above it that the turn has made
    typed: NotRequired[TypedLines]
    asked: NotRequired[list[AskedTexts]]


Format = Literal["LF", "CRLF", "LF BOM", "CRLF BOM"]  # line ends, and whether a byte order mark comes first


class Standing(TypedDict):
    """What stands at a path."""

    kind: Literal["nothing", "file", "text", "binary", "link"]  # file: the change is not about what it holds
    mode: int | None
    data: NotRequired[str]  # what the file holds; bytes that are not UTF-8 as surrogates
    target: NotRequired[str]  # of the link
    format: NotRequired[Format]  # of a text, where the change is about that


class WholeChange(ChangedBy):
    """What an agent has changed at a path, where lines do not tell it."""

    given: str  # the path as it was named
    before: Standing
    after: Standing
    has_lines: bool  # lines of the file have changed, too
    made: list[str]  # folders above it that the turn has made
    folders: list[tuple[str, int]]  # above what was removed, and their modes


# --- From Lua


class TurnFile(Part):
    """A file that a turn has changed. All counts are 0 where nobody knows what it held before."""

    path: str  # as it was named
    plus: int  # lines that wait for a decision
    minus: int
    kept: int  # changes
    undone: int
    note: str = ""  # what waits and has no lines


class TurnNote(Part):
    """The line below a turn that has changed files, and the files below it when it is unfolded."""

    session: int
    turn: int
    text: str
    files: list[TurnFile] = []
    more: int = 0  # files beside those


class LostLines(Part):
    """What the user has made of an agent's lines in one file."""

    path: str  # as it was named
    undone: int
    changed: int
    lines: list[str]  # a unified diff, or the beginning of one
    more: int  # lines that it has beyond those
    removed: bool = False  # the file, which the agent has created
    restored: bool = False  # the file, which the agent has deleted
    gone: bool = False  # the file, whoever has deleted it since


class ReviewReport(Part):
    """What an agent's next prompt has to begin with; it replaces the last one."""

    session: int
    files: list[LostLines]


class Reviewed(Command):
    """The user has decided on changes of agents, or has edited them."""

    notes: list[TurnNote] = []
    reports: list[ReviewReport] = []
    undone: list[str] = []  # files that an undo has written, resolved
    unsaved: Texts | None = None  # with a prompt: the files in review that differ from the disk, resolved


class RestoredFile(Part):
    """A file as it is, and as it was when a turn began; None: there is no file."""

    path: str  # as it was named
    before: str | None = None
    after: str | None = None


class Restore(OfSession):
    """Ask whether the files shall be as they were when a turn began, and write them so, as a turn of the session."""

    turn: int
    prompt: str  # of that turn
    note: str  # what stays, and what cannot be put back
    files: list[RestoredFile]
    others: list[int]  # sessions whose turns go as well
    project: list[int]  # sessions that may change the same files


# --- To Lua


@dataclass(slots=True)
class Changed(Call):
    """Take a change of a file that no buffer holds into the review."""

    path: str  # resolved
    change: DiskChange


@dataclass(slots=True)
class Stands(Call):
    """Take a change into the review that has no lines."""

    path: str  # resolved but for its name
    change: WholeChange


@dataclass(slots=True)
class TurnBegins(Call):
    """List the session's decided changes no longer, and note the turn among those of its project."""

    session: int
    turn: int
    prompt: str  # its beginning, where it is very long
    restored: int | None = None  # the turn before which this one goes back


@dataclass(slots=True)
class TurnOver(Call):
    """All that a turn has changed is known. `moved`: what of git has moved meanwhile: "HEAD", "branch", "index"."""

    session: int
    turn: int
    moved: list[str]


@dataclass(slots=True)
class Reported(Call):
    """The session's agent has been told what the user has made of its lines."""

    session: int
