"""Messages about sessions that agents have saved, and past conversations."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, Command, OnWire

# --- Parts


class SavedSession(TypedDict):
    id: str
    title: NotRequired[str]
    cwd: NotRequired[str]
    updated: NotRequired[int]


class SavedSessions(TypedDict):
    """What one agent has saved."""

    agent: str
    cwd: str
    state: str
    error: NotRequired[str | None]
    sessions: list[SavedSession]
    can: dict[str, bool]


class KeptConversation(TypedDict):
    """A conversation that is over, as its transcript tells."""

    file: str
    agent: str
    id: str | None  # the agent's
    title: str | None  # the first words of its user
    updated: int  # seconds since 1970


# --- From Lua


class List(Command):
    """The list of saved sessions is open: ask the agents that run, or start the one named if none runs."""

    agent: str | None = None
    cwd: str
    refresh: bool = False
    more: bool = False


class ListEnd(Command):
    """The list is closed."""


class Delete(Command):
    """Have the agent delete a session."""

    id: str
    agent: str | None = None


class Earlier(Command):
    """Which conversation of a folder could go on?"""

    cwd: str


class FirstWords(Command):
    """How do the kept conversations begin? The list of sessions tells those with equal titles apart by it."""


# --- To Lua


@dataclass(slots=True)
class Listed(Call):
    """What the list of saved sessions shows."""

    lists: Annotated[list[dict[str, Any]], OnWire(list[SavedSessions])]


@dataclass(slots=True)
class EarlierFound(Call):
    """The conversation of the folder that could go on."""

    cwd: str
    kept: Annotated[dict[str, Any] | None, OnWire(KeptConversation | None)]


@dataclass(slots=True)
class FirstWordsFound(Call):
    """The first words of the kept conversations, by the agent's id of the session."""

    words: dict[str, str]
