"""Messages about prompts, the turns that they begin, and the queue."""

from dataclasses import dataclass

from acp_nvim.messages.base_classes import Call, Context, OfSession, Part, WindowCall

# --- From Lua


class Waiting(Part):
    """A prompt that has waited while there was no backend."""

    seq: int = 0
    text: str
    context: Context = []


class Prompt(OfSession):
    """Send a prompt, or queue it."""

    text: str
    context: Context = []
    seq: int = 0  # the editor's number of it
    first: bool | None = None  # cancel the turn for it
    next: bool | None = None  # ahead of the queue
    steer: bool | None = None  # into the running turn, where its agent takes that
    files: list[str] = []  # those in the editor's buffers and in review: read before the turn


class Cancel(OfSession):
    """End the turn; `clear` empties the queue."""

    clear: bool = False


class QueueOpen(OfSession):
    """Show the queue as a buffer."""


class QueueSet(OfSession):
    """The user has edited the queue: what it was, and what it shall be."""

    items: list[str]
    was: list[str] | None = None


class QueueSteer(OfSession):
    """Put a queued prompt into the running turn; without its number the first one of that text."""

    text: str
    seq: int = 0


class QueueRelease(OfSession):
    """Send what was held."""


class Recall(OfSession):
    """Put a sent prompt back into the prompt's buffer."""

    key: int


# --- To Lua


@dataclass(slots=True)
class Queue(WindowCall):
    """Show the queue as a buffer."""

    session: int
    items: list[str]
    attached: list[list[str]]  # what goes along with each, in words


@dataclass(slots=True)
class FillPrompt(WindowCall):
    """Put a text into the prompt."""

    session: int
    text: str


@dataclass(slots=True)
class History(Call):
    """Add texts to the history of prompts."""

    session: int
    items: list[str]
