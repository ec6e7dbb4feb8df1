"""How much of a proposal the user has taken, in hunks."""

from __future__ import annotations

from acp_nvim.text.line_diff import edits
from acp_nvim.text.text_file import in_format


def taken(left: str | None, right: str | None, decided: str | None) -> tuple[int, int]:
    """The hunks that are as they were proposed, and how many there are.

    left a b c d, right A b C d, decided A b c d: (1, 2), for C was refused.
    """
    before, proposed, after = (list(in_format(text or "", "\n").lines) for text in (left, right, decided))
    touched = [(each.first, each.last) for each in edits(proposed, after)]
    count = whole = shift = 0
    for each in edits(before, proposed):
        first = each.first + shift
        last = first + len(each.lines)
        shift += len(each.lines) - (each.last - each.first)
        count += 1
        whole += not any(_meet((first, last), other) for other in touched)
    return whole, count


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Empty ones stand between two lines."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]
