"""Messages about the texts of loaded files."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Command, OnWire, Question
from acp_nvim.messages.review import AskedTexts, CallName, OtherTurn, TypedLines

# --- Parts


class DocumentBy(TypedDict):
    """For whom a buffer is changed."""

    kind: Literal["agent", "unknown", "one of two"]
    session: int
    turn: int
    call: NotRequired[CallName]
    other: NotRequired[OtherTurn]
    mode: NotRequired[int]  # of the file before
    made: NotRequired[list[str]]  # folders above it that the turn has made
    given: NotRequired[str]  # the path as it was named
    was_there: NotRequired[bool | None]
    was_final: NotRequired[bool]
    was_dos: NotRequired[bool]
    is_final: NotRequired[bool | None]
    asked: NotRequired[list[AskedTexts]]


class KnownText(TypedDict):
    """What a file held when the backend last looked."""

    text: NotRequired[str]  # without it: what it held before, and the stamp is that of the file
    stamp: NotRequired[list[int]]
    asked: NotRequired[list[int]]  # the file that an open question is about
    others: NotRequired[bool]  # no call of an agent can have changed it since


class ProposedText(TypedDict):
    """What the disk holds if the agent has written its proposal by itself, before the user's decision is written."""

    texts: list[str]
    right: str  # what the decision builds on where the buffer has taken that up


class WriteRequest(TypedDict):
    path: str  # resolved
    base: NotRequired[str]  # what the agent believes, or what the user's decision is about
    proposed: NotRequired[ProposedText]
    base_bytes: NotRequired[str]  # or the bytes that it builds on; neither: nobody knows
    text: str
    by: DocumentBy
    autocmds: bool
    known: NotRequired[KnownText]
    settled: NotRequired[list[int]]  # how the file looked that the user was asked about
    typed: NotRequired[TypedLines]


class SettledText(TypedDict):
    """What the user wants to have in the place of the buffer and of the disk."""

    live: str
    text: str
    disk: list[int]


class SyncRequest(TypedDict):
    path: str  # resolved
    by: NotRequired[DocumentBy]  # without it: another program
    known: NotRequired[KnownText]
    settled: NotRequired[SettledText]
    echoes: NotRequired[list[str]]  # what a write through us may have made of the disk as well
    waits: NotRequired[bool]  # a file that is empty now may be about to be written
    typed: NotRequired[TypedLines]


# --- From Lua


class Modified(Command):
    """A loaded buffer has unsaved changes now, or none any more."""

    path: str
    modified: bool


class Opened(Command):
    """A buffer has been read from this file."""

    path: str  # resolved


class Entered(Command):
    """The user looks at a file which is not what its buffer has been read from."""

    path: str  # resolved


class Saved(Command):
    """The user has written this file, from whatever buffer."""

    path: str  # resolved
    stamp: list[int]  # of the file as it was written


class Unlocked(Command):
    """The user has finished what kept a loaded file from being changed."""

    path: str


# --- To Lua


@dataclass(slots=True)
class DocumentRead(Question[dict[str, Any] | None]):
    """Ask for the text of a loaded file; None: no buffer has it."""

    path: str
    whole: bool  # else only what the disk does not have


@dataclass(slots=True)
class DocumentWrite(Question[dict[str, Any]]):
    """Merge a text into a loaded file, and save it."""

    request: Annotated[dict[str, Any], OnWire(WriteRequest)]


@dataclass(slots=True)
class DocumentSync(Question[dict[str, Any]]):
    """Let a loaded buffer take up what its file holds."""

    request: Annotated[dict[str, Any], OnWire(SyncRequest)]


@dataclass(slots=True)
class DocumentMerge(Question[dict[str, str]]):
    """Merge the texts of a file that is not loaded."""

    base: str | None
    mine: str
    theirs: str
