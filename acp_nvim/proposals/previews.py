"""Makes the previews of changes: what a question shows of its diff, from the files as they are now.

A preview is made inline, before the question is shown: else the question would grow while the user answers it. Of a
file with unsaved lines the editor is asked for both sides, and the preview is shown again if they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, repeat
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.editor.interface import Editor
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.service import Files
from acp_nvim.messages.proposals import ProposalSides
from acp_nvim.proposals.agent_change import Change, as_it_came
from acp_nvim.proposals.proposed_file import files_of, read, read_file
from acp_nvim.session.change_preview import DiffRow, FilePreview
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.changed_words import Span, changed_words
from acp_nvim.text.line_diff import Edit, edits

_CONTEXT = 1  # lines around a change
_MOST_OF_SIDE = limits.PREVIEWED_ROWS // 2 - _CONTEXT
_TOO_LARGE = "too much to compare here"


class Previews:
    def __init__(
        self,
        editor: Editor,
        files: Files,
        spawn: Callable[..., None],
        touch: Callable[[Session], None],
    ) -> None:
        self._editor, self._files, self._spawn, self._touch = editor, files, spawn, touch

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Make the previews of a call that has changed, while it is open: what is done can be compared with nothing."""
        said = (call.content, call.raw_input, call.locations, call.kind)
        if not call.is_open:
            return
        changes = call.changes.get(said, lambda: files_of(call, session.cwd))
        before, stamps = call.previewed_of
        if before is changes:
            return
        unsaved = self._unsaved(changes)
        call.previewed_of = changes, [file_snapshot.stamp(disk.resolve(path)) for path in changes]
        if call.previewed_of == (before, stamps) and not unsaved:
            return  # a permission repeats what its call has told
        call.previews = tuple(self._made(session, changes))
        if unsaved:
            self._spawn(self._look, session, call, changes)

    def _made(self, session: Session, changes: dict[str, list[Change]]) -> Iterator[FilePreview]:
        for path, found in islice(changes.items(), limits.PREVIEWED_FILES):
            yield self._of_file(session, path, found)
        for path in islice(changes, limits.PREVIEWED_FILES, None):
            yield FilePreview(path)

    def _of_file(self, session: Session, path: str, changes: list[Change]) -> FilePreview:
        """Compare with the file on disk, or as the agent knows it."""
        if (
            sum(len(text or "") for change in changes for text in (change.old, change.new))
            > limits.PREVIEWED_BYTES
        ):
            return FilePreview(path, note=_TOO_LARGE)
        if file_snapshot.size(file_snapshot.stamp(disk.resolve(path))) > limits.PREVIEWED_BYTES:
            made = as_it_came(changes, "")
            return preview(path, _Sides(made.base, made.new, is_whole=False))
        made = read_file(self._files, session, path, changes).change
        return preview(path, _Sides(made.base, made.new, made.problem, not made.problem))

    # --- files with unsaved lines

    def _unsaved(self, changes: dict[str, list[Change]]) -> list[str]:
        unsaved = set(self._files.documents.unsaved)
        return [path for path in changes if disk.resolve(path) in unsaved] if unsaved else []

    async def _look(self, session: Session, call: ToolCall, changes: dict[str, list[Change]]) -> None:
        """Let the editor build both sides from its buffers, as it does for the diff."""
        made = {each.path: each for each in call.previews}
        for path in self._unsaved(changes):
            file = await read(self._files, session, path, changes[path])
            if said := await self._editor.call(ProposalSides(file.payload(session.cwd))):
                is_whole = not said.get("problem") or bool(said.get("fits"))
                sides = _Sides(said.get("left"), said.get("right"), said.get("problem") or "", is_whole)
                made[path] = preview(path, sides)
        now = tuple(made.values())
        if call.is_open and now != call.previews and list(made) == [each.path for each in call.previews]:
            call.previews = now
            session.transcript.touch(call)
            self._touch(session)


class _Sides(NamedTuple):
    left: str | None
    right: str | None
    problem: str = ""
    is_whole: bool = True  # both are the file, and no parts of it


def preview(path: str, made: _Sides) -> FilePreview:
    old, new = _lines(made.left), _lines(made.right)
    if len(old) + len(new) > limits.PREVIEWED_LINES:
        return FilePreview(path, note=_TOO_LARGE)
    changes = edits(old, new)
    added = sum(len(change.lines) for change in changes)
    removed = sum(change.last - change.first for change in changes)
    rows = tuple(islice(_rows(old, changes, made.is_whole), limits.PREVIEWED_ROWS))
    first = changes[0].first if changes else 0
    return FilePreview(path, rows, added, removed, _note(made), first, made.is_whole)


def _note(made: _Sides) -> str:
    """Return what the rows do not show: a problem, and a newline that comes or goes at the end of the file."""
    old, new = made.left or "", made.right or ""
    end = ""
    if made.is_whole and old and new and old.endswith("\n") != new.endswith("\n"):
        end = "\\ newline added at the end" if new.endswith("\n") else "\\ newline removed at the end"
    return " · ".join(filter(None, (made.problem, end)))


def _rows(old: Sequence[str], changes: Sequence[Edit], known: bool) -> Iterator[DiffRow]:
    """Yield the rows of all changes with a line around each. `known`: the lines are the file's, and have its numbers.

    17   def total(orders):        a line that stays, with its number in the changed file
    18 -     result = 0            lines that go
    18 +     return sum(orders)    lines that come
     ⋯                             before the next change: lines that stay, empty ones too
    """

    def numbers(first: int) -> Iterator[int | None]:
        return count(first + 1) if known else repeat(None)

    def kept(first: int, last: int) -> Iterator[DiffRow]:
        lines = zip(old[first:last], numbers(first + grown), strict=False)
        return (DiffRow(" ", _cut(line), number) for line, number in lines if line.strip())

    done = grown = 0
    for number, change in enumerate(changes):
        until = min(done + _CONTEXT, change.first) if number else done
        start = max(until, change.first - _CONTEXT)
        behind, before = [*kept(done, until)], [*kept(start, change.first)]
        yield from behind
        if number and len(behind) + len(before) < change.first - done:
            yield DiffRow("⋯", "")
        yield from before
        gone, come = old[change.first : change.last], change.lines
        old_words, new_words = changed_words(_first(gone), _first(come))
        yield from _side("-", gone, numbers(change.first), old_words)
        yield from _side("+", come, numbers(change.first + grown), new_words)
        done = change.last
        grown += len(change.lines) - (change.last - change.first)
    if changes:
        yield from kept(done, min(done + _CONTEXT, len(old)))


def _side(
    sign: str, lines: Sequence[str], numbers: Iterator[int | None], words: Sequence[Span]
) -> Iterator[DiffRow]:
    """Yield the lines of one side of a change; half of the rows are left to the other side."""
    for at, (line, number, changed) in enumerate(zip(_first(lines), numbers, words, strict=False), 1):
        yield DiffRow(sign, line, number, len(lines) - at if at == _MOST_OF_SIDE else 0, changed)


def _first(lines: Sequence[str]) -> list[str]:
    return [_cut(line) for line in lines[:_MOST_OF_SIDE]]


def _cut(line: str) -> str:
    return line if len(line) <= limits.PREVIEWED_LINE_CHARS else f"{line[: limits.PREVIEWED_LINE_CHARS]}…"


def _lines(text: str | None) -> list[str]:
    lines = (text or "").removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
