"""Keeps the decisions of the turns that run: an agent is expected to write each file as it was proposed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.file_snapshot import Asked, Stamp, Typed, as_utf8
from acp_nvim.files.proposal_interface import DecidedTexts
from acp_nvim.proposals.decision import Decision
from acp_nvim.session.session import Session

OTHERWISE = "was not written as proposed: nothing was reverted, see :Acp review"


@dataclass(slots=True, eq=False)
class Case:
    """A decision of the user that is neither all nor nothing, and its files."""

    session: Session
    call_id: str
    decisions: list[Decision]
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
        self._last: WeakKeyDictionary[Session, dict[str, Decision]] = WeakKeyDictionary()
        # by session: its turn, and by file what the user has allowed in it
        self._asked: WeakKeyDictionary[Session, tuple[int, dict[str, list[Asked]]]] = WeakKeyDictionary()

    def add(self, session: Session, call_id: str, decisions: Iterable[Decision]) -> Case:
        case = Case(session, call_id, list(decisions))
        case.stamps = {decision.path: file_snapshot.stamp(decision.path) for decision in case.decisions}
        self.forget_settled(session, set(case.stamps))
        self._cases.append(case)
        self._last[session] = {decision.path: decision for decision in case.decisions}
        return case

    def of(self, session: Session) -> list[Case]:
        return [case for case in self._cases if case.session is session]

    def remove(self, case: Case) -> None:
        self._cases.remove(case)

    def forget_settled(self, session: Session, paths: set[str], but_of: str | None = None) -> None:
        """Forget decisions on these files that have been carried out, except those of the call `but_of`."""
        for case in self.of(session):
            if case.call_id != but_of:
                case.decisions = [
                    each for each in case.decisions if not each.settled or each.path not in paths
                ]

    def unsettled(self, path: str) -> list[tuple[Case, Decision]]:
        found = [(case, each) for case in self._cases for each in case.decisions]
        return [(case, each) for case, each in found if each.path == path and not each.settled]

    def forget_settled_of_all(self, path: str) -> None:
        for session in {case.session for case in self._cases}:
            self.forget_settled(session, {path})

    def tell_of(self, session: Session, decision: Decision, what: str) -> None:
        self._warn(session, f"{os.path.basename(decision.path)} {what}")

    def allow(self, session: Session, path: str, asked: Asked) -> None:
        """Note what a question has shown of a file, and the user has allowed."""
        turn, files = self._asked.get(session, (0, {}))
        if turn != session.turn:
            files = {}
            self._asked[session] = session.turn, files
        files[path] = [*files.get(path, ())[1 - limits.ASKED_TEXTS :], asked]

    # --- what files ask

    def asked(self, session: Session, path: str, turn: int) -> tuple[Asked, ...]:
        then, files = self._asked.get(session, (0, {}))
        return tuple(files.get(path, ())) if then == turn else ()

    def take(self, session: Session, path: str, content: str | None) -> Decision | None:
        """Return the decision that a write through us is about, which settles it. The user is told of a write that is
        not what was proposed."""
        open_ones = (each for case in self.of(session) for each in case.decisions if not each.settled)
        decision = next((each for each in open_ones if each.path == path), None)
        if decision is None:
            return None
        decision.settled = True
        if not decision.is_proposal(content):
            self.tell_of(session, decision, OTHERWISE)
            return None
        decision.through = True
        return decision

    def typed(self, session: Session, path: str, on_disk: str | None = None) -> Typed | None:
        """Return what the user has typed into a file that holds what was decided."""
        decision = self._last.get(session, {}).get(path)
        if decision is None or decision.typed is None:
            return None
        if on_disk is None:
            data = file_snapshot.content(path)
            on_disk = None if data is None else as_utf8(data).removeprefix("\ufeff")
        is_decided = on_disk is not None and on_disk in (decision.decided, decision.put)
        return decision.typed if is_decided else None

    def last(self, session: Session, path: str, on_disk: str) -> DecidedTexts | None:
        """Return the last decision on a file, if the disk holds the proposal or what was put in its place."""
        decision = self._last.get(session, {}).get(path)
        if decision is None or decision.decided is None or decision.left is None:
            return None
        if on_disk not in (*decision.written, decision.put):
            return None
        return DecidedTexts(decision.left, decision.decided, decision.typed)
