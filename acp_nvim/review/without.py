"""Hunks taken out of a text that has lines of its own, or lacks some: of the disk under unsaved lines, say.

Where the lines of a hunk are as they were, what was done beside them hides nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from acp_nvim.review.edits import Edit, apply, edits


def without(rows: Sequence[str], undoing: Sequence[Edit], lines: list[str]) -> list[str] | None:
    """`undoing` takes the hunks out of `rows`; some may be out of `lines` already. None: it cannot be told."""
    has = _Places(edits(lines, list(rows)))
    lacks = cache(lambda: _Places(edits(lines, apply(list(rows), undoing))))
    found, shift = [], 0
    for first, last, old in undoing:
        begin, end = first + shift, first + shift + len(old)
        place = has.unchanged(first, last)
        if place is None and not lacks().unchanged(begin, end):
            place = has.between(first, last)
            if place is None and not lacks().between(begin, end):
                return None
        if place:
            found.append(Edit(*place, old))
        shift += len(old) - (last - first)
    return apply(lines, found)


class _Places:
    """Where rows of a text are in the one that these changes have made it of."""

    def __init__(self, changes: Sequence[Edit]) -> None:
        self._changes = changes
        grown = [len(lines) - (last - first) for first, last, lines in changes]
        self._shifts = [0, *accumulate(grown)]
        self._begins = [change.first + shift for change, shift in zip(changes, self._shifts, strict=False)]
        self._ends = [begin + len(each.lines) for begin, each in zip(self._begins, changes, strict=True)]

    def unchanged(self, first: int, last: int) -> tuple[int, int] | None:
        """Of lines that none of the changes has met."""
        if first == last:
            return None
        at = bisect_right(self._ends, first)
        if at < len(self._changes) and self._begins[at] < last:
            return None
        return first - self._shifts[at], last - self._shifts[at]

    def between(self, first: int, last: int) -> tuple[int, int] | None:
        """Of no line: between two, one of which may be changed."""
        at = bisect_left(self._ends, first)
        if first < last:
            return None
        if at == len(self._changes) or self._begins[at] > first:
            return first - self._shifts[at], first - self._shifts[at]
        was_first, was_last, lines = self._changes[at]
        if was_first == was_last or (lines and first == self._begins[at]):
            return was_first, was_first
        return (was_last, was_last) if lines and first == self._ends[at] else None
