"""Previews of changes: what a question shows of its diff, made from the files as they are now.

A preview is made inline, before the question is shown: else the question would grow while the user answers it. Only a
file with unsaved lines in the editor is looked at once more, by asking the editor, and shown anew if that differs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from acp_nvim.proposals.pages import as_it_came, named
from acp_nvim.review.edits import Edit, edits
from acp_nvim.review.proposed import Proposed, propose_all
from acp_nvim.serves import disk, sight
from acp_nvim.serves.files import Files
from acp_nvim.serves.standing import as_utf8
from acp_nvim.session.change_preview import KEPT_ROWS, DiffRow, FilePreview
from acp_nvim.session.proposed_diffs import FileDiff
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

_LARGEST = 4 << 20  # bytes of a file, or characters of a change, that are compared while the question waits
_MOST_LINES = 30_000  # of both sides
_MERGED = 256 << 10  # characters up to which what the agent believes is merged with the file
_MOST_FILES = 50
_CONTEXT = 1  # lines around a change
_WIDTH = 400  # characters of a line
_TOO_LARGE = "too much to be compared here"


class Previews:
    def __init__(self, files: Files, spawn: Callable[..., None], touch: Callable[[Session], None]) -> None:
        self._files, self._spawn, self._touch = files, spawn, touch

    def hear(self, session: Session, call: ToolCall) -> None:
        """The call as it is now. What has been done already can be compared with nothing any more."""
        said = (call.content, call.raw_input, call.locations, call.kind)
        if not call.is_open or not call.previewed.is_new(said, None):
            return
        changes = named(call, session.cwd)
        unsaved = self._unsaved(changes)
        made_of = changes, [sight.stamp(disk.resolve(path)) for path in changes]
        if call.previewed_of == made_of and not unsaved:
            return  # a permission repeats what its call has told
        call.previewed_of = made_of
        call.previews = tuple(self._made(session, changes))
        if unsaved:
            self._spawn(self._look, session, call, changes)

    def _made(self, session: Session, changes: dict[str, list[FileDiff]]) -> Iterator[FilePreview]:
        for path, found in islice(changes.items(), _MOST_FILES):
            yield self._of_file(session, path, found, None)
        for path in islice(changes, _MOST_FILES, None):
            yield FilePreview(path)

    def _of_file(
        self, session: Session, path: str, changes: Sequence[FileDiff], live: str | None
    ) -> FilePreview:
        """`live`: the text in the editor; None: the disk's."""
        size = sum(len(change.old or "") + len(change.new or "") for change in changes)
        if size > _LARGEST:
            return FilePreview(path, note=_TOO_LARGE)
        real = disk.resolve(path)
        try:
            data = _on_disk(real)
            changed = disk.changed(real) if data is not None else 0
        except (OSError, ValueError):
            return preview(path, as_it_came(changes, ""))
        held = None if data is None else as_utf8(data).removeprefix("\ufeff")
        base = held
        if held is None or len(held) <= _MERGED:
            base = self._files.beliefs(session).base(real, data, changed, as_utf8)
        live = held if live is None else live
        pairs = [(change.old, change.new) for change in changes]
        made = propose_all(live, held, base, pairs)
        if made.left == made.right and base not in (None, held):  # it has been done in the meantime
            made = propose_all(base, base, base, pairs)
        if live is None and not made.fits:
            made = as_it_came(changes, made.problem)
        return preview(path, made)

    # --- files with unsaved lines

    def _unsaved(self, changes: dict[str, list[FileDiff]]) -> list[str]:
        unsaved = set(self._files.live.unsaved)
        return [path for path in changes if disk.resolve(path) in unsaved] if unsaved else []

    async def _look(self, session: Session, call: ToolCall, changes: dict[str, list[FileDiff]]) -> None:
        made = {each.path: each for each in call.previews}
        for path in self._unsaved(changes):
            if buffer := await self._files.live.loaded(disk.resolve(path)):
                made[path] = self._of_file(session, path, changes[path], buffer.text.whole)
        now = tuple(made.values())
        if call.is_open and now != call.previews and list(made) == [each.path for each in call.previews]:
            call.previews = now
            session.transcript.touch(call)
            self._touch(session)


def preview(path: str, made: Proposed) -> FilePreview:
    old, new = _lines(made.left), _lines(made.right)
    if len(old) + len(new) > _MOST_LINES:
        return FilePreview(path, note=_TOO_LARGE)
    changes = edits(old, new)
    added = sum(len(change.lines) for change in changes)
    removed = sum(change.last - change.first for change in changes)
    rows = tuple(islice(_rows(old, changes, made.fits), KEPT_ROWS))
    first = changes[0].first if changes else 0
    return FilePreview(path, rows, added, removed, _note(made), first, made.fits)


def _note(made: Proposed) -> str:
    """What the lines do not say. A newline that comes or goes at the end of the file is no line of the diff."""
    old, new = made.left or "", made.right or ""
    end = ""
    if made.fits and old and new and old.endswith("\n") != new.endswith("\n"):
        end = "\\ newline added at the end" if new.endswith("\n") else "\\ no newline at the end any more"
    return " · ".join(filter(None, (made.problem.partition(": shown")[0], end)))


def _rows(old: Sequence[str], changes: Sequence[Edit], known: bool) -> Iterator[DiffRow]:
    """Each change between the lines around it. `known`: the lines are those of the file, and have its numbers.

    17 def total(orders):        a line that stays, with its number
    -      result = 0            lines that go
    +      return sum(orders)    lines that come
    ⋯                            before the next change: lines that stay, empty ones too
    """

    def kept(first: int, last: int) -> Iterator[DiffRow]:
        rows = (DiffRow(" ", _cut(old[at]), at + 1 if known else None) for at in range(first, last))
        return (row for row in rows if row.text.strip())

    done = 0
    for number, change in enumerate(changes):
        until = min(done + _CONTEXT, change.first) if number else done
        start = max(until, change.first - _CONTEXT)
        behind, before = [*kept(done, until)], [*kept(start, change.first)]
        yield from behind
        if number and len(behind) + len(before) < change.first - done:
            yield DiffRow("⋯", "")
        yield from before
        yield from (DiffRow("-", _cut(line)) for line in old[change.first : change.last])
        yield from (DiffRow("+", _cut(line)) for line in change.lines)
        done = change.last
    if changes:
        yield from kept(done, min(done + _CONTEXT, len(old)))


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def _lines(text: str | None) -> list[str]:
    lines = (text or "").removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _on_disk(path: str) -> bytes | None:
    """None: there is no such file. One that is too large is not read here."""
    try:
        if os.stat(path).st_size > _LARGEST:
            raise ValueError(f"{path} is too large to be compared at once")
        return disk.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
