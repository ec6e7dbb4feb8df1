"""The line below a turn that has changed files: how much waits for a decision, and what has become of the rest.

    ± 2 files +5 −4 · ,k keep ,u undo · :Acp review      nothing is decided
    ± price.py +2 −1 · kept 1, undone 1 · …              one change is left
    ± kept 2, undone 1                                   all are decided

It is the same line all the time: whatever happens to a hunk, by a key, by undo or by an edit, changes its text.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from acp_nvim.session.session import Session
from acp_nvim.text.printable import one_line

if TYPE_CHECKING:
    from acp_nvim.serves.reviewed import Reviewed

Turn = tuple[int, int]  # session and turn


class Share(NamedTuple):
    """What one turn has done to one file. `is_pending`: also where nobody knows the earlier text."""

    is_pending: bool = False
    plus: int = 0
    minus: int = 0
    kept: int = 0
    undone: int = 0


class TurnNotes:
    """`touch`: the session's chat is to be drawn again."""

    def __init__(self, touch: Callable[[Session], None]) -> None:
        self._touch = touch
        self.keys = ""  # as the user types them: ",k keep ,u undo"
        self._sessions: dict[int, Session] = {}
        self._turns: dict[Turn, dict[Reviewed, Share]] = {}
        self._past: dict[Turn, Share] = {}  # of files that have left the review
        self._over: set[Turn] = set()
        self._changed: set[Turn] = set()

    def on_turn_over(self, session: Session, turn: int) -> None:
        """All that it has changed is known: from now on its line is shown."""
        self._sessions[session.number] = session
        self._over.add((session.number, turn))
        self._changed.update(self._turns.keys() & {(session.number, turn)})

    def forget(self, session: Session) -> None:
        self._sessions.pop(session.number, None)
        for known in (self._turns, self._past):
            for turn in [turn for turn in known if turn[0] == session.number]:
                del known[turn]
        self._over = {turn for turn in self._over if turn[0] != session.number}

    def look(self, file: Reviewed) -> None:
        """Its hunks have changed."""
        shares = _shares(file)
        for turn, known in self._turns.items():
            if file in known and turn not in shares:
                shares[turn] = Share()
        for turn, share in shares.items():
            known = self._turns.setdefault(turn, {})
            if known.get(file) != share:
                known[file] = share
                self._changed.add(turn)

    def leave(self, file: Reviewed) -> None:
        """Nothing of it is pending, and its review is over: what was decided still counts."""
        self.look(file)
        for turn, known in self._turns.items():
            if share := known.pop(file, None):
                before = self._past.get(turn, Share())
                now = Share(kept=before.kept + share.kept, undone=before.undone + share.undone)
                self._past[turn] = now

    def tell(self) -> None:
        """The lines that say something else now."""
        changed, self._changed = self._changed & self._over, set()
        for number, turn in changed:
            session = self._sessions.get(number)
            entry = session.changed.get(turn) if session else None
            text = self._text((number, turn))
            if session and entry and entry.text != text:
                entry.text = text
                session.transcript.touch(entry)
                self._touch(session)

    def _text(self, turn: Turn) -> str:
        files, past = self._turns.get(turn, {}), self._past.get(turn, Share())
        shares = [*files.values(), past]
        names = [os.path.basename(file.given) for file, share in files.items() if share.is_pending]
        plus, minus, kept, undone = (sum(each) for each in zip(*(share[1:] for share in shares), strict=True))
        decided = ", ".join(
            f"{what} {count}" for what, count in (("kept", kept), ("undone", undone)) if count
        )
        if not names:
            return decided or "nothing left to review"
        where = one_line(names[0]) if len(names) == 1 else f"{len(names)} files"
        if plus == minus == 0:
            return _joined(f"{where}: earlier text unknown, no undo", decided, ":Acp review")
        return _joined(f"{where} +{plus} −{minus}", decided, self.keys, ":Acp review")


def _shares(file: Reviewed) -> dict[Turn, Share]:
    shares: dict[Turn, Share] = {}
    for hunk in (*file.hunks, *file.decided):
        turn = hunk.author.session, hunk.author.turn
        share = shares.get(turn, Share())
        if hunk.state == "kept":
            share = share._replace(kept=share.kept + 1)
        elif hunk.state == "undone":
            share = share._replace(undone=share.undone + 1)
        else:
            plus, minus = share.plus + len(hunk.new), share.minus + len(hunk.old)
            share = share._replace(is_pending=True, plus=plus, minus=minus)
        shares[turn] = share
    for author in file.unknown:
        turn = author.session, author.turn
        shares[turn] = shares.get(turn, Share())._replace(is_pending=True)
    return shares


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))
