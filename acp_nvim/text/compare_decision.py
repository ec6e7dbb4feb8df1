"""Compares the text that the user has decided on with both sides of a proposal: how much of it was taken.

left a b c d, right A b C d, decided A b c d: mixed, and of 2 hunks 1 stands as it was proposed
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from acp_nvim.text.line_diff import Edit, edits
from acp_nvim.text.text_file import in_format

_EDITED = "edited by you"


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


class Taken(NamedTuple):
    """How many of the proposed hunks stand as they were proposed, how many are edited or taken in part, and how many
    lines that adds and removes."""

    whole: int
    edited: int
    proposed: int
    added: int = 0
    removed: int = 0


def taken(left: str | None, right: str | None, decided: str | None) -> Taken:
    """Count the hunks that the user has taken. A hunk is refused where the decided text is what it was before.

    left a b c d e, right A b C d E F, decided A b c d E: A is taken, C refused, of E F a part: +2 −2.
    """
    before, proposed, after = (list(in_format(text or "", "\n").lines) for text in (left, right, decided))
    changes = edits(before, proposed)
    unlike_right = [(each.first, each.last) for each in edits(proposed, after)]
    made = edits(before, after)
    unlike_left = [(each.first, each.last) for each in made]
    whole = edited = 0
    for change, span in zip(changes, spans(changes), strict=True):
        if not any(overlap((change.first, change.last), other) for other in unlike_left):
            continue
        if any(overlap(span, other) for other in unlike_right):
            edited += 1
        else:
            whole += 1
    added, removed = sum(len(each.lines) for each in made), sum(last - first for first, last in unlike_left)
    return Taken(whole, edited, len(changes), added, removed)


def total(files: Iterable[Taken]) -> Taken:
    return Taken(*(sum(each) for each in zip(*files, strict=True)))


def taken_in_words(found: Taken) -> str:
    """Return what a mixed decision has taken.

    2 of 3 hunks                  one is refused
    2 of 3 hunks, edited by you   one of the two is edited, or only some of its lines are taken
    no hunk, edited by you        all are refused, and lines beside them are edited
    edited by you                 all are taken, and lines beside them are edited
    """
    some, count = found.whole + found.edited, found.proposed
    if found.whole == count:
        return _EDITED
    told = f"{some} of {count} hunk{'s' * (count != 1)}" if some else "no hunk"
    return f"{told}, {_EDITED}" if found.edited or not some else told


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
