"""The book of the changes that wait for a decision: one patchwork for each file that an agent has changed.

What is loaded is followed through the editor, which tells of every edit in its order; of other files the disk is the
text. A file leaves the book when nothing of it is pending and the next turn begins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from acp_nvim.editor.interface import Editor
from acp_nvim.messages.calls import Call, Hunks
from acp_nvim.review.codec import Text, decode, split
from acp_nvim.serves import disk
from acp_nvim.serves.files import Files
from acp_nvim.serves.sight import Doer, Held, Unknown
from acp_nvim.serves.standing import Buffer
from acp_nvim.serves.turn_notes import TurnNotes
from acp_nvim.session.session import Session

# Dear to import, and in many a conversation nothing changes: what is about one file comes with the first that does.
if TYPE_CHECKING:
    from acp_nvim.review.patchwork import Author
    from acp_nvim.serves.reviewed import Reviewed


class Review:
    """`spawn` runs a coroutine function in a task; `wrote` is told of every file that was written for the user,
    `touch` of every session whose chat has changed."""

    def __init__(
        self,
        editor: Editor,
        files: Files,
        spawn: Callable[..., None],
        wrote: Callable[[str], None],
        touch: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self._editor, self._files, self._spawn = editor, files, spawn
        self._book: dict[str, Reviewed] = {}
        self._over: set[str] = set()  # files that have left the book, which the editor has not been told yet
        self.notes = TurnNotes(touch)
        self.mode_of: Callable[[str], int | None] = lambda path: None  # that a file had when it was last seen
        self._wrote = wrote
        files.live.witness = self

    # --- what files and the watch tell

    def follows(self, path: str, buffer: int) -> bool:
        file = self._book.get(path)
        return file is not None and file.buffer == buffer and not file.deleted

    def about_to(
        self,
        path: str,
        buffer: Buffer,
        wanted: list[str],
        is_new: bool,
        by: object,
        disk: Sequence[str] | None = None,
        before: Sequence[str] | None = None,
    ) -> None:
        """A write into a loaded buffer; if it fails, the editor says so."""
        from acp_nvim.serves.reviewed import Asked, Taken, author

        own = by.own if isinstance(by, Doer) else None
        if not isinstance(by, Taken):
            by = author(by) if isinstance(by, Doer) else None
        file = self._book.get(path)
        if file is None:
            if by is None:
                return
            file = self._enter(path, path, buffer.text)
            file.created = is_new and not buffer.text.lines
            file.first_encoding = buffer.encoding
        if file.deleted:
            file.came_back(buffer.text.lines)
        file.adopt(buffer.number, buffer.text.lines, buffer.tick)
        file.asks(Asked(wanted, by, disk, before, own))

    def on_written(self, session: Session, given: str, before: str | None, after: str) -> None:
        """We have, for an agent."""
        self._changed(given, before, after, _author(Doer(session, "agent", session.turn)))

    def on_changed(self, by: Doer, given: str, before: Held, after: str | None) -> None:
        """Somebody has changed the disk; a loaded buffer has taken that up, unless it could not."""
        if after is None:
            self._deleted(given, before, _author(by))
        else:
            self._changed(given, before, after, _author(by))

    def _changed(self, given: str, before: Held, after: str, by: Author) -> None:
        path = disk.resolve(given)
        file = self._book.get(path)
        if path not in self._files.live.open:
            file = self._on_disk(path, given, before, split(after), by)
        elif file and not isinstance(before, Unknown):
            file.begin(before)
        if file:
            if isinstance(before, str):
                file.ends(before, after, by)
            file.given, file.deleted = given, False
            self._editor.wake()

    def _on_disk(self, path: str, given: str, before: Held, after: Text, by: Author) -> Reviewed:
        """`before`: what the disk held; what nobody knows cannot be taken back."""
        file = self._book.get(path)
        if isinstance(before, Unknown):
            file = file or self._enter(path, given, after)
            file.unknown.append(by)
            file.became(after.lines)
            return file
        was = split(before or "")
        if file is None:
            file = self._enter(path, given, was)
            file.begin(before)
        file.became(was.lines)
        file.agent(after.lines, by)
        return file

    def _deleted(self, given: str, before: Held, by: Author) -> None:
        path = disk.resolve(given)
        file = self._book.get(path)
        if isinstance(before, Unknown) and file is None:
            file = self._enter(path, given, Text())
            file.unknown.append(by)
        elif file is None:
            file = self._enter(path, given, split(before or "" if isinstance(before, str) else ""))
        if isinstance(before, str):
            file.became(split(before).lines)  # whoever has found it gone already, and what was not saved
        file.was_deleted(by, self.mode_of(path))
        self._editor.wake()

    def _enter(self, path: str, given: str, shape: Text) -> Reviewed:
        from acp_nvim.serves.reviewed import Reviewed

        self._over.discard(path)
        file = self._book[path] = Reviewed(path, given, shape.lines, shape)
        return file

    # --- turns

    def begin_turn(self, session: Session) -> None:
        """What was decided is told no longer."""
        for file in list(self._book.values()):
            file.forget_decided(session.number, unknown_before=session.turn - 1)
            self._leave_if_over(file)
        self._editor.wake()

    def forget(self, session: Session) -> None:
        """It leaves the list: what nobody has decided stays as it is."""
        for file in list(self._book.values()):
            file.keep(hunk.id for hunk in file.hunks if hunk.author.session == session.number)
            file.forget_decided(session.number)
            self._leave_if_over(file)
        self.notes.forget(session)

    def _leave_if_over(self, file: Reviewed) -> None:
        if file.is_over and self._book.get(file.path) is file:
            del self._book[file.path]
            self._over.add(file.path)
            self.notes.leave(file)

    def on_turn_over(self, session: Session, turn: int) -> None:
        """All of its changes are known."""
        self.notes.on_turn_over(session, turn)
        self._editor.wake()

    # --- the editor's stream

    def edited(self, message: dict[str, Any]) -> None:
        """The buffer of a file in review has changed, is loaded or is gone."""
        path = str(message["path"])
        file = self._book.get(path)
        if file is None:
            self._over.add(path)
        elif file.deleted:
            if message.get("attached"):
                self._spawn(self._come_back, file)
        elif message.get("gone"):
            file.leave()
            self._spawn(self._read_disk, file)
        else:
            if message.get("resync"):
                file.read_anew()
            file.hear(message)
            if message.get("resync"):
                self._spawn(self._read_buffer, file)
        self._editor.wake()

    async def _come_back(self, file: Reviewed) -> None:
        """A deleted file may be there again."""
        async with self._files.lock(file.path):
            text = read(file.path)
            if not file.deleted or text is None:
                return
            file.came_back(text.lines)
            file.read_anew()
        await self._read_buffer(file)

    async def _read_buffer(self, file: Reviewed) -> None:
        buffer = await self._files.live.loaded(file.path)
        if buffer is None:
            return await self._read_disk(file)
        file.adopt(buffer.number, buffer.text.lines, buffer.tick)
        self._editor.wake()

    async def _read_disk(self, file: Reviewed) -> None:
        async with self._files.lock(file.path):
            if file.buffer is None and not file.deleted:
                file.became((read(file.path) or Text()).lines)
        self._editor.wake()

    # --- what the agent is told

    def report(self, session: Session) -> list[str]:
        """What the user has undone or edited of its changes since the last prompt, and is still so."""
        named = ((file, os.path.relpath(file.given, session.cwd)) for file in self._book.values())
        told = (file.report(session.number, name, os.path.exists(file.path)) for file, name in named)
        return [each for each in told if each]

    def text_of(self, path: str) -> str | None:
        """As far as we know it without asking the editor; None: no file."""
        file = self._book.get(path)
        if file and file.buffer is not None and not file.deleted:
            return "".join(f"{line}\n" for line in file.lines)
        found = read(path)
        return found.whole if found else None

    # --- what the user decides

    def keep(self, ids: Iterable[int], of: int | None = None, turn: int | None = None) -> int:
        """How many. `of`: a session of which also those are settled that nobody could undo, or one `turn` of it."""
        wanted, kept = list(ids), 0
        for file in list(self._book.values()):
            file.unknown = [
                author for author in file.unknown if author.session != of or turn not in (None, author.turn)
            ]
            self._leave_if_over(file)
        for file in self._files_of(wanted):
            file.decide(wanted)
            kept += file.keep(wanted)
        self._editor.wake()
        return kept

    async def undo(self, ids: Iterable[int]) -> tuple[int, list[str]]:
        """How many, and in a line each what could not be."""
        from acp_nvim.serves.taking_back import TakingBack

        taking_back = TakingBack(self._editor, self._files, self._wrote)
        wanted, undone, problems = list(ids), 0, list[str]()
        for file in self._files_of(wanted):
            ids, taken = [hunk.id for hunk in file.pending(wanted)], file.taken
            file.decide(wanted)
            problem = await taking_back.undo(file, ids)
            done = min(file.taken - taken, len(ids))  # on disk and in a buffer is still once
            gone = len(ids) - done - len(file.pending(ids))
            undone += done
            said = [problem or "", f"{_many(gone, 'change')} no longer there" if gone > 0 else ""]
            problems += [f"{os.path.basename(file.given)}: {why}" for why in said if why]
            self._editor.wake()
        return undone, problems

    def _files_of(self, ids: list[int]) -> list[Reviewed]:
        return [file for file in self._book.values() if file.pending(ids)]

    # --- what the editor is told

    def news(self) -> list[Call]:
        over, self._over = self._over, set()
        calls: list[Call] = [Hunks(path, {"over": True}) for path in over if path not in self._book]
        for path, file in self._book.items():
            if news := file.news.take():
                calls.append(Hunks(path, news))
                self.notes.look(file)
            if file.news.has_more:
                self._editor.wake()
        self.notes.tell()
        return calls


def read(path: str) -> Text | None:
    """What the disk holds; None: no file."""
    try:
        return decode(disk.look(path))
    except OSError:
        return None


def _author(doer: Doer) -> Author:
    from acp_nvim.serves.reviewed import author

    return author(doer)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
