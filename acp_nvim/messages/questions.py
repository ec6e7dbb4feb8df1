"""Messages about questions of agents, forms among them, and their answers."""

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
    WindowCall,
    empty_list_as_table,
)

# --- Parts


class AnswerOption(TypedDict):
    id: str
    name: str
    kind: str
    covers: NotRequired[list[str]]
    description: NotRequired[str]


class FormChoice(TypedDict):
    value: str
    title: str
    description: str


class FormFieldShape(TypedDict):
    """A field of a form, as it is shown."""

    name: str
    title: str
    type: str
    required: bool
    default: NotRequired[Any]
    description: str
    choices: list[FormChoice]
    custom: bool
    format: NotRequired[str]
    pattern: NotRequired[str]
    least: NotRequired[float]  # of its value, its length, or of how many are chosen
    most: NotRequired[float]


class OpenQuestion(TypedDict):
    id: int
    session: int
    kind: Literal["permission", "elicitation", "ask", "conflict", "outside", "restore"]
    title: str
    fields: list[FormFieldShape]
    tool_call_id: str | None
    options: list[AnswerOption]
    path: str | None
    has_diff: bool
    plan: bool  # its diff is a plan
    files: list[str]  # paths of its diff, where there are several
    more: bool  # the call does more than its diff shows
    cut: bool  # the chat cannot show it whole
    version: int
    key: int | None  # its entry in the chat
    asked_by: str | None  # the name of the subagent that asks


# --- From Lua


class Answer(OfQuestion):
    """Answer a question by one of its options; without one it is cancelled."""

    option: str | None = None
    version: int | None = None  # of the question, as it was shown
    content: Any = None  # words, or what a form holds, which checks it


class Allow(OfQuestion):
    """Show the rule that would allow the call, or `set` it for the session and answer the question by it."""

    version: int | None = None
    set: bool = False


class FormField(Part):
    """A field of a form, as it was typed."""

    text: str = ""
    chosen: list[int] = []  # the numbers of its choices, from 1


class FormSend(OfQuestion):
    """A form's buffer was written."""

    fields: Annotated[dict[str, FormField], BeforeValidator(empty_list_as_table)]


class Forget(OfSession):
    """Take back what was allowed or rejected for good: the items that are named, or all."""

    items: list[int] | None = None


class Why(OfSession):
    """Tell what decided a tool call: the one under that key, else the last that was decided."""

    key: int | None = None


# --- To Lua


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
