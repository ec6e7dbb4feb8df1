"""One file in review: its patchwork, fed by the editor where the file is loaded.

The editor's rows and the lines of a text differ in one case: a buffer without any line shows an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from acp_nvim.review.agents_view import AgentsView, Own
from acp_nvim.review.codec import Text, last_line, split
from acp_nvim.review.edits import Edit
from acp_nvim.review.last_newline import LastNewline
from acp_nvim.review.patchwork import Author, Hunk, Patchwork
from acp_nvim.review.report import report_of_review
from acp_nvim.serves.hunk_news import HunkNews
from acp_nvim.serves.sight import Doer


@dataclass(frozen=True, slots=True)
class Taken:
    """The user takes these hunks back: why the editor is asked for a change."""

    ids: frozenset[int]
    whole: bool = False  # and with them whatever else the text brings along: they were parts of one of these


@dataclass(frozen=True, slots=True)
class Asked:
    """What the editor makes of its rows as soon as it says so."""

    wanted: list[str]
    by: Author | Taken | None
    disk: Sequence[str] | None = None  # without the user's unsaved lines
    before: Sequence[str] | None = None  # what an agent has changed, if the buffer was behind it
    own: Own | None = None  # of what an agent has written, where the user has had a hand in it


class Reviewed:
    def __init__(self, path: str, given: str, lines: Iterable[str], shape: Text) -> None:
        self.path, self.given = path, given  # resolved, and as it was named
        self.patchwork = Patchwork(lines)
        self.shape = replace(shape, lines=())  # line ends and the like, before any agent
        self._newline = LastNewline()
        self.mode: int | None = None  # of a deleted file, if anybody knows it
        self.first_encoding = ""  # of the buffer, before any agent
        self._views = AgentsView()
        self._begun = False
        self._hunks: list[Hunk] | None = None  # as long as nothing changes
        self.created = self.deleted = False
        self._undeleted: list[str] = []  # what it held when it was deleted
        self.unknown: list[Author] = []  # who changed what nobody has seen before
        self.buffer: int | None = None  # whose edits we hear of
        self.tick = 0
        self.encoding, self.ff = "utf-8", "unix"
        self.seq = 0  # of the last message heard
        self._waiting: list[dict[str, Any]] | None = None  # while the text is read anew
        self._asked: Asked | None = None
        self._author: Author | None = None  # of what comes along with the change that was asked for
        self._decided: set[int] = set()  # hunks that are still told of
        self.taken = 0  # how many hunks have been taken back in all
        self.news = HunkNews(self)

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

    def agent(self, lines: Iterable[str], author: Author, own: Own | None = None) -> None:
        was, self._hunks = self.lines, None
        changes = self.patchwork.agent(list(lines), author)
        self.news.near(changes)
        self._views.written(author.session, was, changes, own)

    def report(self, session: int, name: str, is_there: bool) -> str:
        """What its agent does not know yet of what has become of its lines. It does from now on. The disk is not read:
        what the agent has just written there may be unseen still, and is not the user's."""
        now = self.lines
        answers = self._views.tell(session, now, self.hunks, self.decided)
        return report_of_review(name, answers, is_there or bool(now)) if answers else ""

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
        was = self.lines
        if new != was:
            self._hunks = None
            self._views.read_anew(was, self.patchwork.became(new))
            self.news.all_anew()

    def take_back(self, ids: Iterable[int]) -> None:
        ids = frozenset(ids)
        self.taken += len(self.pending(ids))
        self._hunks = None
        self._newline.decide(ids, kept=False)
        self.news.near(self.patchwork.undo_all(ids))

    def decide(self, ids: Iterable[int]) -> None:
        """They are told of once they are decided, until the session's next turn."""
        self._hunks = None
        self._decided.update(ids)

    def forget_decided(self, session: int, unknown_before: int | None = None) -> None:
        """Its next turn begins. Of what nobody can undo, the last turn's stays: its user may not have seen it yet."""
        mine = {hunk.id for hunk in self.decided if hunk.author.session == session}
        self._decided -= mine
        self._hunks = None
        self.unknown = [
            author
            for author in self.unknown
            if author.session != session or (unknown_before is not None and author.turn >= unknown_before)
        ]

    @property
    def is_over(self) -> bool:
        return not (self.shown or self.unknown)

    # --- the editor's stream

    def asks(self, asked: Asked) -> None:
        self._asked = asked

    def adopt(self, buffer: int, lines: Iterable[str], tick: int) -> None:
        """The text of the buffer as it was at this tick; what came since is still to be done."""
        if buffer == self.buffer and tick < self.tick:
            return
        self.buffer, self.tick = buffer, tick
        self.became(lines)
        if self._waiting is not None:
            self.news.all_anew()  # its marks went with the text
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
        self.news.all_anew()

    def hear(self, message: dict[str, Any]) -> None:
        buffer = int(message["buf"])
        if buffer != self.buffer:
            self.tick = 0  # each buffer counts for itself
            self.patchwork.forget_changes()
        self.seq, self.buffer = int(message["seq"]), buffer
        self.encoding, self.ff = str(message.get("fenc") or "utf-8"), str(message.get("ff") or "unix")
        if self._waiting is not None:
            self._waiting.append(message)
        else:
            self._feed(message)

    def _feed(self, message: dict[str, Any]) -> None:
        self.tick = int(message["tick"])
        if is_new := "change" in message:
            self.patchwork.stood_at(message["was"])
        if message.get("asked"):
            self._carried_out()
        if message.get("anew"):
            self.news.all_anew()
        author = self._author if message.get("ours") else None
        for first, last, lines in message.get("edits") or ():
            self._edit(first, last, list(lines), author, is_new)
        if message.get("void") and self.lines == [""]:
            self._apply(Edit(0, 1, []), author, is_new)
        if is_new and self.patchwork.stands_at(message["change"], bool(message.get("returned"))):
            self._hunks = None
            self.news.all_anew()

    def _carried_out(self) -> None:
        asked, self._asked, self._author = self._asked, None, None
        if asked is None:
            return
        if isinstance(asked.by, Author):
            self._author = asked.by
            if asked.before is not None:
                self.became(asked.before)  # what came to the disk before is no agent's
            self.agent(asked.wanted, asked.by, asked.own)
        elif isinstance(asked.by, Taken):
            self.take_back([hunk.id for hunk in self.hunks] if asked.by.whole else asked.by.ids)
        self.became(asked.wanted)
        if asked.disk is not None:
            self.patchwork.knows(asked.disk)
            self._hunks = None

    def _edit(self, first: int, last: int, lines: list[str], author: Author | None, is_new: bool) -> None:
        if not self.lines:
            # the one row that is shown is no line; it becomes one where lines come beside it
            lines = [""] * (first > 0) + lines + [""] * (first == last == 0)
            first = last = 0
        self._apply(Edit(first, last, lines), author, is_new)

    def _apply(self, edit: Edit, author: Author | None, is_new: bool) -> None:
        self._hunks = None
        if author:
            was = self.lines
            self._views.written(author.session, was, self.patchwork.agent_edit(edit, author))
        else:
            self.patchwork.user(edit, is_new)
        self.news.near([edit])

    @property
    def shown(self) -> list[Hunk]:
        """What the editor is told of."""
        return [*self.hunks, *(hunk for hunk in self.decided if hunk.id in self._decided)]

    @property
    def decided(self) -> list[Hunk]:
        """All that the user has kept or undone."""
        return [*self.patchwork.decided, *self._newline.decided]

    def note(self, hunk: Hunk) -> str:
        """What has changed where the lines have not."""
        return self._newline.note if self._newline.owns(hunk) else ""


def author(doer: Doer) -> Author:
    return Author(doer.session.number, doer.turn, doer.by)
