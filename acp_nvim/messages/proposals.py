"""Messages about proposals: what an agent wants to change, as a diff, and what the user decides."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BeforeValidator
from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import (
    Call,
    OfQuestion,
    OfSession,
    OnWire,
    Part,
    Question,
    WindowCall,
    empty_list_as_table,
)

# --- Parts


class Fragment(TypedDict):
    """A part of a file as the agent has sent it."""

    old: str
    new: str
    everywhere: bool  # each place is meant, else it has to have exactly one


class ProposedFile(TypedDict):
    """A file as the agent wants it; the editor builds both sides from the live text."""

    path: str
    name: str
    shown: str  # its path, as the session's folder sees it
    disk: str | None
    base: str | None  # what the agent has built on, where that is not what is on disk
    new: str | None
    changes: list[Fragment]  # where the whole file is not known
    problem: str | None
    outside: bool
    plain: bool  # too much to be compared


class BegunMerge(TypedDict):
    right: str
    text: str


class FileSides(TypedDict):
    """Both sides of a file, as they are."""

    path: str
    name: str
    shown: str
    left: str | None
    right: str | None
    plain: bool
    begun: NotRequired[BegunMerge | None]  # what the user had made of an earlier right side


class BuiltSides(TypedDict):
    left: NotRequired[str]
    right: NotRequired[str]
    problem: NotRequired[str]  # why it is not the whole file, or not exact
    fits: bool


class ProposalView(TypedDict):
    kind: Literal["proposal"]
    question: int
    session: int
    version: int
    through: bool
    files: list[ProposedFile]
    focus: bool
    auto: bool
    renews: bool  # only if the editor has it already
    refuse: bool  # the next file is refused; no window opens


class MergeView(TypedDict):
    kind: Literal["merge"]
    question: int
    session: int
    version: int
    stays: bool
    files: list[FileSides]
    focus: bool
    renews: bool


class PlanView(TypedDict):
    """A plan that the user is to agree to: one file, with a right side alone."""

    kind: Literal["plan"]
    question: int
    session: int
    version: int
    files: list[FileSides]
    focus: bool
    auto: bool
    renews: bool
    refuse: bool


class CompareView(TypedDict):
    kind: Literal["view"]
    session: int
    files: list[FileSides]
    focus: bool


# --- From Lua


class DiffEntry(OfSession):
    """Show the diff of a tool call in the chat."""

    key: int
    focus: bool = False


class Diff(OfQuestion):
    """Show the diff of a question."""

    focus: bool = False
    auto: bool = False  # nobody has asked for it: say nothing if there is none
    refuse: bool = False  # the user refuses the next of its files, unseen


class FileAnswer(Part):
    """What the user has made of the right side of one file; no text: there is no file, or shall be none."""

    left: str | None = None  # the live text that the decision is about
    right: str | None = None  # that with all of the proposal
    decided: str | None = None  # what the user wants instead
    mine: str | None = None  # `left` with what the user has typed; none: nothing of it is the user's
    saved: str | None = None  # `decided` without unsaved lines; none: the two overlap
    written: str | None = None  # what the agent makes of the disk as it is; none: that is not known
    takes_unsaved: bool = False  # unsaved lines make something else of what the agent writes


class Edited(OfQuestion):
    """The user has edited right sides of a proposal, which is not sent yet. Other files are as they were proposed."""

    version: int | None = None
    files: Annotated[
        dict[str, Literal["edited", "refused"]], BeforeValidator(empty_list_as_table)
    ] = {}  # by path


class Decide(OfQuestion):
    """The right sides of a proposal are what the user wants. Of a file that is not named all is taken."""

    version: int | None = None
    option: str | None = None  # which one the user took to allow it
    files: Annotated[dict[str, FileAnswer], BeforeValidator(empty_list_as_table)] = {}  # by path


class LineComment(Part):
    """What the user says about lines of a plan, as they are numbered in the plan that is sent."""

    id: int
    first: int
    last: int
    text: str


class DecidePlan(OfQuestion):
    """What the user has made of a plan: with a text of their own or comments it is refused, and they are sent."""

    version: int | None = None
    text: str | None = None  # none: as the agent has proposed it; empty: no such plan
    comments: list[LineComment] = []


class Merged(OfQuestion):
    """The user's own merge of a conflict."""

    version: int | None = None
    text: str
    mine: str | None = None  # the left side with what the user has typed


# --- To Lua


@dataclass(slots=True)
class Proposal(WindowCall):
    """Show both sides of what an agent wants to change or of a conflict, or a plan."""

    shown: Annotated[dict[str, Any], OnWire(ProposalView | MergeView | PlanView | CompareView)]


@dataclass(slots=True)
class ProposalDone(Call):
    """The user's decision was the answer; `done`: it has come to be."""

    question: int
    done: bool


@dataclass(slots=True)
class ProposalSides(Question[BuiltSides | None]):
    """Ask for both sides of a file whose buffer has unsaved lines."""

    file: Annotated[dict[str, Any], OnWire(ProposedFile)]
