"""Chooses the rows of a diff for which a question has room: of each hunk lines that go and lines that come.

    the diff        room for two rows    for four
    17 def f():                          17 def f():
    -  a            -  a … 2 more        -  a
    -  b                                 -  b … 1 more
    -  c
    +  x            +  x                 +  x

Invariants: the rows keep their order; a hunk that has both sides is drawn with both or not at all; each changed line
that is left out of a drawn hunk is counted by the last row above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from acp_nvim.session.change_preview import DiffRow

Group = tuple[int, ...]  # places of rows that are drawn together

CHANGED = ("-", "+")


class Excerpt:
    """The rows of one file. `take` adds the next group, the most important ones first."""

    def __init__(self, rows: Sequence[DiffRow], most: int) -> None:
        self._rows = rows
        self._groups = list(_bounded(_groups(rows), most))
        self._taken = 0

    @property
    def gutter(self) -> int:
        """Return the width of the line numbers, as far as rows can be drawn at all; 0: none is known."""
        numbers = (self._rows[place].number for group in self._groups for place in group)
        return max((len(str(number)) for number in numbers if number), default=0)

    def take(self) -> bool:
        """Add the next group; False: there is none left."""
        has_more = self._taken < len(self._groups)
        self._taken += has_more
        return has_more

    def drop(self) -> None:
        """Take back the last group, and end there."""
        self._taken -= 1
        del self._groups[self._taken :]

    def rows(self) -> list[DiffRow]:
        """Return the drawn rows in their order; the last one of a side tells how many lines it has left out."""
        places = sorted(place for group in self._groups[: self._taken] for place in group)
        found: list[DiffRow] = []
        for number, place in enumerate(places, 1):
            following = places[number] if number < len(places) else len(self._rows)
            row = self._rows[place]
            found.append(row._replace(more=row.more + self._left_out(place, following)))
        return found

    def _left_out(self, place: int, following: int) -> int:
        """Count the lines of the same side behind a row, up to the next row that is drawn."""
        sign, count = self._rows[place].sign, 0
        for row in self._rows[place + 1 : following]:
            if row.sign != sign or sign not in CHANGED:
                break
            count += 1 + row.more
        return count


def _groups(rows: Sequence[DiffRow]) -> Iterator[Group]:
    """Yield the groups of all hunks: one line of each side, the line above them, then the others by turns."""
    for number, (above, gone, come) in enumerate(_hunks(rows)):
        gap = next((at for at, place in enumerate(above) if rows[place].sign == "⋯"), 0)
        if not gone and not come:
            yield from ((place,) for place in above)  # below the last hunk
            continue
        behind, before = above[:gap], above[gap:]
        yield from ((place,) for place in behind)
        pair = (*gone[:1], *come[:1])
        if number:  # what separates it from the hunk above belongs to it
            yield (*before, *pair)
        else:
            yield pair
            yield from ((place,) for place in before)
        for others in zip_longest(gone[1:], come[1:]):
            yield from ((place,) for place in others if place is not None)


def _hunks(rows: Sequence[DiffRow]) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Yield each hunk: the places of the lines above it that stay, of those that go, of those that come."""
    above: list[int] = []
    gone: list[int] = []
    come: list[int] = []
    for place, row in enumerate(rows):
        if (row.sign not in CHANGED and (gone or come)) or (row.sign == "-" and come):
            yield above, gone, come
            above, gone, come = [], [], []
        (gone if row.sign == "-" else come if row.sign == "+" else above).append(place)
    if rows:
        yield above, gone, come


def _bounded(groups: Iterator[Group], most: int) -> Iterator[Group]:
    """Yield groups of at most so many rows."""
    for group in groups:
        most -= len(group)
        if most < 0:
            return
        yield group
