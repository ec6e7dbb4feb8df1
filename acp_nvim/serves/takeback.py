"""Refused hunks of an agent that was allowed the rest: they never reach the disk, or are taken back from it.

A write through us that is the proposed one gets the decided text (`find`). For agents that write the disk themselves
the file is watched from the answer on, and until it is as decided the session's commands and questions wait, so that
no test runs and no commit is made of refused text. A write that is not the proposed one stays as it is. Some agents
write through us and then the disk as well: what was written through us is watched until the call has ended (`_guard`).
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import anyio
from anyio import to_thread

from acp_nvim.review import codec
from acp_nvim.review.agents_view import NOBODYS
from acp_nvim.review.codec import split
from acp_nvim.serves import disk, reload, sight
from acp_nvim.serves.files import Files
from acp_nvim.serves.sight import Doer
from acp_nvim.serves.standing import as_utf8
from acp_nvim.serves.verdict import Verdict, rebased
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

log = logging.getLogger(__name__)
_LOOK = 0.02  # seconds between two looks at a file
_PATIENCE = 5.0  # seconds that requests wait for a write
_UNTOUCHED = "was not written by the agent: it is as it was"
_OTHERWISE = "was not written as proposed: nothing taken back, see :Acp review"
_NOT_YET = "is not written yet: what waited for that goes on"

GoOn = Callable[[], None]


@dataclass(slots=True, eq=False)
class _Case:
    """One answer: the files that are still to become what the user has decided."""

    session: Session
    call_id: str
    verdicts: list[Verdict]
    holds: bool
    over: anyio.Event = field(default_factory=anyio.Event)  # nothing more will be written for it
    done: anyio.Event = field(default_factory=anyio.Event)  # all is as decided, or will not be
    stamps: dict[str, object] = field(default_factory=dict)

    @property
    def open(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if not verdict.settled]


class Takeback:
    """`spawn` runs a coroutine function in a task; `look` has the session's files looked at for review."""

    def __init__(
        self,
        files: Files,
        spawn: Callable[..., None],
        tell: Callable[[Session, str], None],
        look: Callable[[Session], None],
    ) -> None:
        self._files, self._spawn, self._tell, self._look = files, spawn, tell, look
        self._cases: list[_Case] = []
        self._guarded: list[_Case] = []
        self._held: dict[Session, list[GoOn]] = {}
        self._last: WeakKeyDictionary[Session, dict[str, Verdict]] = WeakKeyDictionary()
        self.patience = _PATIENCE

    # --- what the rest of the client tells

    def expect(self, session: Session, call_id: str, verdicts: Iterable[Verdict], holds: bool) -> anyio.Event:
        """From the answer on, until that event; `holds`: the agent writes the disk itself."""
        case = _Case(session, call_id, list(verdicts), holds)
        case.stamps = {verdict.path: sight.stamp(verdict.path) for verdict in case.verdicts}
        self._cases.append(case)
        self._last[session] = {verdict.path: verdict for verdict in case.verdicts}
        self._spawn(self._see_through, case)
        return case.done

    def find(self, session: Session, path: str) -> Verdict | None:
        """What was decided about a file that the agent is about to write through us."""
        for case in self._cases:
            if case.session is session:
                for verdict in case.open:
                    if verdict.path == path:
                        return verdict
        return None

    def unlike(self, session: Session, verdict: Verdict) -> None:
        """The agent has written something else than it had proposed."""
        verdict.settled = True
        self._tell_of(session, verdict, _OTHERWISE)

    def wanted(self, session: Session, path: str, apart: reload.Apart) -> str | None:
        """The user has seen both, the agent's lines and their own: what they have decided is what they want."""
        verdict = self._last.get(session, {}).get(path)
        if verdict is None or verdict.decided is None or verdict.left is None:
            return None
        if as_utf8(apart.disk).removeprefix("\ufeff") not in (*verdict.written, verdict.put):
            return None
        text = rebased(verdict.left, split(apart.buffer), verdict.decided)
        return None if text is None else text.whole

    def hold(self, session: Session, go_on: GoOn) -> bool:
        """Whether a request of the session has to wait; then `go_on` is called, in the order of the wire."""
        if not any(case.holds and case.session is session for case in self._cases):
            return False
        self._held.setdefault(session, []).append(go_on)
        return True

    def hear(self, session: Session, call: ToolCall) -> None:
        """The call as it is now: one that has ended writes nothing more."""
        if call.status in ("completed", "failed"):
            self._end(session, call.id)

    def end(self, session: Session) -> None:
        """The turn is over, or was cancelled, or the agent is gone."""
        self._end(session)

    def _end(self, session: Session, call_id: str | None = None) -> None:
        for case in [*self._cases, *self._guarded]:
            if case.session is session and call_id in (None, case.call_id):
                case.over.set()

    # --- in a task for each answer

    async def _see_through(self, case: _Case) -> None:
        try:
            await self._watch(case)
        except Exception:  # whatever it is: nobody waits for it
            log.exception("refused hunks were not taken back")
        self._cases.remove(case)
        self._release(case.session)
        for verdict in case.open:
            if sight.stamp(verdict.path) == case.stamps[verdict.path]:
                self._tell_of(case.session, verdict, _UNTOUCHED)
            else:
                self._tell_of(case.session, verdict, _OTHERWISE)
        case.done.set()
        if through := [verdict for verdict in case.verdicts if verdict.through]:
            self._guarded.append(case)
            try:
                await self._guard(case, through)
            except Exception:
                log.exception("what was written through us is watched no more")
            self._guarded.remove(case)

    async def _guard(self, case: _Case, through: list[Verdict]) -> None:
        """What has been written through us as decided may be written once more, past us and as proposed."""
        last = False
        while not last:
            last = case.over.is_set()
            for verdict in through:
                verdict.settled = False
                await self._take_back(case, verdict, last)
                verdict.settled = True
            with anyio.move_on_after(_LOOK):
                await case.over.wait()

    async def _watch(self, case: _Case) -> None:
        until, told = time.monotonic() + self.patience, False
        while case.open:
            last = case.over.is_set()
            for verdict in case.open:
                if await self._take_back(case, verdict, last):
                    verdict.settled = True
            if last or not case.open:
                return
            if not told and time.monotonic() > until:
                told, case.holds = True, False
                self._release(case.session)
                for verdict in case.open:
                    self._tell_of(case.session, verdict, _NOT_YET)
            with anyio.move_on_after(_LOOK):
                await case.over.wait()

    def _release(self, session: Session) -> None:
        if any(case.holds and case.session is session for case in self._cases):
            return
        for go_on in self._held.pop(session, []):
            go_on()

    async def _take_back(self, case: _Case, verdict: Verdict, last: bool) -> bool:
        """True once the file is as decided; a file that nobody has touched since the last look is not read again."""
        now = sight.stamp(verdict.path)
        if now == case.stamps[verdict.path] and not last:
            return False
        async with self._files.lock(verdict.path):
            if verdict.settled:  # through us, meanwhile
                return True
            data = await to_thread.run_sync(sight.content, verdict.path)
            found = None if data is None else as_utf8(data).removeprefix("\ufeff")
            if found not in verdict.written or found == verdict.disk:
                return False
            try:
                if not self._put(verdict, data, found):
                    return False
                if (
                    verdict.through and verdict.put is not None
                ):  # the buffer is as decided, unsaved lines and all
                    self._files.expect_echo(case.session, verdict.path, verdict.put)
            except OSError as error:
                log.warning("%s was not taken back: %s", verdict.path, error)
                return False
            if found is not None:
                self._files.beliefs(case.session).learn(verdict.path, found)
        verdict.settled = True
        case.holds = case.holds and bool(case.open)
        self._release(case.session)
        self._spawn(self._show, case.session, verdict)
        return True

    def _put(self, verdict: Verdict, data: bytes | None, found: str | None) -> bool:
        """The decided text on the disk."""
        text = verdict.on_disk(found)
        if verdict.deletes:
            disk.remove(verdict.path)
        elif text is None:
            return False
        else:
            verdict.put = text.whole
            disk.write(verdict.path, codec.encode(replace(text, bom=codec.decode(data or b"").bom)))
        return True

    async def _show(self, session: Session, verdict: Verdict) -> None:
        """And in the buffer; for that an editor may let us wait, nobody else."""
        lock, path = self._files.lock(verdict.path), verdict.path
        by, echo = Doer(session, "agent", session.turn, own=NOBODYS), self._files.echo(path)
        found = await reload.bring(self._files.live, lock, path, verdict.disk, by=by, echo=echo)
        text = self.wanted(session, path, found) if isinstance(found, reload.Apart) else None
        if text is not None and isinstance(found, reload.Apart):
            settled = reload.Settled(found, text)
            await reload.bring(self._files.live, lock, path, verdict.disk, settled, by)
        self._look(session)

    def _tell_of(self, session: Session, verdict: Verdict, why: str) -> None:
        self._tell(session, f"{os.path.basename(verdict.path)} {why}")
