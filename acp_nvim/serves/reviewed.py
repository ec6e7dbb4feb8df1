"""One file in review: its patchwork, fed by the editor where the file is loaded, and what the editor knows of it.

The editor's rows and the lines of a text differ in one case: a buffer without any line shows an empty one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from acp_nvim.review.codec import Text, last_line, split
from acp_nvim.review.edits import Edit
from acp_nvim.review.last_newline import LastNewline
from acp_nvim.review.patchwork import Author, Hunk, Patchwork
from acp_nvim.session.session import Session

_MOST = 250  # hunks of a frame: a thousand would keep the editor too long
_ACK = 100  # messages of the editor that change nothing to see, until it hears that they have come

Rows = tuple[int, int, list[str]]


@dataclass(frozen=True, slots=True)
class Taken:
    """The user takes these hunks back: why the editor is asked for a change."""

    ids: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the editor makes of its rows as soon as it says so."""

    wanted: list[str]
    by: Author | Taken | None


class Reviewed:
    def __init__(self, path: str, given: str, lines: Iterable[str], shape: Text) -> None:
        self.path, self.given = path, given  # resolved, and as it was named
        self.patchwork = Patchwork(lines)
        self.shape = replace(shape, lines=())  # line ends and the like, before any agent
        self._newline = LastNewline()
        self.mode: int | None = None  # of a deleted file, if anybody knows it
        self.first_encoding = ""  # of the buffer, before any agent
        self._begun = False
        self._hunks: list[Hunk] | None = None  # as long as nothing changes
        self.created = self.deleted = False
        self._undeleted: list[str] = []  # what it held when it was deleted
        self.unknown: list[Author] = []  # who changed what nobody has seen before
        self.buffer: int | None = None  # whose edits we hear of
        self.tick = 0
        self.encoding, self.ff = "utf-8", "unix"
        self._seq = self._told_seq = 0
        self._waiting: list[dict[str, Any]] | None = None  # while the text is read anew
        self._asked: _Asked | None = None
        self._author: Author | None = None  # of what comes along with the change that was asked for
        self._decided: set[int] = set()  # hunks that are still told of
        self.taken = 0  # how many hunks have been taken back in all
        self._told: dict[int, Hunk] = {}
        self._told_of: tuple[Any, ...] = ()
        self._told_hunks: list[Hunk] | None = None
        self._anew: set[int] = set()  # hunks that may not be where the editor takes them to be

    # --- the text

    @property
    def lines(self) -> list[str]:
        return self.patchwork.lines

    @property
    def hunks(self) -> list[Hunk]:
        """What is pending."""
        if self._hunks is None:
            self._hunks = self.patchwork.pending
            count, last = self.patchwork.last
            # a change of the last line takes its newline along
            if not self._hunks or self._hunks[-1].first + len(self._hunks[-1].new) < count:
                self._hunks += self._newline.pending(count, last)
        return self._hunks

    def pending(self, ids: Iterable[int]) -> list[Hunk]:
        wanted = set(ids)
        return [hunk for hunk in self.hunks if hunk.id in wanted]

    def keep(self, ids: Iterable[int]) -> int:
        ids, self._hunks = frozenset(ids), None
        newline = self._newline.decide(ids, kept=True)
        if newline:
            self.shape = replace(self.shape, final=not self._newline.was)
        return len(self.patchwork.keep_all(ids)) + newline

    def begin(self, before: str | None) -> None:
        """What the disk held before the first change; None: no file."""
        if not self._begun and before is not None:
            self.shape = replace(split(before), lines=(), bom=self.shape.bom)
        elif not self._begun:
            self.created = True
        self._begun = True

    def agent(self, lines: Iterable[str], author: Author) -> None:
        self._hunks = None
        self._near(self.patchwork.agent(list(lines), author))

    def ends(self, was: str, now: str, author: Author) -> None:
        """The agent has made `now` of it: perhaps the last line is the same but for its newline."""
        (line, had_end), (same, has_end) = last_line(was), last_line(now)
        if line is not None and line == same and self._newline.changed(had_end, has_end, line, author):
            self._hunks = None

    def was_deleted(self, author: Author, mode: int | None) -> None:
        """With what was unsaved no buffer is followed any longer."""
        self._undeleted = self.lines
        self.leave()
        self.agent((), author)
        self.deleted, self.mode = bool(self.hunks), mode

    def came_back(self, lines: Iterable[str]) -> None:
        """Somebody has made it anew: what was known of it before holds, and nobody has to decide on the deletion."""
        self.deleted = False
        self.became(self._undeleted)
        self.became(lines)

    def became(self, lines: Iterable[str]) -> None:
        new = list(lines)
        if new != self.lines:
            self._hunks = None
            self.patchwork.became(new)
            self._all_anew()

    def take_back(self, ids: Iterable[int]) -> None:
        ids = frozenset(ids)
        self.taken += len(self.pending(ids))
        self._hunks = None
        self._newline.decide(ids, kept=False)
        self._near(self.patchwork.undo_all(ids))

    def decide(self, ids: Iterable[int]) -> None:
        """They are told of once they are decided, until the session's next turn."""
        self._hunks = None
        self._decided.update(ids)

    def forget_decided(self, session: int) -> None:
        """Its next turn begins."""
        decided = (*self.patchwork.decided, *self._newline.decided)
        mine = {hunk.id for hunk in decided if hunk.author.session == session}
        self._decided -= mine
        self._hunks = None
        self.unknown = [author for author in self.unknown if author.session != session]

    @property
    def is_over(self) -> bool:
        return not (self.shown or self.unknown)

    # --- the editor's stream

    def asks(self, wanted: list[str], by: Author | Taken | None) -> None:
        self._asked = _Asked(wanted, by)

    def adopt(self, buffer: int, lines: Iterable[str], tick: int) -> None:
        """The text of the buffer as it was at this tick; what came since is still to be done."""
        if buffer == self.buffer and tick < self.tick:
            return
        self.buffer, self.tick = buffer, tick
        self.became(lines)
        if self._waiting is not None:
            self._all_anew()  # its marks went with the text
        waiting, self._waiting = self._waiting or [], None
        for message in waiting:
            if message["tick"] > tick:
                self._feed(message)

    def read_anew(self) -> None:
        """What comes until `adopt` is kept."""
        self._waiting = self._waiting or []

    def leave(self) -> None:
        """No buffer any more: its text is what is on disk."""
        self.buffer = self._waiting = self._asked = None
        self._all_anew()

    def hear(self, message: dict[str, Any]) -> None:
        buffer = int(message["buf"])
        if buffer != self.buffer:
            self.tick = 0  # each buffer counts for itself
        self._seq, self.buffer = int(message["seq"]), buffer
        self.encoding, self.ff = str(message.get("fenc") or "utf-8"), str(message.get("ff") or "unix")
        if self._waiting is not None:
            self._waiting.append(message)
        else:
            self._feed(message)

    def _feed(self, message: dict[str, Any]) -> None:
        self.tick = int(message["tick"])
        if message.get("asked"):
            self._carried_out()
        if message.get("anew"):
            self._all_anew()
        author = self._author if message.get("ours") else None
        for first, last, lines in message.get("edits") or ():
            self._edit(first, last, list(lines), author)
        if message.get("void") and self.lines == [""]:
            self._apply(Edit(0, 1, []), author)

    def _carried_out(self) -> None:
        asked, self._asked, self._author = self._asked, None, None
        if asked is None:
            return
        if isinstance(asked.by, Author):
            self._author = asked.by
            return self.agent(asked.wanted, asked.by)
        if isinstance(asked.by, Taken):
            self.take_back(asked.by.ids)
        self.became(asked.wanted)

    def _edit(self, first: int, last: int, lines: list[str], author: Author | None) -> None:
        if not self.lines:
            # the one row that is shown is no line; it becomes one where lines come beside it
            lines = [""] * (first > 0) + lines + [""] * (first == last == 0)
            first = last = 0
        self._apply(Edit(first, last, lines), author)

    def _apply(self, edit: Edit, author: Author | None) -> None:
        self._hunks = None
        if author:
            self.patchwork.agent_edit(edit, author)
        else:
            self.patchwork.user(edit)
        self._near([edit])

    # --- what the editor is told

    def _all_anew(self) -> None:
        self._anew.update(hunk.id for hunk in self.shown)

    def _near(self, changes: Iterable[Edit]) -> None:
        """The editor moves marks with the text; beside an edit they may end up elsewhere."""
        hunks, shift, at = self.hunks, 0, 0
        for first, last, lines in changes:
            begin, end = first + shift, first + shift + len(lines)
            while at < len(hunks) and hunks[at].first + len(hunks[at].new) < begin - 1:
                at += 1
            past = bisect_right(hunks, end + 1, lo=at, key=lambda hunk: hunk.first)
            self._anew.update(hunk.id for hunk in hunks[at:past])
            shift += len(lines) - (last - first)

    @property
    def shown(self) -> list[Hunk]:
        decided = (*self.patchwork.decided, *self._newline.decided)
        return [*self.hunks, *(hunk for hunk in decided if hunk.id in self._decided)]

    def _differs(self, hunk: Hunk) -> bool:
        told = self._told.get(hunk.id)
        if told is None or hunk.id in self._anew:
            return True
        if told is hunk:
            return False
        same = told.state == hunk.state and told.author == hunk.author and told.old is hunk.old
        if same and self.buffer is None:
            return told.first != hunk.first or told.new is not hunk.new
        return not same or len(told.new) != len(hunk.new)

    @property
    def has_more(self) -> bool:
        """There is news that a frame has had no room for."""
        return bool(self._anew)

    @property
    def _facts(self) -> tuple[Any, ...]:
        return self.given, self.created, self.deleted, tuple(self.unknown)

    @property
    def _is_told(self) -> bool:
        """Nothing has changed since; a frame asks all files, and one may have a thousand hunks."""
        same = self._hunks is not None and self._hunks is self._told_hunks
        return same and not self._anew and self._facts == self._told_of and self._seq < self._told_seq + _ACK

    def news(self) -> dict[str, Any] | None:
        """What the editor does not know yet."""
        if self._is_told:
            return None
        shown = {hunk.id: hunk for hunk in self.shown}
        facts = self._facts
        new = [hunk for hunk in shown.values() if self._differs(hunk)]
        fresh, later = new[:_MOST], {hunk.id for hunk in new[_MOST:]}
        gone = [key for key in self._told if key not in shown]
        self._told_hunks = self._hunks
        if not (fresh or gone) and facts == self._told_of and self._seq < self._told_seq + _ACK:
            return None
        changed = bool(fresh or gone) or self._told_of[3:] != facts[3:]
        sessions = {hunk.author.session for hunk in (*shown.values(), *self._told.values())}
        sessions.update(author.session for author in self.unknown)
        self._told = {key: hunk for key, hunk in shown.items() if key not in later or key in self._told}
        self._told_of, self._told_seq, self._anew = facts, self._seq, later
        return {
            "path": self.given,
            "created": self.created,
            "deleted": self.deleted,
            "unknown": [{"session": a.session, "turn": a.turn, "by": a.by} for a in self.unknown],
            "seq": self._seq,
            "gone": gone,
            "set": [self._shape(hunk) for hunk in fresh],
            "sessions": sorted(sessions) if changed else [],
        }

    def _shape(self, hunk: Hunk) -> dict[str, Any]:
        """The lines of a pending hunk in a buffer are there already."""
        in_buffer = self.buffer is not None and hunk.state == "pending"
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
            **({"note": self._newline.note} if self._newline.owns(hunk) else {}),
        }


def author(session: Session, by: Literal["agent", "unknown"]) -> Author:
    return Author(session.number, session.turn, by)
