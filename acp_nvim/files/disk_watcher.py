"""Finds the files that an agent changes on disk itself, as most agents do, and brings each change into its buffer.

A file that a tool call names is read when it is first named, when the call has ended, after a command, and at the end
of the turn. Files that no call named are found by git. Each change is handed on to the review.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable

import anyio
import anyio.lowlevel
from anyio import to_thread

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot, git_changes
from acp_nvim.files.disk_conflicts import DiskConflicts
from acp_nvim.files.documents import Known, Missed, NotLoaded, Overlap, Settled
from acp_nvim.files.file_snapshot import By, Doer, FileSnapshot, Held, Unknown
from acp_nvim.files.service import Files
from acp_nvim.files.turn_tasks import TurnTasks
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import one_line

log = logging.getLogger(__name__)
_GONE = 0.3  # seconds after which a file that is put back by a rename would be there again

# Who has changed the file; its path as it was named; its text before and after, None where there was or is no file.
OnChanged = Callable[[Doer, str, Held, str | None], None]


class DiskWatcher:
    """`spawn` runs a coroutine function in a task. `every`: seconds between two looks at all files of a turn."""

    def __init__(
        self,
        files: Files,
        spawn: Callable[..., None],
        on_changed: OnChanged,
        on_over: Callable[[Session, int], None] = lambda session, turn: None,
        say: Callable[[str, str], None] = lambda level, text: None,
        every: float | None = None,
    ) -> None:
        self._files = files
        self._on_changed, self._on_over = on_changed, on_over  # on_over: all of a turn's changes are known
        self._say, self._every = say, every
        self._turns: dict[Session, WatchedTurn] = {}  # the last one of each
        self._tasks = TurnTasks(spawn, self._turns.__contains__)
        self._unsettled = DiskConflicts(files.conflicts, self._sync)

    # --- what the rest of the client tells

    def begin(self, session: Session, loaded: Iterable[str] = ()) -> None:
        """Begin a turn, before its prompt goes out. `loaded`: the files in the editor's buffers."""
        last = self._turns.get(session)
        scopes = last.scopes if last else set()
        turn = WatchedTurn(session, session.turn, self._files.boundary, scopes=scopes)
        self._turns[session] = turn
        known = [*loaded, *self._files.documents.unsaved][: limits.WATCHED_FILES]
        for path in known[: limits.WATCHED_AT_ONCE]:
            turn.add_path(path, "unknown")
        self._tasks.search(turn, self._begin, known)
        if self._every:
            self._tasks.search(turn, self._sweep, self._every)

    def is_settled(self, session: Session) -> bool:
        """Whether all changes of the last turn are known."""
        turn = self._turns.get(session)
        return turn is None or turn.settled.is_set()

    async def settled(self, session: Session) -> None:
        if turn := self._turns.get(session):
            await turn.settled.wait()

    async def begun(self, session: Session) -> None:
        """Wait until the files of before the turn have been read."""
        if turn := self._turns.get(session):
            await turn.begun.wait()

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Look at the files of a tool call that is new or has changed, before the agent gets an answer about it."""
        turn = self._turns.get(session)
        if turn is None:
            return
        given = call.paths(session.cwd)
        done = call.status in ("completed", "failed")
        news = [path for path in given if turn.is_new(path, "agent")]
        for path in news[: limits.WATCHED_AT_ONCE]:
            turn.add_path(path, "agent", done)
        for path in given:
            turn.announce(path)
        ends = done and bool(news or call.key not in turn.ended)
        (turn.ended.add if done else turn.ended.discard)(call.key)
        if news or (ends and given):
            is_late = turn.over.is_set()  # as the calls of some subagents are
            self._tasks.search(turn, self._hear, news, given if ends else [], done, is_late)

    def look(self, session: Session) -> None:
        """Look at all files: a command has ended."""
        if turn := self._turns.get(session):
            self._tasks.search(turn, self._look, None)

    def end(self, session: Session) -> None:
        """End the turn: the agent has answered, or will never do so."""
        turn = self._turns.get(session)
        if turn and not turn.over.is_set():
            turn.close()
            self._tasks.search(turn, self._end)

    def before(self, session: Session, path: str, text: str | None) -> str | None:
        """Return the text before a write of ours that has found `text`: some agents have written the disk already.
        The path is a resolved one, here and below."""
        turn = self._turns.get(session)
        seen = turn.files.get(path) if turn else None
        if seen is None or path in self._files.documents.open or isinstance(seen.text, Unknown):
            return text
        return seen.text

    def known(self, session: Session, path: str) -> Known | None:
        """Return what the file held when it was last read, if it may have changed since."""
        turn = self._turns.get(session)
        seen = turn.files.get(path) if turn else None
        if seen is None or not isinstance(seen.text, str) or not seen.may_differ(file_snapshot.stamp(path)):
            return None
        return Known(seen.text, file_snapshot.file_stamp(seen.stamp))

    def wrote(self, path: str, text: Held) -> None:
        """Take over the text of a write of ours, so that it is not taken for a change."""
        for turn in self._turns.values():
            now = file_snapshot.stamp(path)
            if known := turn.add(path, path, "agent", now, text):
                known.take(now, text)

    def modified(self, path: str, is_modified: bool) -> None:
        """Note that a buffer was saved. Its conflict may be over."""
        path = disk.resolve(path)
        for turn in self._turns.values():
            if not is_modified and path in turn.files:
                turn.saved.add(path)
                if path in self._unsettled:
                    self._tasks.search(turn, self._reconsider, path)

    def mode_of(self, path: str) -> int | None:
        """Return the mode of a file that was deleted."""
        seen = (turn.files[path].mode for turn in self._turns.values() if path in turn.files)
        return next((mode for mode in seen if mode is not None), None)

    def forget(self, session: Session) -> None:
        """Cancel the tasks of a session that is closed, and with them its questions."""
        if turn := self._turns.pop(session, None):
            for scope in list(turn.scopes):
                scope.cancel()

    # --- in tasks of the session

    async def _begin(self, turn: WatchedTurn, known: list[str]) -> None:
        """Read the loaded files and those that git calls dirty: git could not tell their texts afterwards."""
        for path in known:
            await self._add_path(turn, path, "unknown", True)
        async for path in git_changes.before(turn):
            await self._add_path(turn, path, "unknown", True)
        await self._read_large(turn)
        turn.begun.set()

    async def _sweep(self, turn: WatchedTurn, every: float) -> None:
        """Look at all files regularly. A change counts once two looks agree: a file may be half written."""
        await turn.begun.wait()
        before: dict[str, file_snapshot.Stamp | None] = {}
        while not turn.over.is_set():
            with anyio.move_on_after(every):
                await turn.over.wait()
                return
            now = await to_thread.run_sync(turn.stamps)
            for path, each in now.items():
                if path in before and before[path] == each:
                    self._tasks.search(turn, self._take, path)  # a task each: one may wait for the user
            before = now

    async def _hear(
        self, turn: WatchedTurn, news: list[str], ended: list[str], done: bool, is_late: bool
    ) -> None:
        for path in news:
            await self._add_path(turn, path, "agent", done)
            turn.announce(path)
        await self._read_large(turn)
        await self._look(turn, turn.resolved(ended), until_answer=not is_late)

    async def _end(self, turn: WatchedTurn) -> None:
        await self._look(turn, turn.suspects, until_answer=True)
        await turn.begun.wait()  # a short turn may be over before git has answered
        await git_changes.add_unnamed(turn)
        await self._look(turn, turn.suspects, until_answer=True)
        if turn.session in self._turns:
            self._on_over(turn.session, turn.number)

    async def _add_path(self, turn: WatchedTurn, given: str, by: By, done: bool = False) -> None:
        turn.add_path(given, by, done)
        await anyio.lowlevel.checkpoint()

    async def _read_large(self, turn: WatchedTurn) -> None:
        for path in turn.take_large():
            seen = turn.files[path]
            text = await to_thread.run_sync(file_snapshot.text, path)
            if seen.text is Unknown.TEXT and seen.stamp == file_snapshot.stamp(path):
                seen.text = text

    async def _look(self, turn: WatchedTurn, paths: list[str] | None, until_answer: bool = False) -> None:
        """Look at these files, or at all of the turn. `until_answer`: see `_take`."""
        for path in await to_thread.run_sync(turn.changed, list(turn.files) if paths is None else paths):
            await self._take(turn, path, until_answer)

    # --- one file

    async def _take(self, turn: WatchedTurn, path: str, until_answer: bool = False) -> None:
        """Read a file. Bring its change into the buffer and tell `on_changed`.

        `until_answer`: only what has changed before the agent's answer counts. Once it has answered, a file that was
        read as it was then is left alone, however long this look has waited.
        """
        async with self._files.lock(path):
            seen = turn.files[path]
            while True:
                before, was = seen.text, seen.stamp
                now, text = await to_thread.run_sync(file_snapshot.look, path)
                if until_answer and turn.over.is_set() and not turn.is_suspect(path):
                    return  # another task has looked while this one waited, or it changed while it was read
                if (now, text) == (was, before) == (seen.stamp, seen.text) and not seen.missed:
                    return seen.take(now, text)
                # The editor says what it has written before it answers this: `wrote` was called, and the look is stale.
                buffer = await self._files.documents.loaded(path)
                if (seen.stamp, seen.text) == (was, before):
                    break
            buffer = buffer if now else None
            if before is Unknown.TEXT and buffer and not buffer.modified:
                before = buffer.text.whole
            is_users = path in turn.saved and buffer is not None and not buffer.ahead
            seen.take(now, text)
            if now is None and was is not None:
                self._tasks.detach(turn, self._miss, path)
                is_users = path in turn.left
            if is_users:
                return turn.saved.discard(path)
            earlier = None if isinstance(before, Unknown) else before or ""
            earlier = self._unsettled.earlier(path, seen.shown if seen.missed else earlier)
            looked = was if earlier == before else None
        by = turn.doer(seen.by)
        if isinstance(text, str) and not isinstance(before, Unknown):
            by = by._replace(ends=file_snapshot.Ends.of(seen.path, before, text))
        found = await self._sync(path, earlier, None, by, looked) if buffer else None
        is_echo = buffer is not None and isinstance(text, str) and text == self._files.echo(path)
        if text is not Unknown.TEXT and text != before and not is_echo:
            self._on_changed(turn.doer(seen.by), seen.path, before, text)
        self._note(turn.session, path, seen, found, earlier)
        if isinstance(found, Overlap):
            self._tasks.detach(turn, self._ask, path, earlier, found)
        elif buffer and not found:
            self._unsettled.settle(path)

    async def _miss(self, turn: WatchedTurn, path: str) -> None:
        """Tell the user that a loaded file was deleted. Neovim would say E211, but only when it looks."""
        await anyio.sleep(_GONE)
        if file_snapshot.stamp(path) is None and await self._files.documents.loaded(path):
            name = one_line(os.path.basename(path))
            self._say("warn", f"{name} was deleted or moved on disk; its buffer keeps the text")

    def _note(
        self, session: Session, path: str, seen: FileSnapshot, found: object, earlier: str | None
    ) -> None:
        """Note whether the buffer has taken up the change. If not, warn once; the next look tries again."""
        why = found.why if isinstance(found, Missed) else ""
        if why and why != seen.missed:
            log.warning("%s has changed on disk and was not reloaded: %s", path, why)
            name = one_line(os.path.basename(path))
            self._say("warn", f"{name} changed on disk, the buffer did not: {one_line(why)}")
        seen.missed, seen.shown = why, earlier if why else None

    async def _reconsider(self, turn: WatchedTurn, path: str) -> None:
        """Close the conflict of a file if the buffer and the disk agree by now."""
        if not await self._sync(path, self._unsettled.earlier(path, None), None, turn.doer("agent")):
            self._unsettled.settle(path)

    async def _ask(self, turn: WatchedTurn, path: str, earlier: str | None, apart: Overlap) -> None:
        await self._unsettled.ask(turn.doer("agent"), path, earlier, apart)

    async def _sync(
        self,
        path: str,
        earlier: str | None,
        settled: Settled | None,
        by: Doer,
        looked: file_snapshot.Stamp | None = None,
    ) -> Overlap | Missed | NotLoaded | None:
        known = None if earlier is None else Known(earlier, file_snapshot.file_stamp(looked))
        found = await self._files.sync(path, by, known, settled, self._files.echo(path))
        if settled is None and isinstance(found, Overlap):
            text = await self._files.decided.wanted(by.session, path, found)
            if text is not None:  # the user has seen both
                return await self._files.sync(path, by, known, Settled(found, text))
        return found
