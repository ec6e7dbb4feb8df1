"""Texts that were there before, and what was known of them: what makes `u` and `<C-r>` bring hunks back.

A moment is known by the number of Neovim's change after which it stood: the same text typed once more has another one.
A text that was read anew from the disk has none, and is found by a sum over its lines that costs nothing to keep up.
Whatever is found is compared line by line with the text that the way back leads to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from acp_nvim.review.edits import Edit

_STATES = 500

State = TypeVar("State")


@dataclass(slots=True)
class _Moment(Generic[State]):
    mark: int
    state: State
    back: Sequence[Edit]  # to the text before this one, one after the other
    typed: int | None  # the row, if nothing but the user's text in it has changed
    change: int | None = None  # of the editor, after which the text stood so


def mark(lines: Sequence[str]) -> int:
    """The same for the same lines in any order; the difference of two is that of the lines that differ."""
    return sum(map(hash, lines)) + (len(lines) << 80)


class Past(Generic[State]):
    """The newest moment is the present."""

    def __init__(self, present: State, lines: Sequence[str]) -> None:
        self._moments = deque([_Moment(mark(lines), present, (), None)], _STATES)

    def add(self, state: State, back: Sequence[Edit], change: int, typed: int | None = None) -> None:
        """`change`: how the mark has changed. Typing on in a line of one's own is one moment."""
        last = self._moments[-1]
        if typed is not None and typed == last.typed and last.state == state:
            last.mark += change
        else:
            self._moments.append(_Moment(last.mark + change, state, back, typed))

    def stands_at(self, change: int) -> None:
        self._moments[-1].change = change

    @property
    def change(self) -> int | None:
        """At which the present stands, if that is known."""
        return self._moments[-1].change

    def forget_changes(self) -> None:
        """Another buffer counts its own."""
        for moment in self._moments:
            moment.change = None

    def at(self, change: int, lines: list[str]) -> State | None:
        """What was known of this text when it stood after that change."""
        return self.recall(lines, (), 0, lambda moment: moment.change == change)

    def recall(
        self,
        lines: list[str],
        back: Sequence[Edit],
        change: int,
        fits: Callable[[_Moment[State]], bool] = lambda moment: True,
    ) -> State | None:
        """What was known when the text was the same, newest first; `back` leads to the newest moment."""
        wanted = self._moments[-1].mark + change
        left = sum(moment.mark == wanted and fits(moment) for moment in self._moments)
        if not left:
            return None
        text = list(lines)
        for moment in reversed(self._moments):
            _go(text, back)
            if moment.mark == wanted and fits(moment):
                if text == lines:
                    return moment.state
                left -= 1
            if not left:
                return None
            back = moment.back
        return None


def _go(text: list[str], edits: Sequence[Edit]) -> None:
    for first, last, lines in edits:
        text[first:last] = lines
