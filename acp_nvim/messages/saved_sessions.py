"""Messages about sessions that agents have saved: listed, opened, forked, deleted."""

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, Command, OnWire
from acp_nvim.messages.sessions import Begin

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


# --- From Lua


class List(Command):
    """The list of saved sessions is open: ask the agents that run, or start the one named if none runs."""

    agent: str | None = None
    cwd: str
    refresh: bool = False
    more: bool = False


class ListEnd(Command):
    """The list is closed."""


class OpenSaved(Begin):
    """What each way to open a session that an agent has saved has in common."""

    id: str


class Load(OpenSaved):
    """Open a saved session, with what was said."""


class Resume(OpenSaved):
    """Open a saved session, without what was said."""


class Reopen(OpenSaved):
    """Load a saved session where its agent can, else resume it."""


class Fork(OpenSaved):
    """Begin a session that remembers what was said in another: all of it, or up to an entry of the chat `of`, or what
    was said before one of its turns."""

    of: int | None = None
    key: int | None = None
    turn: int | None = None


class Delete(Command):
    """Have the agent delete a session."""

    id: str
    agent: str | None = None


# --- To Lua


@dataclass(slots=True)
class Listed(Call):
    """What the list of saved sessions shows."""

    lists: Annotated[list[dict[str, Any]], OnWire(list[SavedSessions])]
