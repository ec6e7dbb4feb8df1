"""The live text of a file: the buffer where the editor has one loaded, else what is on disk."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.review import codec
from acp_nvim.review.codec import Text
from acp_nvim.review.edits import edits
from acp_nvim.review.texts import as_text, join
from acp_nvim.serves import disk

_PATIENCE = 0.3  # seconds in which an editor that is not waiting for its user has answered
_SLICE = 5000  # lines a call, so that the editor is never kept long
_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


@dataclass(frozen=True, slots=True)
class Buffer:
    number: int
    tick: int
    modified: bool
    plain: bool  # unmodified, in the encoding of the wire: the disk says the same
    rows: list[str]  # as the editor counts them: an empty buffer has one
    text: Text


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a file stands when a write comes: `text` is what both, the user and the disk, have made of it."""

    path: str
    text: Text
    buffer: Buffer | None = None
    disk: str | None = None  # with bytes that are no UTF-8 as surrogates
    apart: bool = False  # the user's unsaved lines and the disk overlap

    @property
    def shown(self) -> str | None:
        """What the user saw; None: there was no such file."""
        return self.buffer.text.whole if self.buffer else None if self.disk is None else self.text.whole


class Live:
    def __init__(self, editor: Editor) -> None:
        self.autocmds = True
        self._editor = editor
        self._origins: dict[
            str, str | None
        ] = {}  # of modified buffers: the disk under them, None if nobody can tell

    @property
    def unsaved(self) -> list[str]:
        return list(self._origins)

    def modified(self, path: str, is_modified: bool) -> None:
        """The editor says so of a loaded buffer; what the disk holds now is what its changes build on."""
        path = os.path.realpath(path)
        if not is_modified:
            self._origins.pop(path, None)
        elif path not in self._origins:
            self._origins[path] = None
            with contextlib.suppress(OSError):
                self._origins[path] = on_disk(path) or ""

    # --- reading

    async def read(self, path: str) -> tuple[str, str]:
        """The text and its line end. An editor that waits for its user is not waited for where the disk will do."""
        if path not in self._origins:
            with anyio.move_on_after(_PATIENCE):
                return await self._read(path)
            with contextlib.suppress(UnicodeDecodeError):
                return _from_disk(path)
        return await self._read(path)

    async def _read(self, path: str) -> tuple[str, str]:
        while look := await self._editor.call("file_look", path):
            if look["plain"]:
                break
            if (buffer := await self._buffer(look)) is not None:
                return _sendable(buffer.text.whole, path), buffer.text.end
        try:
            return _from_disk(path)
        except UnicodeDecodeError as error:
            raise _not_text(path) from error

    async def _buffer(self, look: dict[str, Any]) -> Buffer | None:
        """None: it has changed while it was read."""
        rows = look.get("lines")
        if rows is None:
            rows = []
            while len(rows) < look["count"]:
                last = min(len(rows) + _SLICE, look["count"])
                some = await self._editor.call("file_lines", look["buf"], look["tick"], len(rows), last)
                if not some:
                    return None
                rows += some
        end = _ENDS[look["ff"]]
        text = Text(() if rows in ([], [""]) else tuple(rows), end, bool(look["final"]), bool(look["bomb"]))
        return Buffer(look["buf"], look["tick"], bool(look["modified"]), bool(look["plain"]), rows, text)

    # --- writing

    async def standing(self, path: str, settled: str | None) -> Standing:
        """`settled`: a text on disk about which the user has been asked already."""
        while look := await self._editor.call("file_look", path):
            if (buffer := await self._buffer(look)) is not None:
                return self._with_disk(path, buffer, settled)
        found = on_disk(path)
        text = codec.decode(disk.read(path)) if found is not None else Text()
        _sendable(found or "", path)
        return Standing(path, text, disk=found)

    def _with_disk(self, path: str, buffer: Buffer, settled: str | None) -> Standing:
        found = on_disk(path)
        as_shown = Standing(path, buffer.text, buffer, found)
        if found is None:
            return as_shown
        if buffer.plain:  # and perhaps older than the disk
            return replace(as_shown, text=as_text(found, buffer.text.end))
        origin = self._origins.get(path)
        if not buffer.modified or origin is None or origin == found:
            return as_shown
        both = join(origin, buffer.text, found)
        _sendable(both.ours.whole, path)
        return replace(as_shown, text=both.ours, apart=bool(both.overlaps) and found != settled)

    async def save(self, now: Standing, text: Text) -> str | None:
        """The text that is saved then; None if the buffer has changed since it was looked at."""
        if now.buffer:
            return await self._save_buffer(now.path, now.buffer, text, now.disk)
        if now.disk is None or text != now.text:
            disk.write(now.path, codec.encode(text))
        return text.whole

    async def _save_buffer(self, path: str, buffer: Buffer, text: Text, found: str | None) -> str | None:
        changes = [list(edit) for edit in edits(buffer.rows, list(text.lines))]
        if buffer.plain and not changes and as_text(found or "", text.end) == text and found is not None:
            return text.whole
        disk.make_parents(path)
        options = {"autocmds": self.autocmds, "final": text.final, "bomb": text.bom}
        said = await self._editor.call("file_apply", buffer.number, buffer.tick, changes, options)
        if said.get("stale"):
            return None
        if trouble := said.get("error") or said.get("disk_error"):
            raise RpcError(INTERNAL_ERROR, f"{path} was not written: {trouble}")
        rows = said.get("lines")
        return (replace(text, lines=tuple(rows)) if rows is not None else text).whole


def on_disk(path: str) -> str | None:
    try:
        return disk.read(path).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _from_disk(path: str) -> tuple[str, str]:
    return disk.read(path).decode("utf-8").removeprefix("\ufeff"), "\n"


def _sendable(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _not_text(path) from error
    return text


def _not_text(path: str) -> RpcError:
    return RpcError(INTERNAL_ERROR, f"{path} is not UTF-8 text")
