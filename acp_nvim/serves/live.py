"""The live text of a file: the buffer where the editor has one loaded, else what is on disk."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.review import codec
from acp_nvim.review.codec import Text
from acp_nvim.review.edits import Edit, apply, edits
from acp_nvim.review.texts import as_text
from acp_nvim.serves import disk, sight
from acp_nvim.serves.joining import merged
from acp_nvim.serves.patience import until_free
from acp_nvim.serves.sight import Doer, Held, Read, Stamp, Unknown
from acp_nvim.serves.standing import Buffer, Standing, on_disk, shape

log = logging.getLogger(__name__)
_PATIENCE = 0.3  # seconds in which an editor that is not waiting for its user has answered
_SLICE = 5000  # lines a call, so that the editor is never kept long
_KNOWN = 8  # files whose lines are kept, so that they need not come again


class Live:
    def __init__(self, editor: Editor) -> None:
        self.autocmds = True
        self.heard = True  # of the last write: the user has an autocommand for it, or may have one
        # what a file held when it was last looked at in the doer's turn, and how it looked then
        self.earlier: Callable[[Doer, str], tuple[Held, Stamp | None]] = lambda by, path: (Unknown.TEXT, None)
        self.open: set[str] = set()  # files that were loaded when last looked for
        self._editor = editor
        self._known: dict[str, Buffer] = {}  # the youngest last
        # of modified buffers: the disk under their unsaved lines; None: nobody can tell
        self._origins: dict[str, bytes | None] = {}
        # of those: the disk has never been in the buffer, and nobody has been asked
        self._behind: dict[str, Read] = {}

    @property
    def unsaved(self) -> list[str]:
        return list(self._origins)

    def modified(self, path: str, is_modified: bool, behind: Read | None = None) -> None:
        """The editor says so of a loaded buffer; what the disk holds now is what its changes build on.

        `behind`: but for that, it has changed since the buffer was read; how it looked then.
        """
        path = disk.resolve(path)
        if not is_modified:
            self._forget_origin(path)
        elif path not in self._origins:
            self._origins[path] = None
            if behind:
                self._behind[path] = behind
                return
            with contextlib.suppress(OSError):
                self._origins[path] = on_disk(path) or b""

    def _forget_origin(self, path: str) -> None:
        self._origins.pop(path, None)
        self._behind.pop(path, None)

    def origin(self, path: str) -> bytes | None:
        """The disk under the unsaved lines of a modified buffer; None: nobody can tell."""
        return self._origins.get(path)

    def is_behind(self, path: str) -> bool:
        """What the disk held as the buffer became modified has never been in it, and nobody has been asked."""
        return path in self._behind

    def recognise(self, path: str, stamp: Stamp | None, text: str | None) -> None:
        """The file looked so when it held that text: where the buffer was read from it then, that is what its unsaved
        lines build on. It was changed while the user had begun something that puts our edits off, say."""
        read = self._behind.get(path)
        if read and stamp and text is not None and read == sight.read_stamp(stamp):
            self.in_step(path, text.encode("utf-8", "surrogateescape"))

    def doubt(self, path: str) -> None:
        """What the disk holds was never in the buffer: its unsaved lines build on something older."""
        self._origins[path] = None
        self._behind.pop(path, None)

    def in_step(self, path: str, data: bytes) -> None:
        """The buffer has taken up what the disk holds; unsaved lines, if any, build on that now."""
        self._behind.pop(path, None)
        if path in self._origins:
            self._origins[path] = data

    # --- reading

    async def loaded(self, path: str) -> Buffer | None:
        while look := await self._editor.call("file_look", path, self._moment(path)):
            self.open.add(path)
            if (buffer := await self._buffer(path, look)) is not None:
                return buffer
        self.open.discard(path)
        self._known.pop(path, None)
        return None

    def _moment(self, path: str) -> tuple[int, ...]:
        known = self._known.get(path)
        return (known.number, known.tick) if known else ()

    def _learn(self, path: str, buffer: Buffer) -> Buffer:
        self._known.pop(path, None)
        self._known[path] = buffer
        if len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]
        return buffer

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
            if (buffer := await self._buffer(path, look)) is not None:
                return _sendable(buffer.text.whole, path), buffer.text.end
        try:
            return _from_disk(path)
        except UnicodeDecodeError as error:
            raise _not_text(path) from error

    async def _buffer(self, path: str, look: dict[str, Any]) -> Buffer | None:
        """None: it has changed while it was read."""
        rows = await self._rows(path, look)
        if rows is None:
            return None
        look.pop("lines", None)
        return self._learn(path, Buffer.of(look, rows))

    async def _rows(self, path: str, look: dict[str, Any]) -> list[str] | None:
        if self._moment(path) == (look["buf"], look["tick"]):
            return self._known[path].rows
        if "lines" in look:
            return list(look["lines"])
        rows: list[str] = []
        while len(rows) < look["count"]:
            last = min(len(rows) + _SLICE, look["count"])
            some = await self._editor.call("file_lines", look["buf"], look["tick"], len(rows), last)
            if not some:
                return None
            rows += some
        return rows

    # --- writing

    async def reload(
        self,
        path: str,
        buffer: Buffer,
        changes: list[Edit],
        disk: Text,
        after: list[Edit],
        by: Doer | None = None,
        encoding: str = "",
        seen: Stamp | None = None,
        before: Sequence[str] | None = None,
    ) -> str | None:
        """Give the buffer the disk's text, then `after`. None: done; else why not: "stale" and "locked" pass.

        `seen`: of the file with that text, which is UTF-8; as long as it stays the same, so does the text.
        """
        options = {**shape(disk), "after": [list(edit) for edit in after]}
        if seen:
            _, ino, size, _, *times = seen
            options["seen"] = [ino, size, *(part for time in times for part in divmod(time, 10**9))]
        if encoding not in ("", buffer.encoding):
            options["fenc"] = encoding
        wanted = apply(list(disk.lines) or [""], after)
        options |= _attributed(buffer, wanted, by, before, bool(after))
        said = await self._editor.call(
            "file_reload", buffer.number, buffer.tick, [list(edit) for edit in changes], options
        )
        if said.get("locked"):
            return "locked"
        return "stale" if said.get("stale") else said.get("error")

    async def until_free(self, buffer: Buffer, gives_up: Callable[[], bool] = lambda: False) -> bool:
        """The user has finished what edits of the buffer would spoil. False: it has been given up."""
        return await until_free(self._editor, buffer.number, gives_up)

    async def standing(self, path: str, settled: bytes | None) -> Standing:
        """`settled`: what was on disk when the user was asked about it."""
        if buffer := await self.loaded(path):
            return await self._with_disk(Standing(path, buffer.text, buffer, on_disk(path)), buffer, settled)
        found = on_disk(path)
        text = codec.decode(found or b"")
        _sendable(text.whole, path)
        return Standing(path, text, disk=found)

    async def as_left(self, path: str) -> Standing | None:
        """As our last write has left it; `save` finds out if it is otherwise by now. None: it has to be looked at."""
        buffer = self._known.get(path)
        if buffer is None or not buffer.is_left:
            return None
        return await self._with_disk(Standing(path, buffer.text, buffer, on_disk(path)), buffer, None)

    async def _with_disk(self, now: Standing, buffer: Buffer, settled: bytes | None) -> Standing:
        if now.disk is None:
            return now
        if buffer.is_like_disk:
            text = now.decode(now.disk)
            if buffer.text.end == "\n" and text == buffer.text.whole:
                return now  # quicker seen than split
            if buffer.encoding != "utf-8":
                _sendable(text, now.path)
            return now._replace(text=as_text(text, buffer.text.end))
        origin = self._origins.get(now.path)
        is_known = origin is not None or now.path in self._behind
        if not (buffer.modified and is_known) or origin == now.disk:
            return now
        base = None if origin is None else now.decode(origin)
        both = await merged(base, buffer.text, now.decode(now.disk))
        _sendable(both.ours.whole, now.path)
        return now._replace(text=both.ours, apart=bool(both.overlaps) and now.disk != settled)

    async def save(self, now: Standing, text: Text, by: Doer | None = None) -> str | None:
        """The text that is saved then; None if the buffer is not as it is thought to be, or takes no edits now."""
        self.heard = True
        if now.buffer:
            return await self._save_buffer(now, now.buffer, text, by)
        if now.disk is None or text != now.text:
            disk.write(now.path, codec.encode(text))
        return text.whole

    async def _save_buffer(self, now: Standing, buffer: Buffer, text: Text, by: Doer | None) -> str | None:
        changes = edits(buffer.rows, list(text.lines))
        if not changes and buffer.is_like_disk and now.disk is not None and text == now.text:
            return None if buffer.is_left else text.whole  # only a look can tell that there is nothing to do
        disk.make_parents(now.path)
        options = {"autocmds": self.autocmds, "real": now.path, "look": buffer.look, **shape(text)}
        wanted = apply(buffer.rows, changes)  # lines that stay are the same objects, quickly compared later
        before = await self._before(now, buffer, by) if by else None
        options |= {**_attributed(buffer, wanted, by, before), "created": now.disk is None}
        listed = [list(edit) for edit in changes]
        said = await self._editor.call("file_apply", buffer.number, buffer.tick, listed, options)
        if said.get("locked") or said.get("stale"):
            return None
        if "error" in said:
            raise RpcError(INTERNAL_ERROR, f"{now.path} was not written: {said['error']}")
        if "warning" in said:
            log.warning("%s was written, but: %s", now.path, said["warning"])
        if "lines" in said:
            wanted = list(said["lines"])
            text = replace(text, lines=tuple(wanted))
        self.heard = bool(said.get("heard", True))
        self._left(now.path, said.get("look"), wanted or [""], text)
        return text.whole

    async def _before(self, now: Standing, buffer: Buffer, by: Doer) -> Sequence[str]:
        """The lines that a write changes: those of both, buffer and disk, but for what the agent has written to the
        disk itself, and nobody has seen yet."""
        if buffer.text.lines == now.text.lines:
            return now.text.lines
        text, stamp = self.earlier(by, now.path)
        if not isinstance(text, str) or buffer.is_saved_since(stamp):
            return now.text.lines
        if buffer.is_like_disk:
            return as_text(text, buffer.text.end).lines
        origin = self._origins.get(now.path)
        both = await merged(None if origin is None else now.decode(origin), buffer.text, text)
        return now.text.lines if both.overlaps else both.ours.lines

    def _left(self, path: str, look: dict[str, Any] | None, rows: list[str], text: Text) -> None:
        """By a write; `look` None: the buffer went with it."""
        if look is None:
            self._known.pop(path, None)
            return
        buffer = Buffer.of(look, rows)
        if buffer.text == text:
            buffer.text.is_known_as(text.whole)
        self._learn(path, buffer._replace(is_left=True))


def _attributed(
    buffer: Buffer,
    wanted: list[str],
    by: Doer | None,
    before: Sequence[str] | None,
    in_steps: bool = False,
) -> dict[str, Any]:
    """For whom the buffer is changed, and where not all edits are theirs, which: what another program has made of the
    disk before is nobody's."""
    who = {"by": by.shape} if by else {}
    rows = buffer.rows if before is None else list(before) or [""]
    if rows == buffer.rows and not in_steps:
        return who
    steps = [{"edits": _listed(buffer.rows, rows)}, {**who, "edits": _listed(rows, wanted)}]
    return {**who, "steps": steps[rows == buffer.rows :]}


def _listed(old: list[str], new: list[str]) -> list[list[Any]]:
    return [list(edit) for edit in edits(old, new)]


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
