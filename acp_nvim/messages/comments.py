"""Messages about the user's comments on lines."""

from dataclasses import dataclass
from typing import Literal

from acp_nvim.messages.base_classes import Call, OfQuestion, OfSession, Part

# --- From Lua


class CommentedHunk(Part):
    """The pending change in whose lines a comment stands."""

    old: list[str]
    new: list[str]
    more: int = 0  # lines beyond those


class Comment(Part):
    """A comment of the user's, with the lines that it is about."""

    id: int
    path: str  # resolved
    side: Literal["live", "old", "proposed"]  # old: in the text before the pending changes
    first: int
    last: int
    lines: list[str]
    more: int = 0  # lines beyond those
    text: str
    moved: bool = False  # its lines are gone: it stands at the nearest line
    hunk: CommentedHunk | None = None


class SendComments(OfSession):
    """Send comments as one message: into the running turn where the agent takes that, else as a prompt."""

    comments: list[Comment]
    seq: int  # the editor's number of the prompt
    files: list[str] = []  # those in the editor's buffers and in review: read before the turn


class CommentsOn(OfQuestion):
    """The comments on a question's proposal, which go to the agent with the answer; they replace those told before."""

    comments: list[Comment]


# --- To Lua


@dataclass(slots=True)
class CommentsWritten(Call):
    """Note the text of the prompt of that number, which holds comments."""

    session: int
    seq: int
    text: str


@dataclass(slots=True)
class CommentsSent(Call):
    """These comments are on the wire."""

    ids: list[int]
