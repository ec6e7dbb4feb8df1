"""What an agent takes a file in review for, and which of its lines in it are certainly its own.

    before      a b c
    the agent   a B c      its view: a B c, and B over b is its own
    the user    a b c d    takes the hunk back, and writes a line: the next prompt tells of B, not of d
    the agent   A b c d    its view: A B c, for nobody has told it yet

Only what an agent has written without anybody's help is its own. What is read anew from the disk, what another agent
has written and what the user has merged come into the view as they are, and nothing is ever told of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acp_nvim.review.blocks import Author, Blocks, Change, Placed
from acp_nvim.review.edits import Edit, edits
from acp_nvim.review.ownership import melt, take

if TYPE_CHECKING:
    from acp_nvim.review.patchwork import Hunk

Own = frozenset[tuple[tuple[str, ...], tuple[str, ...]]]  # changes by the lines that go, and those that come
NOBODYS: Own = frozenset()
_OWN = Author(0, 0, "agent")  # a view is of one session: all turns of it are one


class Answers(NamedTuple):
    """What has become of the agent's own lines."""

    seen: list[str]  # the text that the agent knows
    told: list[
        Edit
    ]  # of that text, ascending: its own lines that are gone, or those that it took out and are back
    undone: int  # how many of its changes are as if it had not made them
    changed: int
    hidden: frozenset[int]  # rows of the text that are gone too, and are not the agent's
    wrote_all: bool  # nobody else has a line in the text
    took_all: list[str]  # what it held, if the agent has left nothing of it


class AgentsView:
    """One for each session that has changed the file."""

    def __init__(self) -> None:
        self._views: dict[int, _View] = {}

    def written(
        self, session: int, was: Sequence[str], changes: Sequence[Edit], own: Own | None = None
    ) -> None:
        """An agent has changed `was`. `own`: which changes are its own, where the user had a hand in them."""
        self._views.setdefault(session, _View(was))
        for other, view in self._views.items():
            view.follow(was, changes, own if other == session else NOBODYS)

    def read_anew(self, was: Sequence[str], changes: Sequence[Edit]) -> None:
        """Nobody can tell who has changed `was`."""
        for view in self._views.values():
            view.follow(was, changes, NOBODYS)

    def tell(
        self, session: int, now: Sequence[str], pending: Sequence[Hunk], decided: Iterable[Hunk]
    ) -> Answers | None:
        """What its agent has not been told so far; it is by this."""
        view = self._views.get(session)
        if view is None:
            return None
        answers = view.answers(list(now), pending, [hunk for hunk in decided if hunk.state == "undone"])
        view.learn(list(now), pending)
        return answers


class _View:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self._own = Blocks()
        self._wrote: set[str] = set()

    def follow(self, was: Sequence[str], changes: Sequence[Edit], own: Own | None) -> None:
        """Make the same changes here, where the user's are still unknown."""
        found = [own is None or _pair(was, each) in own for each in changes]
        unknown = self._catch_up(was, changes) if self._lines != was else []
        shift = sum(_growth(each) for each in unknown)
        for (first, last, lines), is_own in zip(reversed(changes), reversed(found), strict=True):
            while unknown and unknown[-1].first + shift - _growth(unknown[-1]) >= last:
                shift -= _growth(unknown.pop())
            edit = Edit(first - shift, last - shift, lines)
            if is_own:
                melt(self._own, self._lines, edit, _OWN)
                self._wrote.update(lines)
                self._lines[edit.first : edit.last] = lines
            else:
                self._replace(edit)

    def _catch_up(self, was: Sequence[str], changes: Sequence[Edit]) -> list[Edit]:
        """Know what `was` has where it is changed now. What is left is between this text and `was`."""
        apart = edits(self._lines, list(was))
        touched = list(_touched(_spans(apart), changes))
        for each, is_touched in zip(reversed(apart), reversed(touched), strict=True):
            if is_touched:
                self._replace(each)
        left, shift = [], 0
        for each, is_touched in zip(apart, touched, strict=True):
            if is_touched:
                shift += _growth(each)
            else:
                left.append(Edit(each.first + shift, each.last + shift, each.lines))
        return left

    def _replace(self, edit: Edit) -> None:
        """By lines that are nobody's; where the agent had taken some out, these may be the same."""
        take(self._own, edit)
        self._lines[edit.first : edit.last] = edit.lines
        begin, end = self._own.near(edit.first, edit.first + len(edit.lines))
        near = [self._own.at(index) for index in range(begin, end)]
        self._own.replace(begin, end, [placed for placed in near if placed.change.new], 0)

    def answers(self, now: list[str], pending: Sequence[Hunk], undone: Sequence[Hunk]) -> Answers:
        apart = edits(self._lines, now)
        begins, ends = [each.first for each in apart], [each.last for each in apart]
        gone = {row for each in apart for row in range(each.first, each.last)}
        lost = _Lost(self._own, self._wrote, pending, undone)
        told: list[Edit] = []
        counts = Counter[bool]()
        for placed in self._own:
            near = slice(bisect_left(ends, placed.row), bisect_right(begins, placed.end))
            found, is_undone = lost.of(placed, apart[near])
            if found:
                told += found
                counts[is_undone] += 1
        hidden = gone - {row for each in told for row in range(each.first, each.last)}
        own = sum(len(change.new) for change in self._own.changes)
        took_all = [line for change in self._own.changes for line in change.old] if not self._lines else []
        wrote_all = bool(own) and own == len(self._lines)
        seen = list(self._lines)
        return Answers(seen, told, counts[True], counts[False], frozenset(hidden), wrote_all, took_all)

    def learn(self, now: list[str], pending: Sequence[Hunk]) -> None:
        """The agent is told the text as it is. What the user has kept is the user's now."""
        out = {change.old for change in self._own.changes if not change.new}
        for each in reversed(edits(self._lines, now)):
            self._replace(each)
        self._lines = now
        held = [hunk for hunk in pending if hunk.new]
        rows = [hunk.first for hunk in held]

        def is_pending(placed: Placed) -> bool:
            at = bisect_right(rows, placed.row) - 1
            return at >= 0 and placed.end <= rows[at] + len(held[at].new)

        own = [placed for placed in self._own if placed.change.new and is_pending(placed)]
        for hunk in pending:
            if not hunk.new and hunk.old in out:
                own.append(Placed(hunk.first, Change(_OWN, hunk.old, ())))
        self._own = Blocks.of(sorted(own, key=lambda placed: (placed.row, placed.end)))


