"""What the backend has Lua do: `editor.notify(Recall(1, "text"))` calls the entry `recall` of a table in
lua/acp_nvim/backend_calls.lua.

A class is named after its function, its fields are the arguments in their order. A `Question` waits for an answer.

Types are checked by mypy where a call is made. While tests run every call is held against its class as well
(`messages.check`), parts included; a user's frames are not: a chunk of text comes by the thousand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from acp_nvim.messages.parts import (
    BuiltSides,
    ChatOp,
    CompareView,
    DiskChange,
    DoctorReport,
    FormFieldShape,
    KeptConversation,
    LoginMethod,
    LoginProgram,
    MergeView,
    OpenQuestion,
    ProposalView,
    ProposedFile,
    SavedSessions,
    StatusPatch,
    SyncRequest,
    WriteRequest,
)

A = TypeVar("A")
Level = Literal["info", "warn", "error"]


class OnWire(NamedTuple):
    """The exact type of an argument that Python holds more loosely."""

    type: Any


@dataclass(slots=True)
class Call:
    function: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        super(Call, cls).__init_subclass__()  # the short form knows the class only before it has slots
        cls.function = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()  # TerminalOpen: terminal_open
        cls.arguments = tuple(cls.__annotations__)

    def wire(self) -> list[Any]:
        """Return name and arguments, as they go over the channel."""
        return [self.function, *(getattr(self, name) for name in self.arguments)]


@dataclass(slots=True)
class Question(Call, Generic[A]):
    """A call whose answer is of type A."""


@dataclass(slots=True)
class WindowCall(Call):
    """A call that opens a window: it waits where Neovim forbids that, and nothing that comes after depends on it."""


# --- the backend


@dataclass(slots=True)
class Ready(Call):
    """The configuration has arrived."""


@dataclass(slots=True)
class Message(Call):
    """Show a line to the user."""

    level: Annotated[str, OnWire(Level)]
    text: str
    path: str | None = None  # as much of it as fits stands at the end


@dataclass(slots=True)
class Unkept(Call):
    """Something could not be written to the state folder."""

    text: str


@dataclass(slots=True)
class Show(WindowCall):
    """Show lines in a buffer of that name."""

    name: str
    filetype: str
    lines: list[str]


@dataclass(slots=True)
class Float(WindowCall):
    """Show lines in a floating window."""

    lines: list[str]
    filetype: str


@dataclass(slots=True)
class Doctored(WindowCall):
    """What a look at an agent has found."""

    ticket: int
    report: Annotated[dict[str, Any], OnWire(DoctorReport)]


# --- sessions


@dataclass(slots=True)
class Status(Call):
    session: int
    patch: Annotated[dict[str, Any], OnWire(StatusPatch)]


@dataclass(slots=True)
class Commands(Call):
    """The agent's slash commands."""

    session: int
    commands: list[dict[str, str]] | None


@dataclass(slots=True)
class Ended(Call):
    """The session leaves the list."""

    session: int


@dataclass(slots=True)
class Event(Question[bool]):
    """Fire the User autocommand of that name; `messages.events` has the data of each. True once it has been fired."""

    name: str
    data: dict[str, Any]


@dataclass(slots=True)
class Follow(Call):
    """The agent is at this place."""

    session: int
    path: str
    line: int


@dataclass(slots=True)
class Listed(Call):
    """What the list of saved sessions shows."""

    lists: Annotated[list[dict[str, Any]], OnWire(list[SavedSessions])]


@dataclass(slots=True)
class Earlier(Call):
    """The conversation of the folder that could go on."""

    cwd: str
    kept: Annotated[dict[str, Any] | None, OnWire(KeptConversation | None)]


# --- the chat


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


# --- prompts


@dataclass(slots=True)
class Queue(WindowCall):
    """Show the queue as a buffer."""

    session: int
    items: list[str]
    attached: list[list[str]]  # what goes along with each, in words


@dataclass(slots=True)
class Recall(WindowCall):
    """Put a text into the prompt."""

    session: int
    text: str


@dataclass(slots=True)
class History(Call):
    """Add texts to the history of prompts."""

    session: int
    items: list[str]


# --- questions


@dataclass(slots=True)
class Questions(Call):
    """The open questions of a session, oldest first."""

    session: int
    questions: Annotated[list[dict[str, Any]], OnWire(list[OpenQuestion])]


@dataclass(slots=True)
class Form(WindowCall):
    """Show a form as a buffer."""

    question: int
    session: int
    about: list[str]
    fields: Annotated[list[dict[str, Any]], OnWire(list[FormFieldShape])]


@dataclass(slots=True)
class FormErrors(Call):
    """What is wrong with a form, by the names of its fields; nothing was sent."""

    question: int
    errors: dict[str, str]


@dataclass(slots=True)
class Visit(Call):
    """Open a page in the user's browser."""

    url: str


@dataclass(slots=True)
class LoginChoose(WindowCall):
    """Let the user choose a way to log in."""

    session: int
    methods: list[LoginMethod]


@dataclass(slots=True)
class LoginRun(WindowCall):
    """Run the program by which the user logs in."""

    session: int
    program: LoginProgram


# --- terminals


@dataclass(slots=True)
class TerminalOpen(Call):
    session: int
    id: str
    command: str


@dataclass(slots=True)
class TerminalExit(Call):
    session: int
    id: str
    status: str


@dataclass(slots=True)
class TerminalFeed(Question[bool]):
    """Write output to a terminal's buffer; false: it is gone."""

    session: int
    id: str
    piece: str
    buffer: int


# --- proposals


@dataclass(slots=True)
class Proposal(WindowCall):
    """Show both sides of what an agent wants to change, or of a conflict."""

    shown: Annotated[dict[str, Any], OnWire(ProposalView | MergeView | CompareView)]


@dataclass(slots=True)
class ProposalDone(Call):
    """The user's decision was the answer; `done`: it has come to be."""

    question: int
    done: bool


@dataclass(slots=True)
class ProposalSides(Question[BuiltSides | None]):
    """Ask for both sides of a file whose buffer has unsaved lines."""

    file: Annotated[dict[str, Any], OnWire(ProposedFile)]


# --- files


@dataclass(slots=True)
class Changed(Call):
    """Take a change of a file that no buffer holds into the review."""

    path: str  # resolved
    change: DiskChange


@dataclass(slots=True)
class TurnBegins(Call):
    """List the session's decided changes no longer."""

    session: int
    turn: int


@dataclass(slots=True)
class TurnOver(Call):
    """All that a turn has changed is known. Messages name it by the first words of its prompt."""

    session: int
    turn: int
    prompt: str


@dataclass(slots=True)
class Reported(Call):
    """The session's agent has been told what the user has made of its lines."""

    session: int


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
