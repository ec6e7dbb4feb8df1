"""One place that an agent changed: old lines for new ones, and what is left of it when a user changes some.

Lines pair by position, and what one side has more belongs to the last pair. A line that the user changes or deletes
leaves with its partner: both are the user's business then.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, NamedTuple

_ids = count(1)
_births = count(1)

Lines = tuple[str, ...]


def new_id() -> int:
    """Of a change, unique in the process."""
    return next(_ids)


@dataclass(frozen=True, slots=True)
class Author:
    session: int
    turn: int
    by: Literal["agent", "unknown"]


class Origin(NamedTuple):
    """Which lines of which agent's edit: what tells that an earlier block holds lines of a later one."""

    born: int
    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of an agent over those that were there."""

    author: Author
    old: Lines
    new: Lines
    id: int = field(default_factory=lambda: next(_ids))
    loose: bool = False  # new lines beyond the pairs have no partner: the user has taken it
    born: int = field(default_factory=lambda: next(_births))
    old_at: int = 0  # where the lines begin in the edit that made them
    new_at: int = 0
    melted: frozenset[Origin] = frozenset()  # what a later edit of the agent has put into this one

    @property
    def origin(self) -> Origin:
        olds = (self.old_at, self.old_at + len(self.old))
        return Origin(self.born, olds, (self.new_at, self.new_at + len(self.new)))

    def without(self, first: int, last: int) -> list[Change]:
        """What stays when the user changes the new lines `first` to `last`, or begins to write before `first`."""
        olds = len(self.old)
        if first == last:
            return self._apart((min(first, olds), min(first, olds)), (first, last))
        shared = 0 < olds <= first and not self.loose
        low = olds - 1 if shared else min(first, olds)
        high = olds if last == len(self.new) else min(last, olds)
        return self._apart((low, high), (first, last), shared or self.loose)

    def renamed(self, to: int | None = None) -> Change:
        return replace(self, id=next(_ids) if to is None else to)

    def minus(self, kept: Iterable[Origin]) -> list[Change]:
        """What stays when lines of the same edit have been kept."""
        parts = [self]
        for origin in kept:
            parts = [rest for part in parts for rest in part._minus(origin)]
        return parts

    def _minus(self, kept: Origin) -> list[Change]:
        olds = _inside(kept.old, self.old_at, len(self.old))
        news = _inside(kept.new, self.new_at, len(self.new))
        if olds[0] == olds[1] and news[0] == news[1]:
            return [self]
        return self._apart(olds, news, self.loose)

    def _apart(self, olds: tuple[int, int], news: tuple[int, int], loose: bool = False) -> list[Change]:
        """The parts before and after what is taken out; the first one is still this change."""
        left = replace(self, old=self.old[: olds[0]], new=self.new[: news[0]], loose=self.loose or loose)
        right = replace(
            self,
            old=self.old[olds[1] :],
            new=self.new[news[1] :],
            old_at=self.old_at + olds[1],
            new_at=self.new_at + news[1],
        )
        if not (left.old or left.new):
            return [right] if right.old or right.new else []
        return [left, right.renamed()] if right.old or right.new else [left]


def _inside(span: tuple[int, int], at: int, size: int) -> tuple[int, int]:
    first, last = (min(max(place - at, 0), size) for place in span)
    return first, last


class Placed(NamedTuple):
    row: int  # of the live text
    change: Change

    @property
    def end(self) -> int:
        return self.row + len(self.change.new)


class Blocks:
    """The changes of one text, ascending. Only a fresh copy is changed: a history shares the others."""

    __slots__ = ("changes", "rows")

    def __init__(self, rows: Sequence[int] = (), changes: Sequence[Change] = ()) -> None:
        self.rows = list(rows)
        self.changes = list(changes)

    def __iter__(self) -> Iterator[Placed]:
        return map(Placed, self.rows, self.changes)

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, index: int) -> Placed:
        return Placed(self.rows[index], self.changes[index])

    def near(self, first: int, last: int) -> tuple[int, int]:
        """The changes that overlap or touch these rows: from, and up to but not including."""
        begin = bisect_left(self.rows, first)
        while begin and self.at(begin - 1).end >= first:
            begin -= 1
        return begin, bisect_right(self.rows, last)

    def replace(self, begin: int, end: int, parts: Sequence[Placed], shift: int) -> bool:
        """`parts` in place of some; those behind move. False: nothing has changed."""
        if not shift and parts == [self.at(index) for index in range(begin, end)]:
            return False
        if shift:
            self.rows[end:] = [row + shift for row in self.rows[end:]]
        self.rows[begin:end] = [part.row for part in parts]
        self.changes[begin:end] = [part.change for part in parts]
        return True

    def copy(self) -> Blocks:
        return Blocks(self.rows, self.changes)

    @staticmethod
    def of(parts: Sequence[Placed]) -> Blocks:
        return Blocks([part.row for part in parts], [part.change for part in parts])
