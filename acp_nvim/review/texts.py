"""Whole texts in three ways, with what lines do not say: line ends, the final newline, the BOM.

A file keeps its line ends: where every line of it ends in CRLF, lines that an agent sends without are meant alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from acp_nvim.review.codec import Text, split
from acp_nvim.review.edits import longest
from acp_nvim.review.merge import Overlap, merge3

_BOM = "\ufeff"


class Joined(NamedTuple):
    """The merged text, overlaps as either side has them. Without overlaps both are the same."""

    ours: Text
    theirs: Text
    overlaps: tuple[Overlap, ...]


def as_text(text: str, end: str) -> Text:
    """A text as lines, in a file whose lines end with `end`."""
    bom = text.startswith(_BOM)
    body = text[1:] if bom else text
    if end != "\n":
        body = body.replace("\r\n", "\n").replace(end, "\n")
    lines = body.split("\n") if body else []
    final = not lines or lines[-1] == ""
    return Text(tuple(lines[:-1] if final else lines), end, final, bom)


def join(base: str | None, ours: Text, theirs: str) -> Joined:
    """`base` None: nobody knows what they have in common, so whatever differs overlaps."""
    if not base and not ours.lines:
        ours = replace(ours, end=split(theirs).end)
    new = as_text(theirs, ours.end)
    if base == ours.whole:
        joined = replace(new, bom=ours.bom or new.bom)
        return Joined(joined, joined, ())
    old = as_text(base, ours.end) if base is not None else Text(end=ours.end, final=not new.final)
    merge = merge3(list(old.lines), list(ours.lines), list(new.lines))
    shape = replace(
        ours,
        final=ours.final if new.final == old.final else new.final,
        bom=ours.bom or new.bom,
    )
    mine = replace(shape, lines=tuple(merge.lines("ours")))
    if not merge.overlaps:
        return Joined(mine, mine, ())
    return Joined(mine, replace(shape, lines=tuple(merge.lines("theirs"))), merge.overlaps)


def first_change(before: str, after: str) -> int:
    """The first line, from 1, that is not as it was."""
    most = min(len(before), len(after))
    return 1 + before.count("\n", 0, longest(most, lambda low, high: before[low:high] == after[low:high]))


def section(text: str, end: str, line: int | None, limit: int | None) -> str | None:
    """`limit` lines from `line` on, counted from 1, with their ends; None if there is no such line."""
    first = max(line or 1, 1)
    if first == 1 and limit is None:
        return text
    lines = text.split(end)
    total = max(1, len(lines) - (lines[-1] == ""))
    if first > total:
        return None
    last = total if limit is None else min(total, first - 1 + limit)
    picked = lines[first - 1 : last]
    return end.join(picked) + (end if picked and last < len(lines) else "")
