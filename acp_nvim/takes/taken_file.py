"""Represents what a source has changed of one file."""

from __future__ import annotations

from dataclasses import dataclass, field


class CannotTake(Exception):
    """Nothing can be taken from the source. The text says why."""


@dataclass(slots=True)
class TakenFile:
    """`before` and `after` are the source's texts with the line ends that a checkout would write; None: no file. What
    has a note cannot be taken whole: `is_left` says that nothing of it can."""

    path: str  # as the source names it, below the top of the project
    before: str | None = None
    after: str | None = None
    note: str = ""
    is_left: bool = False


@dataclass(slots=True)
class Source:
    top: str  # the folder that the paths are below, resolved
    files: list[TakenFile] = field(default_factory=list)


def text_of(data: bytes) -> str | None:
    """Return the text that bytes hold; None: they are binary, or in another encoding."""
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
