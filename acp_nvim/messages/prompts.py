"""Messages about prompts, the turns that they begin, and the queue."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

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


class EditedPrompt(Part):
    """A prompt of the queue as the user has left it."""

    seq: int
    text: str
    edited: bool = False  # the user has changed or added it


class QueueSet(OfSession):
    """The user has edited the queue: the numbers of the prompts that it showed, and what it shall be."""

    items: list[EditedPrompt]
    shown: list[int]


class QueueSteer(OfSession):
    """Put a queued prompt into the running turn."""

    seq: int


class QueueRelease(OfSession):
    """Send what was held."""


class Recall(OfSession):
    """Put a sent prompt back into the prompt's buffer."""

    key: int


# --- To Lua


class QueuedPrompt(TypedDict):
    seq: int  # its number
    text: str
    attached: list[str]  # what goes along with it, in words


@dataclass(slots=True)
class Queue(WindowCall):
    """Show the queue as a buffer."""

    session: int
    items: list[QueuedPrompt]


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
