"""Serves the review from the backend's side. The changes that wait for a decision are kept in the editor.

The editor is told what agents change on the disk and when a turn begins. It tells which files an undo has written, the
line below each turn that has changed files, and what the next prompt of an agent has to begin with.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from acp_nvim import limits
from acp_nvim.editor.interface import Editor
from acp_nvim.files import disk, file_snapshot, standing
from acp_nvim.files.disk_changes import FileChange
from acp_nvim.files.file_snapshot import Asked, ChangeAuthor, DiskText, Link, Typed, Unknown
from acp_nvim.files.standing import FormatChange
from acp_nvim.messages.review import (
    Changed,
    DiskChange,
    Reported,
    Stands,
    TurnBegins,
    TurnOver,
    WholeChange,
)
from acp_nvim.session.entries import ChangedFile
from acp_nvim.session.session import Session
from acp_nvim.text.decision_report import LostLines, report_of_review


class Review:
    """`is_loaded`: a buffer holds that file, and takes up what happens to it. `typed_in` a file that holds what was
    decided: the user's part of that. `wrote` is told of every file that the user's undo has written, `touch` of every
    session whose chat has changed."""

    def __init__(
        self,
        editor: Editor,
        is_loaded: Callable[[str], bool],
        typed_in: Callable[[Session, str, str], Typed | None],
        asked_of: Callable[[Session, str, int], tuple[Asked, ...]],
        learn: Callable[[Session, str, list[str]], None],
        wrote: Callable[[str], None],
        touch: Callable[[Session], None],
    ) -> None:
        self._editor, self._is_loaded = editor, is_loaded
        self._typed_in, self._asked_of, self._learn = typed_in, asked_of, learn
        self._wrote, self._touch = wrote, touch
        self._reports: dict[int, list[LostLines]] = {}  # by session: its agent does not know yet

        self.unsaved: dict[str, str] = {}  # files in review that differed from the disk at the last prompt

    def text_of(self, path: str) -> str | None:
        """Return the user's text of a file, as far as it is known without asking the editor; None if it is no text."""
        found = self.unsaved.get(path) or file_snapshot.text(path)
        return found if isinstance(found, str) else None

    # --- what the editor is told

    def changed(self, found: FileChange) -> None:
        """Tell the editor of a change on the disk. A text that nobody knows cannot be brought back.

        The editor sees changes of a loaded file in its buffer, but not one that was there when the buffer was read.
        """
        is_whole = standing.is_whole(found.before, found.after)
        has_mode = None not in (found.by.mode, found.mode) and found.by.mode != found.mode
        form = None if is_whole else FormatChange.of(found.before, found.after)
        if not is_whole and not found.is_same and (form is None or form.has_lines):
            self._tell_lines(found)
        if is_whole or has_mode or form:
            self._tell_whole(found, is_whole, form)

    def _tell_lines(self, found: FileChange) -> None:
        by, path, before, after = found.by, found.path, found.before, found.after
        assert by.by != "nobody"
        if isinstance(after, str) and self._is_loaded(path) and not found.is_in_buffer:
            return
        is_there = after is not None and not isinstance(after, Link)
        is_known = isinstance(before, str | None) and isinstance(after, str | Link | None)
        text = after if isinstance(after, str) else "" if is_there else None
        change: DiskChange = {
            "session": by.session.number,
            "turn": by.turn,
            "by": by.by,
            "given": found.given,
            "known": is_known,
            "before": before if isinstance(before, str) else None,
            "after": text,
            "deleted": not is_there,
            "bom": isinstance(before, DiskText) and before.bom,
            "encoding": before.encoding if isinstance(before, DiskText) else "utf-8",
            "mode": by.mode,
            "folders": [] if is_there else list(by.folders),
            "made": list(by.made),
        }
        if isinstance(after, Link):
            change["link"] = after.target
        typed = None if text is None else by.typed or self._typed_in(by.session, path, text)
        if typed:
            change["typed"] = typed.shape
        if asked := self._asked_of(by.session, path, by.turn):
            change["asked"] = [each.shape for each in asked]
        _name_call(change, by)
        self._editor.notify(Changed(path, change))

    def _tell_whole(self, found: FileChange, is_whole: bool, form: FormatChange | None) -> None:
        """Tell the editor of a change without lines: of the mode and the format alone, unless `is_whole`."""
        by, before, after = found.by, found.before, found.after
        assert by.by != "nobody"
        if not is_whole:
            before = after = Unknown.TEXT
        change: WholeChange = {
            "session": by.session.number,
            "turn": by.turn,
            "by": by.by,
            "given": found.given,
            "before": standing.shape_of(before, by.mode, form and form.before),
            "after": standing.shape_of(after, found.mode, form and form.after),
            "has_lines": form is not None and form.has_lines,
            "made": list(by.made),
            "folders": list(by.folders),
        }
        _name_call(change, by)
        self._editor.notify(Stands(found.path, change))

    def begin_turn(self, session: Session, restored: int | None = None) -> None:
        """Tell the editor that a turn begins: it drops changes that were decided from its list. `restored`: the turn
        before which this one goes back."""
        prompt = session.asked_for[: limits.TURN_PROMPT_CHARS]
        self._editor.notify(TurnBegins(session.number, session.turn, prompt, restored))

    def turn_over(self, session: Session, turn: int, moved: list[str]) -> None:
        """Tell the editor that all changes of a turn are known: from now on it reports the line below the turn.
        `moved`: what of git is no longer as the turn has found it."""
        self._editor.notify(TurnOver(session.number, turn, moved))

    def forget(self, session: Session) -> None:
        self._reports.pop(session.number, None)

    # --- what the editor tells

    def wrote(self, path: str) -> None:
        """Note that the user's undo has written or deleted this file."""
        self._wrote(path)

    def note(self, session: Session, turn: int, text: str, files: list[ChangedFile], more: int) -> None:
        """Show the line below a turn that is over, and the files below it."""
        entry = session.changed.get(turn)
        if entry and (entry.text, entry.files, entry.more) != (text, files, more):
            entry.text, entry.files, entry.more = text, files, more
            session.transcript.touch(entry)
            self._touch(session)

    def lost(self, number: int, files: list[LostLines]) -> None:
        """Keep what the user has undone or edited of the session's lines, in all files."""
        self._reports[number] = files

    # --- what the agent is told

    def report(self, session: Session) -> list[str]:
        """Return what the user has undone or edited since the last prompt. It is reported once."""
        files = self._reports.pop(session.number, [])
        if files:
            self._editor.notify(Reported(session.number))
        for file in files:
            self._learn(session, disk.resolve(file.path), file.lines)
        return [report_of_review(os.path.relpath(file.path, session.cwd), file) for file in files]


def _name_call(change: DiskChange | WholeChange, by: ChangeAuthor) -> None:
    if by.call:
        change["call"] = {"id": by.call.id, "title": by.call.title}
    if by.other:
        change["other"] = {"session": by.other[0].number, "turn": by.other[1]}
