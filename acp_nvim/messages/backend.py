"""Messages about the backend itself: its configuration, texts for the user, and what it shows in windows."""

from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, Command, Level, OnWire, WindowCall
from acp_nvim.messages.logins import LoginMethod

# --- Parts


class DoctorReport(TypedDict, total=False):
    """What a look at an agent has found; `error`: why there is nothing more."""

    agent: str
    error: str
    ms: int  # from the start of its process to its answer
    version: str | None
    title: str | None
    protocol: int
    capabilities: list[str]
    logins: list[LoginMethod]
    deviations: list[str]
    stderr: list[str]
    slow_end: bool  # it had to be killed


class FloatRegion(TypedDict):
    """Lines, counted from 0, that are highlighted as those of a file with this name."""

    first: int
    last: int
    name: str


class FloatPicture(TypedDict):
    """A picture below a line, counted from 0."""

    row: int
    path: str


# --- From Lua


class Setup(Command):
    """The first message, and again when setup() is called later."""

    config: Any  # agent.settings.Settings
    leaders: str | None = None  # the file that names the processes to be ended should the backend die
    log: str | None = None  # the folder for log files
    state: str | None = None  # the folder for what is kept; none: nothing is
    run: str | None = None  # the folder for sockets
    next_question: int = 1  # the first number that no earlier backend has given to a question


class Doctor(Command):
    """Look at one agent, without a session."""

    agent: str
    ticket: int
    seconds: float | None = None


class Log(Command):
    """Show the log of the backend."""


# --- To Lua


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
    regions: Annotated[list[Any], OnWire(list[FloatRegion])]
    pictures: Annotated[list[Any], OnWire(list[FloatPicture])]


@dataclass(slots=True)
class Doctored(WindowCall):
    """What a look at an agent has found."""

    ticket: int
    report: Annotated[dict[str, Any], OnWire(DoctorReport)]
