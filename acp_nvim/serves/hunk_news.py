"""What the editor has been told of a file in review, and what is new since then: few hunks at a time, each once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from acp_nvim.review.edits import Edit
from acp_nvim.review.patchwork import Hunk

if TYPE_CHECKING:
    from acp_nvim.serves.reviewed import Reviewed

_MOST = 250  # hunks of a frame: a thousand would keep the editor too long
_ACK = 100  # messages of the editor that change nothing to see, until it hears that they have come


class HunkNews:
    def __init__(self, file: Reviewed) -> None:
        self._file = file
        self._seq = 0
        self._told: dict[int, Hunk] = {}
        self._facts_told: tuple[Any, ...] = ()
        self._seen: list[Hunk] | None = None  # the pending ones when it was last asked
        self._anew: set[int] = set()  # hunks that may not be where the editor takes them to be

    def all_anew(self) -> None:
        self._anew.update(hunk.id for hunk in self._file.shown)

    def near(self, changes: Iterable[Edit]) -> None:
        """The editor moves marks with the text; beside an edit they may end up elsewhere."""
        hunks, shift, at = self._file.hunks, 0, 0
        for first, last, lines in changes:
            begin, end = first + shift, first + shift + len(lines)
            while at < len(hunks) and hunks[at].first + len(hunks[at].new) < begin - 1:
                at += 1
            past = bisect_right(hunks, end + 1, lo=at, key=lambda hunk: hunk.first)
            self._anew.update(hunk.id for hunk in hunks[at:past])
            shift += len(lines) - (last - first)

    @property
    def has_more(self) -> bool:
        """There is news that a frame has had no room for."""
        return bool(self._anew)

    def take(self) -> dict[str, Any] | None:
        """What the editor does not know yet."""
        file, facts = self._file, self._facts
        if self._is_told(facts):
            return None
        shown = {hunk.id: hunk for hunk in file.shown}
        new = [hunk for hunk in shown.values() if self._differs(hunk)]
        fresh, later = new[:_MOST], {hunk.id for hunk in new[_MOST:]}
        gone = [key for key in self._told if key not in shown]
        self._seen = file.hunks
        if not (fresh or gone) and self._is_up_to_date(facts):
            return None
        changed = bool(fresh or gone) or self._facts_told[3:] != facts[3:]
        sessions = {hunk.author.session for hunk in (*shown.values(), *self._told.values())}
        sessions.update(author.session for author in file.unknown)
        self._told = {key: hunk for key, hunk in shown.items() if key not in later or key in self._told}
        self._facts_told, self._seq, self._anew = facts, file.seq, later
        return {
            "path": file.given,
            "created": file.created,
            "deleted": file.deleted,
            "unknown": [{"session": a.session, "turn": a.turn, "by": a.by} for a in file.unknown],
            "seq": file.seq,
            "gone": gone,
            "set": [self._shape(hunk) for hunk in fresh],
            "sessions": sorted(sessions) if changed else [],
        }

    @property
    def _facts(self) -> tuple[Any, ...]:
        return self._file.given, self._file.created, self._file.deleted, tuple(self._file.unknown)

    def _is_told(self, facts: tuple[Any, ...]) -> bool:
        """Nothing has changed since; a frame asks all files, and one may have a thousand hunks."""
        return self._file.hunks is self._seen and not self._anew and self._is_up_to_date(facts)

    def _is_up_to_date(self, facts: tuple[Any, ...]) -> bool:
        return facts == self._facts_told and self._file.seq < self._seq + _ACK

    def _differs(self, hunk: Hunk) -> bool:
        told = self._told.get(hunk.id)
        if told is None or hunk.id in self._anew:
            return True
        if told is hunk:
            return False
        same = told.state == hunk.state and told.author == hunk.author and told.old is hunk.old
        if same and self._file.buffer is None:
            return told.first != hunk.first or told.new is not hunk.new
        return not same or len(told.new) != len(hunk.new)

    def _shape(self, hunk: Hunk) -> dict[str, Any]:
        """The lines of a pending hunk in a buffer are there already."""
        in_buffer = self._file.buffer is not None and hunk.state == "pending"
        note = self._file.note(hunk)
        return {
            "id": hunk.id,
            "session": hunk.author.session,
            "turn": hunk.author.turn,
            "by": hunk.author.by,
            "state": hunk.state,
            "first": hunk.first,
            "n": 0 if hunk.state == "undone" else len(hunk.new),
            "old": list(hunk.old),
            "new": None if in_buffer else list(hunk.new),
            **({"note": note} if note else {}),
        }
