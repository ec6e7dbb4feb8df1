"""Estimates whether Neovim's diff mode would block on two texts.

Diff mode compares lines that have moved in quadratic time, and while it draws, the characters within each change.
Neither can be interrupted. Upper bounds for both are computed here, in a time that a hostile text cannot raise.

    old  a b c d     c has moved: it counts as a line, once on each side
    new  c a b x     "c d" has become "x": 2 * 1 pairs of characters
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from acp_nvim import limits
from acp_nvim.text import line_diff
from acp_nvim.text.diff_view import changed, lines, shared, too_large


def is_too_much(old: str | None, new: str | None) -> bool:
    """Whether diff mode would block while it compares the texts, or while it draws one of their lines."""
    old, new = old or "", new or ""
    longest = max(len(line) for text in (old, new) for line in text.split("\n"))
    return longest > limits.DIFF_MODE_LINE_CHARS or stands_still(old, new)


def stands_still(old: str, new: str) -> bool:
    """Whether diff mode would block while it compares the texts."""
    old, new = changed(old, new)
    if not old or not new:
        return False
    return too_large(old, new) or _is_expensive(lines(old), lines(new))


def _is_expensive(a: list[str], b: list[str]) -> bool:
    """Moved lines are compared as lines. A line that the other text lacks costs its characters alone."""
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
    """Return the pairs of characters of two ranges of lines."""
    return sum(map(len, one)) * sum(map(len, other))


def _pairs(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the same without what neighbours share at both ends: a whole file may have been indented again."""
    differing = sum(_differing(*pair) for pair in zip_longest(one, other, fillvalue=""))
    return min(_area(one, other), (differing // 2) ** 2)


def _differing(one: str, other: str) -> int:
    head = shared(one, other)
    one, other = one[head:], other[head:]
    return len(one) + len(other) - 2 * shared(one, other, from_end=True)
