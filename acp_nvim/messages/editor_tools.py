"""Messages by which the editor's tools ask the editor."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from acp_nvim.messages.base_classes import Command, OnWire, Question, Table

Subject = Literal["open_files", "selection", "problems", "follows", "request", "resolve", "execute"]

# --- From Lua


class EditorAnswered(Command):
    """The answer to what was asked of a language server, by its ticket."""

    ticket: int
    answer: Table


# --- To Lua


@dataclass(slots=True)
class AskEditor(Question[dict[str, Any] | None]):
    """Ask what only the editor knows; None: the answer comes later, as `EditorAnswered`."""

    subject: Annotated[str, OnWire(Subject)]
    ticket: int
    given: dict[str, Any]
