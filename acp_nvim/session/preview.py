"""What a tool call would change, as far as its question shows it: the first lines of its diff."""

from __future__ import annotations

from typing import NamedTuple

MOST_ROWS = 12  # of a diff in a question


class DiffRow(NamedTuple):
    """A line with its sign; `number`, of a line that stays, is where it stands in the file, if that is known."""

    sign: str  # " ", "-", "+"; "⋯" stands between two hunks
    text: str
    number: int | None = None


class FilePreview(NamedTuple):
    path: str  # absolute
    rows: tuple[DiffRow, ...]  # the first MOST_ROWS
    total: int  # rows of the whole diff
    added: int
    removed: int
    note: str = ""  # what the user has to know about it


def counts(previews: tuple[FilePreview, ...]) -> tuple[int, int] | None:
    """Lines added and removed in all the files; None without a file."""
    if not previews:
        return None
    return sum(each.added for each in previews), sum(each.removed for each in previews)
