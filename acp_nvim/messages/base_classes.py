"""Base classes of the messages between the halves.

A `Command` goes from Lua to Python: `backend.notify("set_mode", { session = 1, id = "code" })` arrives as a `SetMode`.
A class is named after its command. Types are strict and unknown fields are refused: both halves are of one version, and
a message that does not fit was sent by a plugin that has been updated while the backend ran.

A `Call` is what the backend has Lua do: `editor.notify(FillPrompt(1, "text"))` calls the entry `fill_prompt` of a table
in lua/acp_nvim/backend_calls.lua. A class is named after its function, its fields are the arguments in their order. A
`Question` waits for an answer. Types are checked by mypy where a call is made. Tests hold every call against its class
as well, parts included (tests/fakes/message_recorder.py). A user's frames are not checked: chunks of text come by the
thousand.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict


def empty_list_as_table(value: Any) -> Any:
    """An empty table of Lua arrives as a list."""
    return {} if value == [] else value


Table = Annotated[dict[str, Any], BeforeValidator(empty_list_as_table)]


Texts = Annotated[dict[str, str], BeforeValidator(empty_list_as_table)]


# What goes along with a prompt comes from the user's own configuration, too; it is read leniently where it is used.
Context = list[dict[str, Any]]


class Part(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class Command(Part):
    pass


class OfSession(Command):
    session: int


class OfQuestion(Command):
    question: int


A = TypeVar("A")


Level = Literal["info", "warn", "error"]


class OnWire(NamedTuple):
    """The exact type of an argument that Python holds more loosely."""

    type: Any


@dataclass(slots=True)
class Call:
    function: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        super(Call, cls).__init_subclass__()  # the short form knows the class only before it has slots
        cls.function = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()  # TerminalOpen: terminal_open
        cls.arguments = tuple(cls.__annotations__)

    def wire(self) -> list[Any]:
        """Return name and arguments, as they go over the channel."""
        return [self.function, *(getattr(self, name) for name in self.arguments)]


@dataclass(slots=True)
class WindowCall(Call):
    """A call that opens a window: it waits where Neovim forbids that, and nothing that comes after depends on it."""


@dataclass(slots=True)
class Question(Call, Generic[A]):
    """A call whose answer is of type A."""
