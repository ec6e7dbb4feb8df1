"""A model of the merge: what two sides made of one base, and where they made different things of it.

A line belongs to the side that changed it, so edits of neighbouring lines are disjoint. Two sides overlap where
both changed the same line, or where nobody can say which of their new lines comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from acp_nvim.text.line_diff import Edit, Lines, apply, edits
from acp_nvim.text.text_file import Text, in_format, split

Side = Literal["ours", "theirs"]


class Overlap(NamedTuple):
    """The lines `first` to `last` of the base, and what either side has in their place."""

    first: int
    last: int
    ours: Lines
    theirs: Lines


class Merge(NamedTuple):
    base: Lines
    clean: tuple[Edit, ...]  # what can be done without asking anybody
    overlaps: tuple[Overlap, ...]

    def lines(self, prefer: Side) -> list[str]:
        """The merged lines; overlaps as the preferred side has them."""
        chosen = [Edit(each.first, each.last, getattr(each, prefer)) for each in self.overlaps]
        return apply(self.base, sorted([*self.clean, *chosen], key=lambda edit: edit[:2]))


def merge3(base: Lines, ours: Lines, theirs: Lines) -> Merge:
    clean: list[Edit] = []
    overlaps: list[Overlap] = []
    for place in _places(_by_line(edits(base, ours)), _by_line(edits(base, theirs))):
        if not place.ours or not place.theirs or place.ours == place.theirs:
            clean += place.ours or place.theirs
            continue
        mine, other = place.of(base, place.ours), place.of(base, place.theirs)
        if mine == other:
            clean.append(Edit(place.first, place.last, mine))
        else:
            overlaps.append(Overlap(place.first, place.last, mine, other))
    return Merge(base, tuple(clean), tuple(overlaps))


class _Place:
    """Edits of both sides that touch each other."""

    def __init__(self) -> None:
        self.ours: list[Edit] = []
        self.theirs: list[Edit] = []

    @property
    def first(self) -> int:
        return min(edit.first for edit in (*self.ours[:1], *self.theirs[:1]))

    @property
    def last(self) -> int:
        return max(edit.last for edit in (*self.ours[-1:], *self.theirs[-1:]))

    def of(self, base: Lines, side: Iterable[Edit]) -> list[str]:
        first = self.first
        moved = [Edit(edit.first - first, edit.last - first, edit.lines) for edit in side]
        return apply(base[first : self.last], moved)


def _by_line(changes: list[Edit]) -> Iterator[Edit]:
    """N lines for N lines pair by position: each is an edit of its own."""
    for edit in changes:
        if edit.last - edit.first == len(edit.lines) > 1:
            yield from (Edit(edit.first + n, edit.first + n + 1, [line]) for n, line in enumerate(edit.lines))
        else:
            yield edit


def _places(ours: Iterable[Edit], theirs: Iterable[Edit]) -> Iterator[_Place]:
    tagged = [(edit, True) for edit in ours] + [(edit, False) for edit in theirs]
    tagged.sort(key=lambda each: each[0][:2])
    place = _Place()
    for edit, is_ours in tagged:
        mine, others = (place.ours, place.theirs) if is_ours else (place.theirs, place.ours)
        if (mine or others) and not (others and _meet(others[-1], edit)):
            yield place
            place = _Place()
            mine = place.ours if is_ours else place.theirs
        mine.append(edit)
    if place.ours or place.theirs:
        yield place


def _meet(one: Edit, other: Edit) -> bool:
    """`one` begins first. New lines of both in one gap have no order; a changed line beside a new one has."""
    if one.last != other.first:
        return one.last > other.first
    inserts = one.first == one.last or other.first == other.last
    return inserts and one.grows and other.grows


class Joined(NamedTuple):
    """The merged text, overlaps as either side has them. Without overlaps both are the same."""

    ours: Text
    theirs: Text
    overlaps: tuple[Overlap, ...]


def join(base: str | None, ours: Text, theirs: str) -> Joined:
    """`base` None: nobody knows what they have in common, so whatever differs overlaps."""
    if not base and not ours.lines:
        ours = replace(ours, end=split(theirs).end)
    new = in_format(theirs, ours.end)
    if base == ours.whole:
        joined = replace(new, bom=ours.bom or new.bom)
        return Joined(joined, joined, ())
    old = in_format(base, ours.end) if base is not None else Text(end=ours.end, final=not new.final)
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
