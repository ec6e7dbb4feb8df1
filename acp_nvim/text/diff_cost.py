"""Estimates whether Neovim could show two texts as a diff without blocking.

That takes the square of the lines that are out of their place, and on the screen, within each change, that of its
characters. Both are bounded from above, in a time that does not depend on what a hostile text holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from acp_nvim import limits
from acp_nvim.text import line_diff
from acp_nvim.text.diff_view import changed, lines, shared, too_large


def is_too_much(old: str | None, new: str | None) -> bool:
    """Neovim would stand still over the diff, or over drawing one of its lines."""
    old, new = old or "", new or ""
    longest = max(len(line) for text in (old, new) for line in text.split("\n"))
    return longest > limits.DIFF_MODE_LINE_CHARS or stands_still(old, new)


def stands_still(old: str, new: str) -> bool:
    old, new = changed(old, new)
    if not old or not new:
        return False
    return too_large(old, new) or _is_dear(lines(old), lines(new))


def _is_dear(a: list[str], b: list[str]) -> bool:
    """A line that the other side has nowhere costs Neovim nothing but its characters."""
    both = set(a) & set(b)
    gaps = [(a[i1:i2], b[j1:j2]) for i1, i2, j1, j2 in line_diff.stretches(a, b)]
    moved = sum(line in both for one, other in gaps for line in (*one, *other))
    if moved > limits.DIFF_MODE_LINES:
        return True
    return (
        sum(_area(*gap) for gap in gaps) > limits.DIFF_MODE_PAIRS
        and sum(_pairs(*gap) for gap in gaps) > limits.DIFF_MODE_PAIRS
    )


def _area(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(map(len, one)) * sum(map(len, other))


def _pairs(one: Sequence[str], other: Sequence[str]) -> int:
    """What lines that stand side by side share costs nothing: all of a file may be indented anew."""
    differing = sum(_differing(*pair) for pair in zip_longest(one, other, fillvalue=""))
    return min(_area(one, other), (differing // 2) ** 2)


def _differing(one: str, other: str) -> int:
    head = shared(one, other)
    one, other = one[head:], other[head:]
    return len(one) + len(other) - 2 * shared(one, other, from_end=True)
