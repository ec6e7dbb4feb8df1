"""Computes the line edits that make one list of lines out of another: few, small, and found in bounded time.

    old  a b c d      edits  1-2 become x   (b)
    new  a x c d e           4-4 become e   (behind d)

Invariant: edits are disjoint and ascending, and `apply(old, edits(old, new)) == new`.

The longest common subsequence decides, computed with one bit a line in a big integer, so that a hostile text costs no
more than a friendly one. In larger texts it does so between anchors, the lines that both hold exactly once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from acp_nvim import limits

Lines = list[str]
Stretch = tuple[int, int, int, int]  # a[i1:i2] is b[j1:j2] now
Pair = tuple[int, int]


class Edit(NamedTuple):
    """The lines `first` to `last` (from 0, the end exclusive) become `lines`."""

    first: int
    last: int
    lines: Lines

    @property
    def grows(self) -> bool:
        return len(self.lines) > self.last - self.first


def edits(old: Lines, new: Lines) -> list[Edit]:
    """Return the edits that make `new` of `old`, disjoint and ascending. Rows are those of `old`."""
    return [Edit(i1, i2, new[j1:j2]) for i1, i2, j1, j2 in stretches(old, new)]


def apply(lines: Lines, changes: Iterable[Edit]) -> list[str]:
    """Return the lines with disjoint, ascending edits carried out."""
    result: list[str] = []
    done = 0
    for first, last, new in changes:
        result += lines[done:first]
        result += new
        done = last
    return [*result, *lines[done:]]


def stretches(a: Lines, b: Lines) -> Iterator[Stretch]:
    """Yield the ranges in which the two differ, in order."""
    head, tail = ends(a, b)
    some, others = a[head : len(a) - tail], b[head : len(b) - tail]
    i = j = head
    for x, y in [*(anchors(some, others) if _are_many(some, others) else ()), (len(some), len(others))]:
        if head + x > i or head + y > j:
            yield from _gap(a, b, i, head + x, j, head + y)
        i, j = head + x + 1, head + y + 1


def _gap(a: Lines, b: Lines, i: int, end_a: int, j: int, end_b: int) -> Iterator[Stretch]:
    """Yield the differing ranges between two anchors."""
    head, tail = ends(a[i:end_a], b[j:end_b])
    i, end_a, j, end_b = i + head, end_a - tail, j + head, end_b - tail
    some, others = a[i:end_a], b[j:end_b]
    pairs = [] if _are_many(some, others) else common(some, others)
    for at_a, at_b in [*((i + x, j + y) for x, y in pairs), (end_a, end_b)]:
        if at_a > i or at_b > j:
            yield i, at_a, j, at_b
        i, j = at_a + 1, at_b + 1


def _are_many(a: Lines, b: Lines) -> bool:
    return len(a) * len(b) > limits.DIFF_PAIRS


def ends(a: Lines, b: Lines) -> Pair:
    """Return how many lines are equal at the beginning and, of the rest, at the end."""
    most = min(len(a), len(b))
    head = 0
    while head < most and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < most - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, tail


def anchors(a: Lines, b: Lines) -> list[Pair]:
    """Pair the lines that both hold exactly once, as far as their order is the same.

    a: p q r q, b: r p q    unique in both: p and r; in the same order: r alone
    """
    if not a or not b:
        return []
    places = _unique(b)
    pairs = [(i, places[line]) for line, i in _unique(a).items() if line in places]
    if all(x[1] < y[1] for x, y in pairwise(pairs)):
        return pairs
    return _ascending(pairs)


def _unique(lines: Lines) -> dict[str, int]:
    """Return the place of each line that occurs once, in order."""
    places = {line: at for at, line in enumerate(lines)}  # the last place of each
    if len(places) == len(lines):
        return places
    first: dict[str, int] = {}
    for at, line in enumerate(lines):
        first.setdefault(line, at)
    return {line: at for line, at in first.items() if places[line] == at}


def _ascending(pairs: list[Pair]) -> list[Pair]:
    """Return the longest ascending selection of the pairs: (0, 2), (1, 0), (2, 1) gives (1, 0), (2, 1).

    Patience sorting: `ends[n]` is the smallest last place of an ascending run of n + 1 pairs.
    """
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        holders[length : length + 1] = [number]
        before.append(holders[length - 1] if length else -1)
    chosen = []
    at = holders[-1]
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def common(a: Lines, b: Lines) -> list[Pair]:
    """Pair the lines of a longest common subsequence. Lines of one side alone are left out first."""
    in_a, in_b = set(a), set(b)
    rows_a = [i for i, line in enumerate(a) if line in in_b]
    rows_b = [j for j, line in enumerate(b) if line in in_a]
    some_a, some_b = [a[i] for i in rows_a], [b[j] for j in rows_b]
    if len(rows_b) > limits.ALIGNED_LINES:
        return [(rows_a[i], rows_b[j]) for j, i in _longest_common(some_b, some_a)]
    return [(rows_a[i], rows_b[j]) for i, j in _longest_common(some_a, some_b)]


def _longest_common(a: Lines, b: Lines) -> list[Pair]:
    """Return the pairs of a longest common subsequence, by Hyyrö's bit-parallel algorithm.

    One integer for each line of `a` has a bit for each line of `b`. A bit is 0 where the subsequence of the lines so
    far is one longer with that line of `b`. Lines a x b against a b: 11, 10, 10, 00, where b is the high bit.
    """
    if not a or not b:
        return []
    places: dict[str, int] = {}
    for at, line in enumerate(b):
        places[line] = places.get(line, 0) | 1 << at
    everything = (1 << len(b)) - 1
    vectors = [everything]
    for line in a:
        vector = vectors[-1]
        met = vector & places.get(line, 0)
        vectors.append(((vector + met) | (vector - met)) & everything)
    return _walk_back(vectors, len(a), len(b))


def _walk_back(vectors: list[int], i: int, j: int) -> list[Pair]:
    """Read the pairs off the vectors, from the last lines to the first."""
    pairs = []
    while i and j:
        if vectors[i] >> (j - 1) & 1:
            j -= 1
        elif vectors[i - 1] >> (j - 1) & 1:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        else:
            i -= 1
    return pairs[::-1]
