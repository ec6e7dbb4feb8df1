"""Takes up what has become of one file on disk: into its buffer, into the review, or as a question to the user."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import anyio
from anyio import to_thread

from acp_nvim.files import change_owner, file_snapshot, git_changes, standing
from acp_nvim.files.disk_conflicts import DiskConflicts
from acp_nvim.files.documents import Document, Gone, Known, Missed, NotLoaded, Overlap, Settled
from acp_nvim.files.file_snapshot import ChangeAuthor, DiskText, FileSnapshot, Held, Link, Unknown
from acp_nvim.files.service import Files
from acp_nvim.files.standing import FormatChange
from acp_nvim.files.turn_tasks import TurnTasks
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.text.printable import one_line, visible

log = logging.getLogger(__name__)
_GONE = 0.3  # seconds after which a file that is put back by a rename would be there again


class FileChange(NamedTuple):
    """What has become of a file on disk. The texts are None where there was or is no file."""

    by: ChangeAuthor
    path: str  # resolved
    given: str  # as it was named
    before: Held
    after: Held
    mode: int | None = None  # of the file now
    is_same: bool = False  # it holds what it held
    is_in_buffer: bool = False  # a buffer that holds the file has been read since


OnChanged = Callable[[FileChange], None]


class DiskChanges:
    """`turns`: all that may have made a change."""

    def __init__(
        self,
        files: Files,
        tasks: TurnTasks,
        turns: Iterable[WatchedTurn],
        on_changed: OnChanged,
        say: Callable[[str, str], None],
    ) -> None:
        self._files, self._tasks, self._turns = files, tasks, turns
        self._on_changed, self._say = on_changed, say
        self._conflicts = DiskConflicts(files.conflicts, self._settle)

    def has_conflict(self, path: str) -> bool:
        return path in self._conflicts

    async def compare(self, turn: WatchedTurn, path: str, is_late: bool = False) -> None:
        """Compare a file with what it held when it was last read. Bring its change into the buffer and tell
        `on_changed`.

        Once the agent has answered, what the file held at the answer counts. `is_late`: so does what it holds now.
        """
        has_answered = path in turn.at_answer
        await self._compare(turn, path, is_late)
        if has_answered and is_late:
            await self._compare(turn, path, is_late)

    async def _compare(self, turn: WatchedTurn, path: str, is_late: bool) -> None:
        async with self._files.lock(path):
            seen = turn.files[path]
            if path in turn.unbased:
                turn.unbased.discard(path)
                await self._find_base(turn, path, seen)
            while True:
                before, was = seen.text, seen.stamp
                is_of_answer = path in turn.at_answer
                held = turn.at_answer.get(path)
                now, text = held if held else await to_thread.run_sync(file_snapshot.look, path)
                if turn.over.is_set() and not (is_of_answer or is_late):
                    return  # it may have changed since the answer
                is_known = (now, text) == (was, before) == (seen.stamp, seen.text) and not seen.missed
                # The editor says what it has written before it answers this: `wrote` was called, and the look is stale.
                buffer = None if is_known else await self._files.documents.loaded(path)
                if is_of_answer:  # only now: turns that begin meanwhile have to know that it waits
                    turn.at_answer.pop(path, None)
                if is_known:
                    return
                if (seen.stamp, seen.text) == (was, before):
                    break
            is_gone = now is None or file_snapshot.is_link(now)
            buffer = None if is_gone else buffer
            if before is Unknown.TEXT and buffer and not buffer.modified:
                before = buffer.text.whole
            mode = seen.mode
            seen.take(now, text)
            before, text = _as_read(before, buffer), _as_read(text, buffer)
            if is_gone and was is not None and not isinstance(before, Link):
                self._tasks.detach(turn, self._warn_deleted, path)
            elif path in turn.saved and buffer is not None and buffer.is_on_disk(text):
                return turn.saved.discard(path)
            earlier = before or "" if before is None or isinstance(before, str) else None
            earlier = self._conflicts.earlier(path, seen.shown if seen.missed else earlier)
            looked = was if earlier == before else None
            author = by = await self._author(turn, path, now, before, text, mode)
        if isinstance(text, str) and (before is None or isinstance(before, str)):
            by = by._replace(ends=file_snapshot.Ends.of(seen.path, before, text))
        if standing.is_whole(before, text):
            by = by._replace(by="nobody")  # the lines that a buffer makes of it are no hunks beside that one
        found = None
        if buffer:
            known = _known(earlier, looked)
            seen.behind = (was, before) if isinstance(before, str) else None
            try:
                found = await self._files.sync_as_decided(path, by, known, turn.over.is_set)
            finally:
                seen.behind = None
            if isinstance(found, Gone):
                return seen.take(was, before)  # the next look finds it deleted, as it was before this change
        is_echo = buffer is not None and text in self._files.baselines.echoes(path)
        if buffer and not found and isinstance(text, str) and text != before and not is_echo:
            self._files.baselines.forget_echo(path)
        is_same = text == before and (text is not Unknown.TEXT or file_snapshot.is_same_file(was, now))
        now_mode = file_snapshot.mode(now)
        has_mode = None not in (mode, now_mode) and mode != now_mode
        is_other = not is_same or has_mode or FormatChange.of(before, text)
        if is_other and not is_echo and author.by != "nobody":
            self._on_changed(FileChange(author, path, seen.path, before, text, now_mode, is_same))
        self._note_missed(path, seen, found, earlier)
        if isinstance(found, Overlap):
            self._tasks.detach(turn, self._ask, path, earlier, found)
        elif buffer and not found:
            self._conflicts.settle(path)

    async def _author(
        self,
        turn: WatchedTurn,
        path: str,
        now: file_snapshot.Stamp | None,
        before: Held,
        text: Held,
        mode: int | None,
    ) -> ChangeAuthor:
        """Return who has made a change, and what an undo has to know of the file and the folders above it."""
        owner = change_owner.find(dict.fromkeys((*self._turns, turn)), turn, path, now)
        if not owner.may_be_git and await git_changes.is_of_new_head(turn, path, text):
            return owner.author._replace(by="nobody")
        if owner.call:
            owner.turn.owned.add(path)
        by = owner.author._replace(mode=mode)
        above = list(turn.folders_above(path))
        if now is None:
            known = ((folder, turn.folders.get(folder)) for folder in reversed(above))
            return by._replace(folders=tuple((folder, mode) for folder, mode in known if mode is not None))
        made = [folder for folder in above if before is None and await self._was_made(turn, folder)]
        return by._replace(made=tuple(made))

    async def _was_made(self, turn: WatchedTurn, folder: str) -> bool:
        if turn.folders.get(folder) is not None:
            return False
        return folder in turn.folders or turn.was_missing(folder) or await git_changes.was_empty(turn, folder)

    async def _find_base(self, turn: WatchedTurn, path: str, seen: FileSnapshot) -> None:
        """Hand on what has become of a file after the turn began and before it was first read.

        Where neither git nor a buffer can tell what it held, nobody can. If then no call has made that change it is
        another program's, and what was read first counts as the earlier text.
        """
        (base, mode), first = await git_changes.base(turn, path), seen.text
        # before it answers, the editor says what it has written
        buffer = await self._files.documents.loaded(path)
        if seen.is_saved:
            return
        if isinstance(base, Unknown) and buffer and not buffer.modified and buffer.text.whole != first:
            base = buffer.text.whole
        is_same = first == base and not FormatChange.of(base, first)
        if (is_same and mode in (None, seen.mode)) or isinstance(first, Unknown):
            return
        if buffer and buffer.text.whole == base != first:
            return seen.take(file_snapshot.UNSEEN, base)  # the buffer is behind: it takes the change up
        by = await self._author(turn, path, seen.stamp, base, first, mode)
        is_changed = seen.stamp is not None and seen.stamp[-1] >= turn.began  # not only a folder above it
        if by.by == "nobody":
            return
        if not isinstance(base, Unknown) or (is_changed and (by.by != "unknown" or turn.was_dirty(path))):
            self._on_changed(FileChange(by, path, seen.path, base, first, seen.mode, first == base, True))

    async def _warn_deleted(self, turn: WatchedTurn, path: str) -> None:
        """Tell the user that a loaded file was deleted. Neovim would say E211, but only when it looks."""
        await anyio.sleep(_GONE)
        now = file_snapshot.stamp(path)
        if (now is None or file_snapshot.is_link(now)) and await self._files.documents.loaded(path):
            name = visible(os.path.basename(path))
            self._say("warn", f"{name} was deleted or moved on disk; its buffer keeps the text")

    def _note_missed(self, path: str, seen: FileSnapshot, found: object, earlier: str | None) -> None:
        """Note whether the buffer has taken up the change. If not, warn once; the next look tries again."""
        why = found.why if isinstance(found, Missed) else ""
        if why and why != seen.missed:
            log.warning("%s has changed on disk and was not reloaded: %s", path, why)
            name = visible(os.path.basename(path))
            self._say("warn", f"{name} changed on disk, the buffer did not: {one_line(why)}")
        seen.missed, seen.shown = why, earlier if why else None

    async def reconsider(self, turn: WatchedTurn, path: str) -> None:
        """Close the conflict of a file if the buffer and the disk agree by now."""
        earlier = self._conflicts.earlier(path, None)
        known = None if earlier is None else Known(earlier, asked=self._conflicts.stamp(path))
        if not await self._files.sync_as_decided(path, turn.author("agent"), known):
            self._conflicts.settle(path)

    async def _ask(self, turn: WatchedTurn, path: str, earlier: str | None, apart: Overlap) -> None:
        await self._conflicts.ask(turn.author("agent"), path, earlier, apart)

    async def _settle(
        self, path: str, earlier: str | None, settled: Settled, by: ChangeAuthor
    ) -> Overlap | Missed | NotLoaded | None:
        """Let the buffer take up what the user has decided about an overlap."""
        echoes = self._files.baselines.echoes(path)
        return await self._files.sync(path, by, _known(earlier, None), settled, echoes)


def _as_read(held: Held, buffer: Document | None) -> Held:
    """Return a text as a buffer may hold it: where the user reads such bytes in another encoding it is unknown."""
    is_other = (
        isinstance(held, DiskText) and held.encoding == "latin1" and buffer and buffer.encoding != "latin1"
    )
    return Unknown.TEXT if is_other else held


def _known(earlier: str | None, stamp: file_snapshot.Stamp | None) -> Known | None:
    return None if earlier is None else Known(earlier, file_snapshot.file_stamp(stamp))
