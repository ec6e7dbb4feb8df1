"""Computes the smallest edit that makes the new rows of a block from the old ones.

A row is a line of the buffer and the mark on it, if it has one. Marks are kept without their `row`: they are
the same wherever the block stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Mark = dict[str, Any]
Row = tuple[str, Mark | None]
Op = list[Any]


def edit(at: int, old: Sequence[Row], new: Sequence[Row]) -> Op | None:
    """Return the edit of a block whose first row is `at`; None if nothing differs."""
    shared = min(len(old), len(new))
    head = _same(old, new, shared)
    tail = _same(reversed(old), reversed(new), shared - head)
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    first, last = at + head, at + head + len(gone)
    if not gone and not come:
        return None
    if texts(gone) == texts(come):
        return ["marks", first, last, marks(first, come)]
    return ["splice", first, last, texts(come), marks(first, come)]


def texts(rows: Iterable[Row]) -> list[str]:
    return [text for text, _ in rows]


def marks(at: int, rows: Iterable[Row]) -> list[Mark]:
    return [{"row": row, **mark} for row, (_, mark) in enumerate(rows, at) if mark]


def _same(one: Iterable[Row], other: Iterable[Row], limit: int) -> int:
    """Count the equal rows from here on."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if count == limit or left != right:
            break
        count += 1
    return count
