"""Messages about sessions: how they begin and end, their names, their subagents, the place of their agent."""

from dataclasses import dataclass
from typing import Literal

from acp_nvim.messages.base_classes import Call, OfSession
from acp_nvim.messages.prompts import Waiting

# --- From Lua


class Begin(OfSession):
    """What each way to begin a session has in common."""

    agent: str
    cwd: str
    roots: list[str] | None = None
    turns: int = 0  # that it had in earlier lives: it goes on counting


class New(Begin):
    """Begin a session. With an id it is one of an earlier backend: loaded if its agent can, else begun again."""

    id: str | None = None
    transcript: str | None = None
    title: str | None = None
    name: str | None = None
    about: str | None = None
    queue: list[Waiting] = []


class Take(Begin):
    """Take what somebody else has changed into review: a session without an agent holds it."""

    source: str  # a branch, a commit, a range, a patch file or a worktree


class Retry(OfSession):
    """Start the agent of a failed session again, and send the prompt that had no answer."""


class Stop(OfSession):
    """End the agent's process."""


class Restart(OfSession):
    """End the agent's process, if it runs, and start it again with its sessions."""


class Close(OfSession):
    """The session leaves the list."""


class Rename(OfSession):
    """Give the session a title of the user's."""

    title: str


class OfSubagent(OfSession):
    """What commands on a subagent of a session have in common."""

    id: str


class OpenSubagent(OfSubagent):
    """Show what a subagent has been told, has done and said."""


class CancelSubagent(OfSubagent):
    """Cancel what a subagent does, if its agent lets the user."""


class Trace(OfSession):
    """Show the wire of the session's agent, record it or not, or save it to a file."""

    mode: Literal["on", "off", "save"] | None = None
    file: str | None = None  # to save it to
    force: bool = False  # over a file that is there


# --- To Lua


@dataclass(slots=True)
class Ended(Call):
    """The session leaves the list."""

    session: int


@dataclass(slots=True)
class ShowPlace(Call):
    """The agent is at this place."""

    session: int
    path: str
    line: int
