"""Models of an agent's questions other than permissions: a form, a page to visit, a question in words."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

FieldType = Literal["string", "number", "integer", "boolean", "array", "unknown"]
Action = Literal["accept", "decline", "cancel"]


class FormChoice(NamedTuple):
    """`value` is sent to the agent verbatim."""

    value: str
    title: str
    description: str = ""


class FormField(NamedTuple):
    """One field of a form; missing limits are None. `custom`: a text that is no choice is accepted."""

    key: str
    type: FieldType = "string"
    title: str = ""
    description: str = ""
    required: bool = False
    default: Any = None
    choices: tuple[FormChoice, ...] = ()
    custom: bool = False
    format: str | None = None
    pattern: str | None = None
    least: float | None = None  # of its value, its length, or of how many are chosen
    most: float | None = None


class Elicitation(NamedTuple):
    """`elicitation/create`. It names a session, or a request of ours if there is no session yet."""

    mode: str
    message: str
    session_id: str | None = None
    request_id: Any = None
    tool_call_id: str | None = None
    title: str = ""
    description: str = ""
    fields: tuple[FormField, ...] | None = None  # None: there is no form in it
    url: str = ""
    id: str = ""


class Ask(NamedTuple):
    """A question in words, which some agents ask outside the standard."""

    question: str
    session_id: str | None = None
    header: str = ""
    options: tuple[FormChoice, ...] = ()
    multiple: bool = False
    custom: bool = True  # an answer in the user's own words will do


class AskAnswer(NamedTuple):
    action: Action
    words: tuple[str, ...] = ()
    """The values of the chosen options, and the user's own words."""

    @property
    def text(self) -> str:
        return "\n".join(self.words)


class Vendor(NamedTuple):
    """A request beside the standard that asks the user: how to read it and how to answer it.

    `decode` takes the params; None is answered with -32602.
    """

    decode: Callable[[Any], Ask | None]
    encode: Callable[[AskAnswer], Any]
