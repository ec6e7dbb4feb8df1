"""Messages about conversations that are kept as transcripts: replayed, exported, listed by their first words."""

from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, Command, OfSession, OnWire
from acp_nvim.messages.sessions import Begin

# --- Parts


class KeptConversation(TypedDict):
    """A conversation that is over, as its transcript tells."""

    file: str
    agent: str
    id: str | None  # the agent's
    title: str | None  # the first words of its user
    updated: int  # seconds since 1970
    cut: str | None  # its last prompt, if the turn was cut off


# --- From Lua


class Replay(Begin):
    """Show a conversation that is over; without a file the latest of the folder."""

    file: str | None = None


class Export(OfSession):
    """Write the conversation to a file, as Markdown."""

    file: str
    force: bool = False


class Earlier(Command):
    """Which conversation of a folder could go on?"""

    cwd: str


class FirstWords(Command):
    """How do the kept conversations begin? The list of sessions tells those with equal titles apart by it."""


class ShowLastAnswer(Command):
    """Show the last answer of a session below its question: of one that lives here, else of one that an agent has
    saved."""

    agent: str
    session: int | None = None
    id: str | None = None  # the agent's


# --- To Lua


@dataclass(slots=True)
class EarlierFound(Call):
    """The conversation of the folder that could go on."""

    cwd: str
    kept: Annotated[dict[str, Any] | None, OnWire(KeptConversation | None)]


@dataclass(slots=True)
class FirstWordsFound(Call):
    """The first words of the kept conversations, by the agent's id of the session."""

    words: dict[str, str]
