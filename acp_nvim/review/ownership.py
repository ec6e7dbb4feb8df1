"""Whose lines an edit makes of a text with pending changes: the user's edits take lines out, an agent's melt in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_nvim.review.blocks import Author, Blocks, Change, Placed
from acp_nvim.review.edits import Edit, edits


def take(blocks: Blocks, edit: Edit) -> bool:
    """The user's lines belong to no change: what they replace leaves with its partners. False: no change is met."""
    first, last, lines = edit
    begin, end = blocks.near(first, last)
    parts = [part for at in range(begin, end) for part in _left(blocks.at(at), edit)]
    return blocks.replace(begin, end, parts, len(lines) - (last - first))


def _left(placed: Placed, edit: Edit) -> Iterator[Placed]:
    """New lines of the user come behind lines that are hidden at the same row."""
    first, last, lines = edit
    row, change = placed
    behind = first + len(lines)
    if placed.end <= first:
        yield placed
    elif row >= last:
        yield Placed(row - last + behind, change)
    elif not change.new:
        yield Placed(min(row, behind), change)
    else:
        parts = change.without(max(first - row, 0), min(last, placed.end) - row)
        yield from (
            Placed(row if row < first and not number else behind, part) for number, part in enumerate(parts)
        )


def melt(blocks: Blocks, live: Sequence[str], edit: Edit, author: Author) -> None:
    """The agent's lines are a change over the lines that were there before any change they meet."""
    first, last, lines = edit
    begin, end = _met(blocks, edit, author)
    shift = len(lines) - (last - first)
    met = [blocks.at(index) for index in range(begin, end)]
    if not met:
        change = Change(author, tuple(live[first:last]), tuple(lines))
        blocks.replace(begin, end, [Placed(first, change)], shift)
        return
    low, high = min(first, met[0].row), max(last, met[-1].end)
    old, spans = _before(live, met, low, high)
    new = [*live[low:first], *lines, *live[last:high]]
    blocks.replace(begin, end, list(_remade(old, new, low, spans, author)), shift)


def _met(blocks: Blocks, edit: Edit, author: Author) -> tuple[int, int]:
    """Of neighbours that only touch, those of the same author, and lines that are hidden there."""

    def meets(placed: Placed) -> bool:
        overlap = placed.row < edit.last and placed.end > edit.first
        return overlap or placed.change.author == author or not placed.change.new

    begin, end = blocks.near(edit.first, edit.last)
    while begin < end and not meets(blocks.at(begin)) and blocks.at(begin).end <= edit.first:
        begin += 1
    while begin < end and not meets(blocks.at(end - 1)):
        end -= 1
    return begin, end


class _Span(NamedTuple):
    first: int
    last: int
    change: Change


def _before(live: Sequence[str], met: list[Placed], low: int, high: int) -> tuple[list[str], list[_Span]]:
    """These rows with the changes taken back, and where their lines are in it."""
    old: list[str] = []
    spans = []
    at = low
    for placed in met:
        old += live[at : placed.row]
        spans.append(_Span(len(old), len(old) + len(placed.change.old), placed.change))
        old += placed.change.old
        at = placed.end
    return [*old, *live[at:high]], spans


def _remade(old: list[str], new: list[str], low: int, spans: list[_Span], author: Author) -> Iterator[Placed]:
    origins = frozenset(origin for span in spans for origin in (span.change.origin, *span.change.melted))
    row = low
    free = list(spans)
    for first, last, lines in edits(old, new):
        change = Change(author, tuple(old[first:last]), tuple(lines), melted=origins)
        heir = next((span for span in free if span.first <= last and span.last >= first), None)
        if heir:
            free.remove(heir)
            change = change.renamed(heir.change.id)
        yield Placed(row + first, change)
        row += len(lines) - (last - first)
