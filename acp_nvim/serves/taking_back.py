"""Undoing hunks: the agent's lines go, those before come back, in the buffer and on the disk, and nothing else changes.

A buffer that is in step with its disk is edited and saved, as for an agent's write. Unsaved lines are never saved: the
disk then gets its own text with the hunks undone, and the buffer takes that up. Where there is no file, none is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.review import codec
from acp_nvim.review.codec import Text
from acp_nvim.review.edits import Edit, apply
from acp_nvim.review.patchwork import Hunk
from acp_nvim.review.texts import as_text
from acp_nvim.review.without import without
from acp_nvim.serves import disk, reload
from acp_nvim.serves.files import Files
from acp_nvim.serves.patience import until_free
from acp_nvim.serves.reviewed import Asked, Reviewed, Taken
from acp_nvim.serves.standing import as_utf8, decoded, on_disk, shape

_TRIES = 10
_PAUSE = 0.01  # seconds, more with every try: what the editor has to tell of its buffer may be under way
_ENDS = {"dos": "\r\n", "mac": "\r"}
_TOUCHED = "unsaved lines touch it: :w first"
_ENCODED = "it has unsaved lines in an encoding of its own: :w first"
_UNSAVED = "the rest is unsaved, its file is gone: :w makes it"


class TakingBack:
    """`wrote` is told of every file that was written for the user."""

    def __init__(self, editor: Editor, files: Files, wrote: Callable[[str], None]) -> None:
        self._editor, self._files, self._wrote = editor, files, wrote

    async def undo(self, file: Reviewed, ids: list[int]) -> str | None:
        """None: they are undone; else why not, in words for the user."""
        for attempt in range(_TRIES):
            await anyio.sleep(attempt * _PAUSE)
            try:
                async with self._files.lock(file.path):
                    step = _Step(file, ids)
                    said = await self._try(file, step) if step.hunks else None
            except OSError as error:
                return f"not undone: {error.strerror or error}"
            if said == "apart":
                said = await self._bring(file, step)
            if said != "stale":
                return said
        return "not undone: it changes too fast"

    async def _try(self, file: Reviewed, step: _Step) -> str | None:
        data = on_disk(file.path)
        if file.deleted and data is not None:
            file.came_back(codec.decode(data).lines)
            return "stale"
        if file.buffer is None:
            loaded = not file.deleted and await self._editor.call("file_look", file.path)
            if not loaded and data is not None and step.removes_file(step.wanted):
                loaded = codec.decode(data).lines == tuple(step.rows) and await self._load(file)
            return await self._follow(file) if loaded else self._on_disk(file, step, data)
        text = _text(file, data)
        if data is None:
            return await self._without_file(file, step, True)
        is_in_step = list(text.lines) == step.rows
        left = step.wanted if is_in_step else step.without(list(text.lines))
        if step.removes_file(left):
            return await self._without_file(file, step, False)
        if is_in_step:
            return await self._in_buffer(file, step, text)
        return self._beside(file, step, text, left, data)

    # --- the disk alone

    def _on_disk(self, file: Reviewed, step: _Step, data: bytes | None) -> str | None:
        if data is None and not file.deleted:
            file.keep(step.ids)  # whoever has deleted the file wants nothing of it back
            return None
        text = codec.decode(data) if data is not None else replace(file.shape, lines=())
        if list(text.lines) != step.rows:
            file.became(text.lines)
            return "stale"
        if step.removes_file(step.wanted):
            _expect_writable(file.path)
            disk.remove(file.path)
        else:
            disk.write(file.path, codec.encode(step.shaped(text, step.wanted)), file.mode)
        file.take_back(step.ids)
        was_deleted, file.deleted = file.deleted, False
        step.is_whole = was_deleted and not file.hunks
        self._wrote(file.path)
        return "apart" if was_deleted else None  # its text may be in a buffer still

    # --- a buffer in step with the disk

    async def _in_buffer(self, file: Reviewed, step: _Step, text: Text) -> str | None:
        options = {**shape(step.shaped(text, step.wanted)), "autocmds": self._files.live.autocmds}
        if step.encoding not in ("", file.encoding):
            options["fenc"] = step.encoding
        _expect_writable(file.path)
        return await self._ask("file_apply", file, step, options)

    async def _without_file(self, file: Reviewed, step: _Step, is_gone: bool) -> str | None:
        """What the buffer has beyond the hunks stays there, unsaved."""
        if not is_gone:
            _expect_writable(file.path)
        return await self._ask("file_remove", file, step, {"is_gone": is_gone}) or step.unsaved

    async def _ask(self, verb: str, file: Reviewed, step: _Step, options: dict[str, Any]) -> str | None:
        assert file.buffer is not None
        file.asks(Asked(step.wanted, Taken(frozenset(step.ids))))
        more = {"real": file.path, "review": file.path}
        said = await self._editor.call(verb, file.buffer, file.tick, _rows(step), {**options, **more})
        if said.get("locked"):
            await until_free(self._editor, file.buffer)
        if said.get("locked") or said.get("stale"):
            return "stale"
        if "error" in said:
            return f"not undone: {said['error']}"
        self._wrote(file.path)
        return None

    async def _load(self, file: Reviewed) -> bool:
        """Only a buffer has an undo that brings a deleted file back."""
        return os.access(file.path, os.W_OK) and bool(await self._editor.call("file_load", file.path))

    async def _follow(self, file: Reviewed) -> str | None:
        """It is loaded, and nobody has told us of its edits."""
        if buffer := await self._files.live.loaded(file.path):
            file.adopt(buffer.number, buffer.text.lines, buffer.tick)
        return "stale"

    # --- unsaved lines, or a disk that is ahead

    def _beside(
        self, file: Reviewed, step: _Step, text: Text, lines: list[str] | None, data: bytes
    ) -> str | None:
        if file.encoding not in ("utf-8", ""):
            return _ENCODED
        if lines is None:
            return _TOUCHED
        step.earlier = text.whole
        wanted = codec.encode(step.shaped(text, lines))
        if wanted != data:  # else they have been undone before, and come back in the buffer alone
            disk.write(file.path, wanted)
            self._wrote(file.path)
        return "apart"

    async def _bring(self, file: Reviewed, step: _Step) -> str | None:
        """The disk has it; into the buffer, unsaved lines and all."""
        live, lock = self._files.live, self._files.lock(file.path)
        by = Taken(frozenset(step.ids), step.is_whole)
        cut = None if step.earlier is None else step.without
        apart = await reload.bring(live, lock, file.path, step.earlier, None, by, cut=cut)
        return "undone on disk; the buffer keeps its own lines" if apart else None


class _Step:
    """What is to be done now; the text may be another one in the next."""

    def __init__(self, file: Reviewed, ids: list[int]) -> None:
        self.hunks: list[Hunk] = file.pending(ids)
        self.ids = [hunk.id for hunk in self.hunks]
        self.rows = file.lines
        self.edits = [Edit(h.first, h.first + len(h.new), list(h.old)) for h in self.hunks]
        self.wanted = apply(self.rows, self.edits)
        self.earlier: str | None = None
        self.is_whole = False  # nothing of an agent's is left
        self._file = file
        self._is_all = len(self.hunks) == len(file.hunks)

    def removes_file(self, left: list[str] | None) -> bool:
        """An agent has made it, and nobody else has put anything in."""
        return self._file.created and self._is_all and left == []

    @property
    def unsaved(self) -> str | None:
        return _UNSAVED if self.wanted else None

    @property
    def encoding(self) -> str:
        """What the file was in, once nothing of the agent's is left."""
        return self._file.first_encoding if self._is_all else ""

    def without(self, lines: list[str]) -> list[str] | None:
        """Another text, which has the hunks or some of them, without them. None: its own changes touch them."""
        return without(self.rows, self.edits, lines)

    def shaped(self, text: Text, lines: list[str]) -> Text:
        """Line ends as they are; with the last hunk as they were, and either end of the file with the hunk there."""
        was = self._file.shape
        at_start = bool(self.edits) and self.edits[0].first == 0
        at_end = bool(self.edits) and self.edits[-1].last == len(self.rows)
        final = was.final if self._is_all or at_end else text.final
        end = was.end if self._is_all else text.end
        bom = text.bom or (was.bom and (self._is_all or at_start))
        return replace(text, lines=tuple(lines), final=final, end=end, bom=bom)


def _rows(step: _Step) -> list[list[Any]]:
    """In rows of the editor: a text without lines has one."""
    if not (step.rows and step.wanted):
        return [[0, max(len(step.rows), 1), step.wanted]]
    return [list(edit) for edit in step.edits]


def _text(file: Reviewed, data: bytes | None) -> Text:
    """The disk's, in the lines of the buffer."""
    try:
        whole = decoded(data or b"", file.encoding)
    except (LookupError, UnicodeDecodeError):
        whole = as_utf8(data or b"")
    return as_text(whole, _ENDS.get(file.ff, "\n"))


def _expect_writable(path: str) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "the file is read-only")
