"""Enforces decisions: takes refused hunks off the disk, after an agent has written all of a proposal of which only a
part was allowed.

An agent that writes through us gets the decided text written in the place of its own (`expected_writes.py`). An agent
that writes the disk itself does so before it sends its next message, so the files are looked at in the order of the
wire: when the call has ended, before any request of the session is served, and when the turn ends. Nothing is polled,
and nobody waits.

A file that holds what the agent proposed, or what has become of it where the agent wrote while the decided text was
saved, gets the decided text, as often as the agent writes it until the turn ends.
Anything else that the agent has written stays as it is, and the user is told.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import islice

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.call_run import CallName
from acp_nvim.files.documents import Known, Overlap, Settled
from acp_nvim.files.file_snapshot import Asked, ChangeAuthor, Stamp, as_utf8
from acp_nvim.files.service import Files
from acp_nvim.proposals.decision import Decision
from acp_nvim.proposals.expected_writes import OTHERWISE, Case, ExpectedWrite, ExpectedWrites
from acp_nvim.proposals.proposed_file import files_of, read_file
from acp_nvim.session.question import Option
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text import text_file
from acp_nvim.text.printable import visible
from acp_nvim.text.text_file import Text

log = logging.getLogger(__name__)
_UNTOUCHED = "was not written by the agent"
_AGAIN = "was written as proposed again: the refused hunks are reverted again"


class Enforcement:
    """`spawn` runs a coroutine function in a task; `look` has the session's files looked at for review."""

    def __init__(
        self,
        files: Files,
        expected: ExpectedWrites,
        spawn: Callable[..., None],
        look: Callable[[Session], None],
    ) -> None:
        self._files, self._expected = files, expected
        self._spawn, self._look = spawn, look

    # --- what the user decides

    def expect(self, session: Session, call_id: str, decisions: Iterable[Decision]) -> anyio.Event:
        """Expect the agent to write the files, before it gets its answer.

        The event is set once the files are as decided, or will not be.
        """
        return self._expected.add(session, call_id, decisions).done

    def allowed(self, session: Session, call: ToolCall) -> None:
        """Stop refusing hunks of the files of another call, all of which the user has allowed."""
        paths = {disk.resolve(path) for path in call.paths(session.cwd)}
        self._expected.forget_settled(session, paths, call.id)

    def asked(self, session: Session, call: ToolCall, answer: Option) -> None:
        """Note what a question has shown of its call, all of which the user has allowed."""
        by = CallName(call.id, visible(call.title))
        for path, changes in islice(files_of(call, session.cwd).items(), limits.PREVIEWED_FILES):
            real = disk.resolve(path)
            if file_snapshot.size(file_snapshot.stamp(real)) <= limits.PREVIEWED_BYTES:
                change = read_file(self._files, session, path, changes).change
                if not change.problem and change.new is not None:
                    asked = Asked(change.base or "", change.new, answer.name, by)
                    self._expected.allow(session, real, asked)

    def decided(self, session: Session, decision: Decision, call: ToolCall, answer: Option) -> None:
        """Note what the user has allowed on the right side of a proposal."""
        if decision.decided is not None and decision.kind != "nothing":
            left = decision.typed.mine if decision.typed else decision.about.left
            by = CallName(call.id, visible(call.title))
            self._expected.allow(session, decision.path, Asked(left or "", decision.decided, answer.name, by))

    def begin_restore(self, session: Session) -> None:
        """Count what the user has allowed before its turn began for that turn."""
        self._expected.carry_asked(session)

    def saved(self, path: str) -> None:
        """Stop refusing hunks of a file that the user has saved: what it holds now is what the user wants. What is yet
        to be written is written on top of that."""
        path = disk.resolve(path)
        if path in self._files.saving:
            return
        self._expected.forget_settled_of_all(path)
        for case, write in self._expected.unsettled(path):
            case.waits += 1
            self._spawn(self._look_after, case, self._carry_over, write)

    async def _look_after(
        self, case: Case, wait: Callable[[ExpectedWrite], Awaitable[None]], write: ExpectedWrite
    ) -> None:
        """Enforce the decisions once something else is over."""
        try:
            await wait(write)
        finally:
            case.waits -= 1
        (self._close if case.is_over else self._enforce)(case)

    async def _end_of_save(self, write: ExpectedWrite) -> None:
        async with self._files.lock(write.path):
            return

    async def _carry_over(self, write: ExpectedWrite) -> None:
        """Carry a decision, and what the agent has proposed, over to what the user has saved since."""
        documents, about = self._files.documents, write.decision.about
        document = await documents.loaded(write.path)
        if about.left is None or document is None or document.modified:
            return
        live = document.text.whole
        written = await documents.merge(about.left, live, about.right or "")
        if written != live:  # else the agent has written already
            saved = await documents.merge(about.left, live, write.decided or "")
            write.saved = saved if isinstance(saved, str) else None
            write.written |= {written} if isinstance(written, str) else set()

    # --- in the order of the wire

    def enforce(self, session: Session) -> None:
        """Enforce the session's decisions before its next request is served: by now the agent has written."""
        for case in self._expected.of(session):
            self._enforce(case)

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Close the decisions of a call that has ended: as far as anybody knows, it writes nothing more."""
        if call.status in ("completed", "failed"):
            for case in self._expected.of(session):
                if case.call_id == call.id:
                    self._close(case)

    def end(self, session: Session) -> None:
        """Close all decisions of a session whose turn is over or cancelled, or whose agent is gone."""
        for case in self._expected.of(session):
            self._close(case)
            self._expected.remove(case)

    def _close(self, case: Case) -> None:
        case.is_over = True
        if self._has_to_wait(case):
            return  # then
        before = dict(case.stamps)
        self._enforce(case)
        for write in case.writes:
            if not write.settled:
                write.settled = True
                is_same = file_snapshot.stamp(write.path) == before[write.path]
                self._expected.tell_of(case.session, write, _UNTOUCHED if is_same else OTHERWISE)
        case.done.set()

    def _enforce(self, case: Case) -> None:
        for write in case.writes if not self._has_to_wait(case) else ():
            try:
                self._take_back(case, write)
            except OSError as error:
                log.warning("%s was not reverted: %s", write.path, error)
                self._expected.tell_of(case.session, write, f"was not reverted: {error.strerror or error}")
        if all(write.settled for write in case.writes):
            case.done.set()

    def _has_to_wait(self, case: Case) -> bool:
        """Whether it is looked at later: what is put on the disk while the editor saves would pass for another
        program's."""
        saving = (each for each in case.writes if each.path in self._files.saving)
        if not case.waits and (write := next(saving, None)):
            case.waits += 1
            self._spawn(self._look_after, case, self._end_of_save, write)
        return case.waits > 0

    def _take_back(self, case: Case, write: ExpectedWrite) -> None:
        """Put the decided text on the disk, if the file holds what the agent proposed.

        A file that looks as it did is not read again, unless it has changed since the decision.
        """
        now = file_snapshot.stamp(write.path)
        if now == case.stamps[write.path] and not file_snapshot.is_young(now, case.began):
            return
        data = file_snapshot.content(write.path)
        found = None if data is None else as_utf8(data).removeprefix("\ufeff")
        echoes = set(self._files.baselines.echoes(write.path) if write.through else ()) - {write.put}
        if found not in (*write.written, *echoes) or found == write.decision.about.file.disk:
            return
        text = write.on_disk
        if write.decided is not None and text is None:
            return
        is_decided = text is not None and text.whole == found
        if not is_decided:
            self._put(write, data, text)
        case.stamps[write.path] = file_snapshot.stamp(write.path)
        if write.through and write.put is not None:  # the buffer is as decided, unsaved lines and all
            self._files.baselines.expect_echo(case.session, write.path, write.put, write.put)
        if found is not None and found not in echoes:  # else it knows what it has written through us
            self._files.baselines.of(case.session).learn(write.path, found)
        if write.is_taken_back:
            self._expected.tell_of(case.session, write, _AGAIN)
        write.settled, write.is_taken_back = True, not is_decided
        self._spawn(self._show, case.session, write, case.stamps[write.path])

    def _put(self, write: ExpectedWrite, data: bytes | None, text: Text | None) -> None:
        """Write the decided text, or delete the file that the user does not want."""
        if text is None:
            return disk.remove(write.path)
        write.put = text.whole
        disk.write(write.path, text_file.encode(replace(text, bom=text_file.decode(data or b"").bom)))

    # --- in a task: an editor may let us wait

    async def _show(self, session: Session, write: ExpectedWrite, stamp: Stamp | None) -> None:
        """Let the buffer take up the decided text, also where that changes unsaved lines, of which the disk knows
        nothing."""
        path, file, by = (
            write.path,
            write.decision.about.file,
            ChangeAuthor(session, "agent", session.turn, write.typed),
        )
        then, was = file_snapshot.file_stamp(file.stamp), file.disk
        known = None if was is None else Known(was, then)
        settled = self._settled(write, stamp)
        if settled is None:
            await self._files.sync_as_decided(path, by, known)
        else:
            await self._files.sync(path, by, known, settled)
        self._look(session)

    def _settled(self, write: ExpectedWrite, stamp: Stamp | None) -> Settled | None:
        about, decided, seen = write.decision.about, write.decided, file_snapshot.file_stamp(stamp)
        if not about.takes_unsaved or about.left is None or decided is None or seen is None:
            return None
        return Settled(Overlap(decided, decided, about.left, seen), decided, write.typed)
