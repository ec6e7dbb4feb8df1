"""The live text of one file: lines that nobody has to decide on, and hunks of agents that are pending.

Every line has one owner. What the user writes is the user's at once, wherever it stands: undoing a hunk takes back
what is left of the agent's lines in it, and nothing else. A text that was there before brings its hunks along.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from acp_nvim.review.blocks import Author, Blocks, Change, Origin, Placed
from acp_nvim.review.edits import Edit, apply, edits
from acp_nvim.review.ownership import melt, take
from acp_nvim.review.past import Past, mark

__all__ = ["Author", "Hunk", "Patchwork"]

_DECIDED = 1000  # hunks that are told of after their decision


@dataclass(frozen=True, slots=True)
class Hunk:
    id: int
    author: Author
    state: Literal["pending", "kept", "undone"]
    first: int  # row from 0 where `new` begins in the live text, or where `old` was if `new` is empty
    old: tuple[str, ...]
    new: tuple[str, ...]


class _Decided(NamedTuple):
    row: int
    change: Change
    kept: bool


class _State(NamedTuple):
    blocks: Blocks
    decided: tuple[_Decided, ...]


class _Step(NamedTuple):
    """What a step did to the text: the edits back, and how the mark has changed."""

    back: Sequence[Edit] = ()
    change: int = 0


class Patchwork:
    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)
        self._state = _State(Blocks(), ())
        self._kept: dict[int, list[Origin]] = {}  # by the agent's edit that they come from
        self._kept_ids: set[int] = set()
        self._hunks: dict[int, Hunk] = {}  # pending when last asked
        self._past = Past(self._state, self._lines)

    @property
    def lines(self) -> list[str]:
        """The live text; a copy."""
        return list(self._lines)

    @property
    def last(self) -> tuple[int, str | None]:
        """How many lines, and the last one."""
        return len(self._lines), self._lines[-1] if self._lines else None

    @property
    def base(self) -> list[str]:
        """The live text with all that is pending taken back."""
        return apply(self._lines, map(_undoing, self._state.blocks))

    @property
    def pending(self) -> list[Hunk]:
        """Ascending; one that is as it was is the same object."""
        known = self._hunks
        hunks = [_pending(known.get(change.id), change, row) for row, change in self._state.blocks]
        self._hunks = {hunk.id: hunk for hunk in hunks}
        return hunks

    @property
    def decided(self) -> list[Hunk]:
        """Kept and undone, oldest first; where they stand is a guess once there are edits there."""
        return [_hunk(change, row, "kept" if kept else "undone") for row, change, kept in self._state.decided]

    def agent(self, new: Sequence[str], author: Author) -> list[Edit]:
        """The live text becomes `new`, and that is the agent's doing; by which edits."""
        changes = edits(self._lines, list(new))
        self._written(changes, author)
        return changes

    def agent_edit(self, edit: Edit, author: Author) -> list[Edit]:
        changes = self._refined(edit)
        self._written(changes, author)
        return changes

    def user(self, edit: Edit, is_new: bool = False) -> None:
        """An edit of the user, in rows of the live text. `is_new`: it brings nothing back, whatever text it makes."""
        self._typed(self._refined(edit), is_new)

    def stood_at(self, change: int) -> None:
        """The live text stands after that change of the editor's, if nothing else has been told of it."""
        if self._past.change is None:
            self._past.stands_at(change)

    def stands_at(self, change: int, has_returned: bool) -> bool:
        """The live text stands after that change of the editor's. Where the user has gone back or forth to it, what was
        known there is known again: then True."""
        known = self._past.at(change, self._lines) if has_returned else None
        if known is not None:
            self._enter(self._known(known, self._state.decided), _Step())
        self._past.stands_at(change)
        return known is not None

    def forget_changes(self) -> None:
        """The editor's numbers are those of another buffer from now on."""
        self._past.forget_changes()

    def became(self, new: Sequence[str]) -> list[Edit]:
        """The live text is `new`, and nobody's to decide: read anew, or the disk's; by which edits."""
        changes = edits(self._lines, list(new))
        self._typed(changes)
        return changes

    def knows(self, text: Sequence[str]) -> None:
        """The live text without some edits of the user's, which may be thrown away: it would bring its hunks along."""
        now = self.lines
        self.became(text)
        self.became(now)

    def keep(self, hunk_id: int) -> bool:
        """False: no such hunk is pending."""
        return bool(self.keep_all([hunk_id]))

    def undo(self, hunk_id: int) -> Edit | None:
        """Takes the hunk back; the edit that does it, in rows of the text before. None: none such is pending."""
        done = self.undo_all([hunk_id])
        return done[0] if done else None

    def keep_all(self, hunk_ids: Iterable[int]) -> list[int]:
        """As one step; those that were pending."""
        hunk_ids = frozenset(hunk_ids)
        blocks, decided = self._state
        chosen = [_Decided(row, change, True) for row, change in blocks if change.id in hunk_ids]
        for _, change, _ in chosen:
            self._kept_ids.add(change.id)
            for origin in (change.origin, *change.melted):
                self._kept.setdefault(origin.born, []).append(origin)
        if chosen:
            rest = Blocks.of([placed for placed in blocks if placed.change.id not in hunk_ids])
            self._enter(_State(rest, _bounded(*decided, *chosen)), _Step())
        return [each.change.id for each in chosen]

    def undo_all(self, hunk_ids: Iterable[int]) -> list[Edit]:
        """As one step; ascending and disjoint, in rows of the text before."""
        blocks, decided = self._state
        undone = _undone(blocks, frozenset(hunk_ids))
        if undone.edits:
            now = _bounded(*_moved(decided, undone.edits), *undone.decided)
            self._enter(_State(Blocks.of(undone.rest), now), self._replace(undone.edits))
        return undone.edits

    def _refined(self, edit: Edit) -> list[Edit]:
        first, last, lines = edit
        if not 0 <= first <= last <= len(self._lines):
            raise IndexError(f"rows {first} to {last} of {len(self._lines)}")
        finer = edits(self._lines[first:last], list(lines))
        return [Edit(first + each.first, first + each.last, each.lines) for each in finer]

    def _written(self, changes: list[Edit], author: Author) -> None:
        if changes:
            before = _moved(self._state.decided, changes)
            blocks = self._state.blocks.copy()
            steps = []
            for edit in reversed(changes):
                melt(blocks, self._lines, edit, author)
                steps.append(self._replace([edit]))
            back = [edit for step in reversed(steps) for edit in step.back]
            self._enter(_State(blocks, before), _Step(back, sum(step.change for step in steps)))

    def _typed(self, changes: list[Edit], is_new: bool = False) -> None:
        if not changes:
            return
        blocks = self._state.blocks.copy()
        met = [take(blocks, edit) for edit in reversed(changes)]
        state = _State(blocks if any(met) else self._state.blocks, _moved(self._state.decided, changes))
        step = self._replace(changes)
        known = None if is_new else self._past.recall(self._lines, *step)
        if known is None and state == self._state:
            self._enter(state, step, _only_row(changes))
        else:
            self._enter(state if known is None else self._known(known, state.decided), step)

    def _known(self, known: _State, now: Collection[_Decided]) -> _State:
        """What was known of this text, less what has been kept since."""
        parts = [
            Placed(row + part.new_at - change.new_at, part)
            for row, change in known.blocks
            for part in self._unkept(change)
        ]
        told = {each.change.id for each in known.decided if each.kept}
        decided = [each for each in known.decided if each.kept or each.change.id not in self._kept_ids]
        since = [each for each in now if each.kept and each.change.id not in told]
        return _State(Blocks.of(parts), _bounded(*decided, *since))

    def _unkept(self, change: Change) -> list[Change]:
        parts = change.minus(self._kept.get(change.born, ()))
        return [part.renamed() if part.id in self._kept_ids else part for part in parts]

    def _replace(self, changes: list[Edit]) -> _Step:
        back, change = [], 0
        for first, last, lines in reversed(changes):
            old = self._lines[first:last]
            self._lines[first:last] = lines
            back.append(Edit(first, first + len(lines), old))
            change += mark(lines) - mark(old)
        return _Step(back[::-1], change)

    def _enter(self, state: _State, step: _Step, typed: int | None = None) -> None:
        self._state = state
        self._past.add(state, *step, typed)


