"""Compares the text that the user has decided on with both sides of a proposal: how much of it was taken.

left a b c d, right A b C d, decided A b c d: mixed, and of 2 hunks 1 stands as it was proposed
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Literal, NamedTuple

from acp_nvim.text.line_diff import Edit, edits
from acp_nvim.text.text_file import in_format


class Outcome(NamedTuple):
    kind: Literal["all", "nothing", "mixed"]
    text: str | None


def decide(left: str | None, right: str | None, decided: str | None) -> Outcome:
    """Compare the decided text with both sides of the proposal.

    A different line end or last newline is the editor's doing, and no decision. Nor can the user tell "no file" from an
    empty one in a buffer.
    """
    for same in (operator.eq, are_alike):
        if same(decided, right):
            return Outcome("all", right)
        if same(decided, left):
            return Outcome("nothing", left)
    return Outcome("mixed", decided)


def taken(left: str | None, right: str | None, decided: str | None) -> tuple[int, int]:
    """Return how many hunks stand as they were proposed, and how many were proposed.

    left a b c d, right A b C d, decided A b c d: (1, 2), for C was refused.
    """
    before, proposed, after = (list(in_format(text or "", "\n").lines) for text in (left, right, decided))
    touched = [(each.first, each.last) for each in edits(proposed, after)]
    hunks = spans(edits(before, proposed))
    return sum(not any(overlap(span, other) for other in touched) for span in hunks), len(hunks)


def are_alike(one: str | None, other: str | None) -> bool:
    """Whether two texts have the same lines, whatever ends them."""
    return lines_of(one) == lines_of(other)


def lines_of(text: str | None) -> list[str]:
    """Return the lines without their ends; those of no text are one empty line."""
    return (text or "").removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")


def spans(changes: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return the rows of the edits in the new text: edits { 1-2 become x y, 4-4 become z } stand at 1-3 and 5-6."""
    found = []
    shift = 0
    for first, last, lines in changes:
        found.append((first + shift, first + shift + len(lines)))
        shift += len(lines) - (last - first)
    return found


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two row ranges overlap. An empty range stands between two lines, and meets either."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]
