"""Draws the headings of the turns: `## You`, and the agent's name, with the model and mode that it began with if the
turn before had others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import zip_longest

from acp_nvim.chat.phrases import cut, long_duration
from acp_nvim.chat.splice import Mark, Row
from acp_nvim.session.entries import Entry, Message, Report
from acp_nvim.text.printable import one_line

_WIDTH = 80
_GROUNDS = {"user": "AcpUser", "agent": "AcpAnswer"}


class Headings:
    def __init__(
        self, title: Callable[[], str], choices: Callable[[], tuple[str, ...]], user: str = "You"
    ) -> None:
        self._title, self._choices, self._user = title, choices, user
        # by the key of the answer's first entry, which keeps what it began with
        self._chosen: dict[int, str] = {}
        self._last: tuple[str, ...] = ()  # the choices of the newest answer
        self.reset()

    def reset(self) -> None:
        self._is_live = False  # the last prompt is no replay: the present model answers it
        # of each heading, in order: the key of its entry, its row from the first one of the entry, its mark
        self._placed: list[tuple[int, int, Mark]] = []

    def place(self, entry: Entry, offset: int, mark: Mark | None) -> None:
        """Note the heading that has been shown above an entry."""
        if mark and mark["kind"] in _GROUNDS:
            self._placed.append((entry.key, offset, mark))

    def timed(self, last: int, seconds: float) -> tuple[int, int, Mark] | None:
        """Return the heading of a turn with its duration: the key of its entry, the row from there, the mark.

        `last`: the key of the turn's last entry. None if the duration is short or nothing was answered.
        """
        at = bisect_right(self._placed, last, key=lambda placed: placed[0]) - 1
        took = long_duration(seconds)
        if at < 0 or not took or self._placed[at][2]["kind"] != "agent":
            return None
        key, offset, mark = self._placed[at]
        return key, offset, {**mark, "took": took}

    def _chosen_at(self, key: int) -> str:
        """Return which of model and mode have changed since the answer before."""
        if key not in self._chosen:
            now = self._choices()
            new = [
                name for name, before in zip_longest(now, self._last[: len(now)]) if name and name != before
            ]
            self._chosen[key], self._last = cut(" · ".join(new), _WIDTH), now
        return self._chosen[key]

    def row(self, entry: Entry, speaker: str) -> Row:
        """Return the heading above an entry, the first one of its speaker."""
        mark: Mark = {"kind": speaker, "key": entry.key, "line_hl": _GROUNDS[speaker]}
        if speaker == "agent":
            if self._is_live and (chosen := self._chosen_at(entry.key)):
                mark["eol"] = [[f"· {chosen}", "AcpCount"]]
            text = f"## {cut(one_line(self._title()), _WIDTH)}"
            return text, mark | {"spans": [[0, len(text.encode()), "AcpAgent"]]}
        if isinstance(entry, Message | Report):
            self._is_live = entry.at is not None
            if entry.at is not None:
                mark["at"] = int(entry.at)
            if entry.steered:
                mark["eol"] = [["· sent into the turn", "AcpCount"]]
        return f"## {self._user}", mark