class _Undone(NamedTuple):
    edits: list[Edit]
    decided: list[_Decided]
    rest: list[Placed]


def _undone(blocks: Blocks, hunk_ids: Collection[int]) -> _Undone:
    result = _Undone([], [], [])
    shift = 0
    for placed in blocks:
        row, change = placed.row + shift, placed.change
        if change.id in hunk_ids:
            result.edits.append(_undoing(placed))
            result.decided.append(_Decided(row, change, False))
            shift += len(change.old) - len(change.new)
        else:
            result.rest.append(Placed(row, change))
    return result


def _undoing(placed: Placed) -> Edit:
    return Edit(placed.row, placed.end, list(placed.change.old))


def _pending(known: Hunk | None, change: Change, row: int) -> Hunk:
    same = (
        known is not None
        and known.first == row
        and known.new is change.new
        and known.old is change.old
        and known.author is change.author
    )
    return known if known is not None and same else _hunk(change, row, "pending")


def _hunk(change: Change, row: int, state: Literal["pending", "kept", "undone"]) -> Hunk:
    return Hunk(change.id, change.author, state, row, change.old, change.new)


def _bounded(*decided: _Decided) -> tuple[_Decided, ...]:
    return decided[-_DECIDED:]


def _moved(decided: tuple[_Decided, ...], changes: Sequence[Edit]) -> tuple[_Decided, ...]:
    """Rows behind an edit follow it."""
    if not decided:
        return decided
    ends = [edit.last for edit in changes]
    shifts = [0, *accumulate(len(edit.lines) - (edit.last - edit.first) for edit in changes)]

    def moved(each: _Decided) -> _Decided:
        before = bisect_right(ends, each.row)
        within = changes[before : before + 1]
        row = min([each.row, *(edit.first + len(edit.lines) for edit in within)])
        return each if row + shifts[before] == each.row else each._replace(row=row + shifts[before])

    return tuple(map(moved, decided))


def _only_row(changes: list[Edit]) -> int | None:
    first, last, lines = changes[0]
    return first if len(changes) == 1 and last - first == len(lines) == 1 else None
