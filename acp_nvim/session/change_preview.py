"""Describes the change of a tool call for its question: the first lines of the diff of each file."""

from __future__ import annotations

from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.text.changed_words import NOTHING, Span

MOST_ROWS = 12  # of a diff in a question


class DiffRow(NamedTuple):
    """A line with its sign. `number`, if it is known, is that of the file before the change for a line that goes, else
    that after it."""

    sign: str  # " ", "-", "+"; "⋯" stands between two hunks
    text: str
    number: int | None = None
    more: int = 0  # lines of the same sign are left out behind it
    changed: Span = NOTHING  # what differs from the line that it replaces, or that replaces it


class FilePreview(NamedTuple):
    path: str  # absolute
    rows: tuple[DiffRow, ...] = ()  # the first, limits.PREVIEWED_ROWS at most, of both sides of a hunk
    added: int | None = None  # lines; None: there are too many to be compared
    removed: int | None = None
    note: str = ""  # what the user has to know about it
    first: int = 0  # of the changed lines, from 0 where the text begins
    whole: bool = False  # that is the file, and no part of it
    is_refused: bool = False  # the user wants nothing of it

    def gutter(self, most: int = limits.PREVIEWED_ROWS) -> int:
        """Return the width of the line numbers of the first rows; 0: none is known."""
        return max((len(str(row.number)) for row in self.rows[:most] if row.number), default=0)

    def refused(self) -> FilePreview:
        """Return it without its change."""
        return FilePreview(self.path, added=0, removed=0, is_refused=True)

    @property
    def changed(self) -> int:
        """Count the lines that are added or removed."""
        return (self.added or 0) + (self.removed or 0)


def counts(previews: tuple[FilePreview, ...]) -> tuple[int, int] | None:
    """Count the lines added and removed in all files; None if that is not known."""
    known = [(each.added, each.removed) for each in previews if each.added is not None]
    if not previews or len(known) < len(previews):
        return None
    return sum(added or 0 for added, _ in known), sum(removed or 0 for _, removed in known)
