"""Finds the files that an agent changes on disk itself, as most agents do, and brings each change into its buffer.

A file is read as the turn begins, or when a tool call first names it. It is compared with that when the call or a
command ends, when the turn ends, and when the user enters its buffer. Files that no call named are found by git. Each
change is handed on to the review.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import anyio
import anyio.lowlevel
from anyio import to_thread

from acp_nvim.files import change_owner, disk, file_snapshot, git_changes
from acp_nvim.files.call_run import is_file_name
from acp_nvim.files.disk_changes import DiskChanges, OnChanged
from acp_nvim.files.documents import Known
from acp_nvim.files.file_snapshot import FileStamp, Held, Stamp
from acp_nvim.files.service import Files
from acp_nvim.files.turn_tasks import TurnTasks
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall


class DiskWatcher:
    """`spawn` runs a coroutine function in a task."""

    def __init__(
        self,
        files: Files,
        spawn: Callable[..., None],
        on_changed: OnChanged,
        on_over: Callable[[Session, int, list[str]], None],
        say: Callable[[str, str], None],
    ) -> None:
        self._files = files
        self._on_over = on_over  # all of a turn's changes are known, and what of git has moved
        self._turns: dict[Session, WatchedTurn] = {}  # the last one of each
        self._all: list[WatchedTurn] = []  # these, and earlier ones beside which one of these has run
        self._tasks = TurnTasks(spawn, self._turns.__contains__)
        self._changes = DiskChanges(files, self._tasks, self._all, on_changed, say)

    # --- what the rest of the client tells

    def begin(self, session: Session, files: Iterable[str] = ()) -> None:
        """Begin a turn, before its prompt goes out. `files`: those in the editor's buffers and in review."""
        last = self._turns.get(session)
        scopes = last.scopes if last else set()
        turn = WatchedTurn(session, session.turn, self._files.boundary, self._all, scopes=scopes)
        self._turns[session] = turn
        self._keep(turn)
        for path in (*files, *self._files.documents.unsaved):
            turn.add_path(path, "unknown")
        self._files.baselines.begin_turn(session, turn.began, turn.at_start)
        self._tasks.search(turn, self._begin)

    def _keep(self, *fresh: WatchedTurn) -> None:
        """Keep the turns that may still have made a change which is yet to be found."""
        last = set(self._turns.values())
        running = [turn for turn in last if not turn.settled.is_set()]
        kept = [turn for turn in self._all if turn in last or any(map(turn.overlaps, running))]
        self._all[:] = [*kept, *fresh]

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

    def command_begins(self, session: Session, terminal_id: str, line: str, cwd: str) -> None:
        """Look at the files of a command that is to be run through us: it is a call, whether or not one shows it."""
        if turn := self._turns.get(session):
            call = ToolCall(-len(turn.commands) - 1, terminal_id, 0.0, title=line, kind="execute")
            call.raw_input = {"command": line}
            turn.commands[terminal_id] = call
            self.tool_call_changed(session, call, cwd)

    def command_ended(self, session: Session, terminal_id: str) -> None:
        """Compare all files."""
        turn = self._turns.get(session)
        if turn and (call := turn.commands.get(terminal_id)):
            call.status = "completed"
            self.tool_call_changed(session, call)
        else:
            self.look(session)

    def tool_call_changed(self, session: Session, call: ToolCall, cwd: str | None = None) -> None:
        """Look at the files of a tool call that is new or has changed, before the agent gets an answer about it."""
        turn = self._turns.get(session)
        if turn is None:
            return
        run, has_ended = turn.note_call(call, cwd or session.cwd)
        named = run.named(anew=has_ended)
        given = [*call.paths(run.cwd), *named.files, *filter(is_file_name, named.missing)]
        news = [path for path in given if turn.is_new(path, "agent") and turn.add_path(path, "agent")]
        turn.spell(given)
        turn.note_missing(named.missing)
        paths = turn.resolved(given)
        turn.named.update(paths)
        if has_ended:
            self._files.baselines.of(session).look(paths)
        if has_ended and run.may_change and not run.is_bound:
            self._search(turn, None)
        elif has_ended or (news and call.status in ("completed", "failed")):
            self._search(turn, paths)
        else:
            self._search(turn, [path for path in paths if path in turn.unbased])

    def read_served(self, session: Session, path: str) -> None:
        """Read a file whose text the agent is about to get: with our answer in its hands it may change the file."""
        if turn := self._turns.get(session):
            turn.add_path(path, "unknown")

    def look(self, session: Session) -> None:
        """Compare all files."""
        if turn := self._turns.get(session):
            self._search(turn, None)

    def entered(self, path: str) -> None:
        """Compare a file that the user looks at while a turn runs."""
        for turn in self._turns.values():
            if path in turn.files and not turn.over.is_set():
                self._search(turn, [path])

    def _search(self, turn: WatchedTurn, paths: list[str] | None) -> None:
        """Compare these files, or all of the turn, in a task. The calls of some subagents come after the answer."""
        if paths or paths is None:
            self._tasks.search(turn, self._compare, paths, turn.over.is_set())

    def end(self, session: Session) -> None:
        """End the turn: the agent has answered, or will never do so."""
        turn = self._turns.get(session)
        if turn and not turn.over.is_set():
            turn.close()
            self._files.baselines.of(session).end_turn(turn.named_texts)
            self._tasks.search(turn, self._end)

    def before(self, session: Session, path: str, text: str | None) -> str | None:
        """Return the text before a write of ours that has found `text`: some agents have written the disk already.
        The path is a resolved one, here and below."""
        turn = self._turns.get(session)
        seen = turn.files.get(path) if turn else None
        if seen is None or path in self._files.documents.open:
            return text
        return seen.text if seen.text is None or isinstance(seen.text, str) else text

    def known(self, session: Session, path: str) -> Known | None:
        """Return what the file held when it was last read, or before a change that its buffer has yet to take up."""
        turn = self._turns.get(session)
        seen = turn.files.get(path) if turn else None
        if turn is None or seen is None or not isinstance(seen.text, str):
            return None
        if not turn.may_differ(path):  # by now: some agents write the disk beside their request
            return Known(None, file_snapshot.file_stamp(seen.stamp))
        by = change_owner.find(self._all, turn, path, file_snapshot.stamp(path)).author.by
        at, text = seen.behind or (seen.stamp, seen.text)
        return Known(text, file_snapshot.file_stamp(at), others=by == "unknown")

    def wrote(self, path: str, text: Held) -> None:
        """Take over the text of a write of ours, so that it is not taken for a change."""
        self._take(path, file_snapshot.stamp(path), text)

    def _take(self, path: str, now: Stamp | None, text: Held) -> None:
        """Let all turns know the file by this text."""
        for turn in self._all:
            if known := turn.add(path, path, now, text):
                known.take(now, text)
                known.is_saved = True
                turn.unbased.discard(path)
                if (held := turn.at_answer.get(path)) and held[0] != now:
                    del turn.at_answer[path]

    def opened(self, path: str) -> None:
        """Watch a file from now on: a buffer has been read from it. What has become of it before is looked at."""
        for turn in self._all:
            if not turn.over.is_set() and (found := turn.add_path(path, "unknown")):
                self._search(turn, [found])

    def saved(self, path: str, stamp: FileStamp) -> None:
        """Take over the text that the user has saved, through whatever buffer: no call has made it."""
        now, text = file_snapshot.look(path)
        if file_snapshot.is_of_same_text(file_snapshot.file_stamp(now), stamp):
            self._take(path, now, text)

    def modified(self, path: str, is_modified: bool) -> None:
        """Note that a buffer was saved. Its conflict may be over."""
        path = disk.resolve(path)
        for turn in self._turns.values():
            if not is_modified and path in turn.files:
                turn.saved.add(path)
                if self._changes.has_conflict(path):
                    self._tasks.search(turn, self._changes.reconsider, path)

    def forget(self, session: Session) -> None:
        """Cancel the tasks of a session that is closed, and with them its questions."""
        if turn := self._turns.pop(session, None):
            self._keep()
            for scope in list(turn.scopes):
                scope.cancel()

    # --- in tasks of the session

    async def _begin(self, turn: WatchedTurn) -> None:
        """Read the files that git calls dirty: git could not tell their texts afterwards.

        What other turns have changed until now without naming it is theirs: it is compared before.
        """
        for other in turn.beside:
            await git_changes.add_unnamed(other)
            await self._compare(other, None)
        async for path in git_changes.before(turn):
            turn.add_dirty(path)
            await anyio.lowlevel.checkpoint()
        turn.begun.set()

    async def _end(self, turn: WatchedTurn) -> None:
        await self._compare(turn, list(turn.at_answer))
        await turn.begun.wait()  # a short turn may be over before git has answered
        await git_changes.add_unnamed(turn)
        late = [path for path in turn.files if turn.is_first_read_late(path)]
        await self._compare(turn, late, is_late=True)
        moved = await git_changes.moved(turn)
        if turn.session in self._turns:
            self._on_over(turn.session, turn.number, moved)

    async def _compare(self, turn: WatchedTurn, paths: list[str] | None, is_late: bool = False) -> None:
        """Compare these files, or all of the turn. `is_late`: see `DiskChanges.compare`."""
        for path in await to_thread.run_sync(turn.changed, list(turn.files) if paths is None else paths):
            await self._changes.compare(turn, path, is_late)
