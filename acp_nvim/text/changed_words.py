"""Finds the words by which the lines of a change differ, so that a reader sees them at once.

    old  for order in orders: add(order)        changed  orders      the words between what both lines
    new  for order in all_orders: add(order)             all_orders  begin with and what both end with

    "orders: add(order)" ends both lines, but begins in the middle of a word of the new one.

Lines are paired that stand for each other, neighbours first. Of a pair with too little in common nothing is told: all
of it has changed.

    old  return n * 2
    new  return 2 * n          the pair, though the last line is more like the old one

         def half(n):
             return n / 2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.text.diff_view import shared

Span = tuple[int, int]  # characters of a line, the end exclusive

NOTHING: Span = (0, 0)
_LEAST_SHARED = 0.4  # of the longer line, without its indent
_NEIGHBOURS = 3  # lines from the first that is not paired yet


class _Compared(NamedTuple):
    likeness: float  # the share of the longer line that both have, from 0 to 1
    old: Span
    new: Span


def changed_words(gone: Sequence[str], come: Sequence[str]) -> tuple[list[Span], list[Span]]:
    """Return what has changed within each line of both sides of a change; NOTHING where that is all or unknown."""
    old, new = [NOTHING] * len(gone), [NOTHING] * len(come)
    for i, j in _pairs(gone, come):
        found = _compare(gone[i], come[j])
        if found.likeness >= _LEAST_SHARED:
            old[i], new[j] = found.old, found.new
    return old, new


def _pairs(gone: Sequence[str], come: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair lines by their places if as many go as come, else each line of the shorter side, in order, with the most
    similar of its neighbours, or with the most similar line if none of them has enough in common with it."""
    if len(gone) == len(come):
        yield from ((at, at) for at in range(len(gone)))
    elif len(gone) > len(come):
        yield from ((i, j) for j, i in _pairs(come, gone))
    elif len(gone) * len(come) <= limits.PAIRED_LINES:
        first = 0
        for i, line in enumerate(gone):
            last = len(come) - (len(gone) - i - 1)  # the others need one each
            likeness = [_compare(line, come[j]).likeness for j in range(first, last)]
            near = max(likeness[:_NEIGHBOURS])
            first += likeness.index(near if near >= _LEAST_SHARED else max(likeness))
            yield i, first
            first += 1


def _compare(old: str, new: str) -> _Compared:
    head = shared(old, new)
    tail = min(shared(old, new, from_end=True), min(len(old), len(new)) - head)
    while _cuts_word(old, head) or _cuts_word(new, head):
        head -= 1
    while _cuts_word(old, len(old) - tail) or _cuts_word(new, len(new) - tail):
        tail -= 1
    longer = max(len(old.strip()), len(new.strip()), 1)
    likeness = (len(old[:head].lstrip()) + tail) / longer
    return _Compared(likeness, (head, len(old) - tail), (head, len(new) - tail))


def _cuts_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _is_word(text[at - 1]) and _is_word(text[at])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
