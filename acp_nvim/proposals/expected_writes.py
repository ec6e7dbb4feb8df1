"""Keeps the decisions of the turns that run: an agent is expected to write each file as it was proposed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.documents import DecidedBase
from acp_nvim.files.file_snapshot import Asked, Stamp, Typed, as_utf8
from acp_nvim.files.proposal_interface import DecidedTexts
from acp_nvim.proposals.decision import Decision
from acp_nvim.session.session import Session
from acp_nvim.text.text_file import Text, split

OTHERWISE = "was not written as proposed: nothing was reverted, see :Acp review"


@dataclass(slots=True, eq=False)
class ExpectedWrite:
    """A file that an agent is expected to write as it was proposed, and what has become of that."""

    decision: Decision
    saved: str | None  # as the decision has them, until the user saves the file
    written: frozenset[str | None]
    settled: bool = False  # its write has come, or is not expected any more
    is_taken_back: bool = False
    through: bool = False  # by a write through us
    put: str | None = None  # what has been put on the disk in the place of the agent's write

    @property
    def path(self) -> str:
        return self.decision.path

    @property
    def decided(self) -> str | None:
        return self.decision.decided

    @property
    def typed(self) -> Typed | None:
        return self.decision.typed

    def is_proposal(self, content: str | None) -> bool:
        """Whether a write through us is the one that was proposed; None: the file goes."""
        right = self.decision.about.right
        if content is None:
            return right is None
        wanted = (*self.written, right)
        return any(text is not None and _lines(text) == _lines(content) for text in wanted)

    @property
    def on_disk(self) -> Text | None:
        """Return what the disk shall hold instead of the agent's own write; None: no file, or unsaved lines overlap
        it."""
        if self.decided is None:
            return None
        is_new = self.decision.about.left is None
        text = self.saved if self.saved is not None else self.decided if is_new else None
        return None if text is None else split(text)

    @property
    def base(self) -> DecidedBase:
        """Return the text that the decision builds on: the whole proposal, if the agent has put that on the disk."""
        about, left = self.decision.about, self.decision.about.left or ""
        proposed = frozenset(text for text in self.written if text not in (None, about.file.disk))
        return DecidedBase(left, left if about.right is None else about.right, proposed)


def _lines(text: str) -> tuple[str, ...]:
    return split(text.removeprefix("\ufeff")).lines


@dataclass(slots=True, eq=False)
class Case:
    """A decision of the user that is neither all nor nothing, and its files."""

    session: Session
    call_id: str
    writes: list[ExpectedWrite]
    done: anyio.Event = field(default_factory=anyio.Event)  # all files are as decided, or will not be
    stamps: dict[str, Stamp | None] = field(default_factory=dict)  # how they looked when last read
    began: int = field(default_factory=disk.clock)
    waits: int = 0  # tasks after which it is looked at: a file is saved, or a decision carried over
    is_over: bool = False  # its call, or the turn


class ExpectedWrites:
    """`warn` tells the user what has become of a file. Paths are resolved."""

    def __init__(self, warn: Callable[[Session, str], None]) -> None:
        self._warn = warn
        self._cases: list[Case] = []
        self._last: WeakKeyDictionary[Session, dict[str, ExpectedWrite]] = WeakKeyDictionary()
        # by session: its turn, and by file what the user has allowed in it
        self._asked: WeakKeyDictionary[Session, tuple[int, dict[str, list[Asked]]]] = WeakKeyDictionary()

    def add(self, session: Session, call_id: str, decisions: Iterable[Decision]) -> Case:
        writes = [ExpectedWrite(each, each.about.saved, each.about.written) for each in decisions]
        case = Case(session, call_id, writes)
        case.stamps = {write.path: file_snapshot.stamp(write.path) for write in writes}
        self.forget_settled(session, set(case.stamps))
        self._cases.append(case)
        self._last[session] = {write.path: write for write in writes}
        return case

    def of(self, session: Session) -> list[Case]:
        return [case for case in self._cases if case.session is session]

    def remove(self, case: Case) -> None:
        self._cases.remove(case)

    def forget_settled(self, session: Session, paths: set[str], but_of: str | None = None) -> None:
        """Forget decisions on these files that have been carried out, except those of the call `but_of`."""
        for case in self.of(session):
            if case.call_id != but_of:
                case.writes = [each for each in case.writes if not each.settled or each.path not in paths]

    def unsettled(self, path: str) -> list[tuple[Case, ExpectedWrite]]:
        found = [(case, each) for case in self._cases for each in case.writes]
        return [(case, each) for case, each in found if each.path == path and not each.settled]

    def forget_settled_of_all(self, path: str) -> None:
        for session in {case.session for case in self._cases}:
            self.forget_settled(session, {path})

    def tell_of(self, session: Session, write: ExpectedWrite, what: str) -> None:
        self._warn(session, f"{os.path.basename(write.path)} {what}")

    def allow(self, session: Session, path: str, asked: Asked) -> None:
        """Note what a question has shown of a file, and the user has allowed."""
        turn, files = self._asked.get(session, (0, {}))
        if turn != session.turn:
            files = {}
            self._asked[session] = session.turn, files
        files[path] = [*files.get(path, ())[1 - limits.ASKED_TEXTS :], asked]

    def carry_asked(self, session: Session) -> None:
        """Count what the user has allowed since the last turn for the one that has begun."""
        _, files = self._asked.get(session, (0, {}))
        self._asked[session] = session.turn, files

    # --- what files ask

    def asked(self, session: Session, path: str, turn: int) -> tuple[Asked, ...]:
        then, files = self._asked.get(session, (0, {}))
        return tuple(files.get(path, ())) if then == turn else ()

    def take(self, session: Session, path: str, content: str | None) -> ExpectedWrite | None:
        """Return what a write through us was expected as, which settles it. The user is told of a write that is not
        what was proposed."""
        open_ones = (each for case in self.of(session) for each in case.writes if not each.settled)
        write = next((each for each in open_ones if each.path == path), None)
        if write is None:
            return None
        write.settled = True
        if not write.is_proposal(content):
            self.tell_of(session, write, OTHERWISE)
            return None
        write.through = True
        return write

    def typed(self, session: Session, path: str, on_disk: str | None = None) -> Typed | None:
        """Return what the user has typed into a file that holds what was decided."""
        write = self._last.get(session, {}).get(path)
        if write is None or write.typed is None:
            return None
        if on_disk is None:
            data = file_snapshot.content(path)
            on_disk = None if data is None else as_utf8(data).removeprefix("\ufeff")
        is_decided = on_disk is not None and on_disk in (write.decided, write.put)
        return write.typed if is_decided else None

    def last(self, session: Session, path: str, on_disk: str) -> DecidedTexts | None:
        """Return the last decision on a file, if the disk holds the proposal or what was put in its place."""
        write = self._last.get(session, {}).get(path)
        left = write.decision.about.left if write else None
        if write is None or write.decided is None or left is None:
            return None
        if on_disk not in (*write.written, write.put):
            return None
        return DecidedTexts(left, write.decided, write.typed)