class _Lost:
    """Lines of the agent that are certainly not what they were: no hunk that is pending holds them."""

    def __init__(self, own: Blocks, wrote: set[str], pending: Sequence[Hunk], undone: Sequence[Hunk]) -> None:
        self._wrote = wrote
        self._news = Counter(line for change in own.changes for line in change.new)
        self._news.subtract(line for hunk in pending for line in hunk.new)
        self._olds = Counter(line for change in own.changes for line in change.old if not change.new)
        self._olds.subtract(line for hunk in pending for line in hunk.old if not hunk.new)
        self._undone = {(hunk.old, hunk.new) for hunk in undone}
        self._said: set[int] = set()  # where the edits begin whose lines are told already

    def of(self, placed: Placed, apart: Sequence[Edit]) -> tuple[list[Edit], bool]:
        """What has become of one change, and whether it is undone as a whole."""
        if not placed.change.new:
            return self._back(placed, apart)
        row, change = placed
        met = [each for each in apart if max(each.first, row) < min(each.last, placed.end)]
        told = []
        for each in met:
            lines = [] if each.first in self._said else each.lines
            rows = range(max(each.first, row), min(each.last, placed.end))
            for first, last in _runs([at for at in rows if self._is_lost(change.new[at - row])]):
                told.append(Edit(first, last, lines))
                lines = []
                self._said.add(each.first)
        if sum(last - first for first, last, _ in told) < len(change.new):
            return told, False
        now = [line for each in met for line in each.lines]
        if (change.old, change.new) in self._undone and _holds(now, change.old):
            return [Edit(row, placed.end, list(change.old))], True
        return told, now == list(change.old)

    def _is_lost(self, line: str) -> bool:
        if line not in self._wrote or self._news[line] <= 0:
            return False
        self._news[line] -= 1
        return True

    def _back(self, placed: Placed, apart: Sequence[Edit]) -> tuple[list[Edit], bool]:
        """Lines that the agent had taken out."""
        row, old = placed.row, placed.change.old
        now = [line for each in apart if each.first <= row <= each.last for line in each.lines]
        wanted = Counter(old) & +self._olds
        back = []
        for line in now:
            if wanted[line] > 0:
                wanted[line] -= 1
                back.append(line)
        self._olds.subtract(back)
        return ([Edit(row, row, back)] if back else []), back == list(old)


def proposed(was: Sequence[str], becomes: Sequence[str]) -> Own:
    """The changes that an agent has proposed: those that the user takes as they are stay its own."""
    return frozenset(_pair(was, each) for each in edits(list(was), list(becomes)))


def _pair(was: Sequence[str], change: Edit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(was[change.first : change.last]), tuple(change.lines)


def _touched(spans: Sequence[tuple[int, int]], changes: Sequence[Edit]) -> Iterator[bool]:
    """Whether a change meets the span, or begins or ends beside it."""
    ends = [each.last for each in changes]
    for begin, end in spans:
        at = bisect_left(ends, begin)
        yield at < len(changes) and changes[at].first <= end


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Those that follow each other: from, and up to but not including."""
    first = None
    for at, row in enumerate(rows):
        first = row if first is None else first
        if at + 1 == len(rows) or rows[at + 1] != row + 1:
            yield first, row + 1
            first = None


def _holds(lines: Sequence[str], part: Sequence[str]) -> bool:
    """One after the other."""
    size = len(part)
    return any(list(lines[at : at + size]) == list(part) for at in range(len(lines) - size + 1))


def _growth(edit: Edit) -> int:
    return len(edit.lines) - (edit.last - edit.first)


def _spans(changes: Sequence[Edit]) -> list[tuple[int, int]]:
    """Where the edits are in the text that they make."""
    spans, shift = [], 0
    for each in changes:
        spans.append((each.first + shift, each.first + shift + len(each.lines)))
        shift += _growth(each)
    return spans
