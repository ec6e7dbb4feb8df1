"""An editor in memory with files on a real disk: loaded buffers, their undo, and the port calls about them."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.lowlevel

from acp_nvim.messages.base_classes import Call
from acp_nvim.text.text_file import Text, in_format, split
from tests.fakes.merge_model import join

_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


def merged(base: str | None, mine: str, theirs: str) -> dict[str, Any]:
    """As the editor merges the texts of a file that is not loaded."""
    joined = join(base, split(mine), theirs)
    if joined.overlaps:
        return {"mine": joined.ours.whole, "agents": joined.theirs.whole}
    return {"text": joined.ours.whole}


@dataclass
class FakeBuffer:
    number: int
    path: str  # resolved
    tell: Callable[[str, bool], None]
    encoding: str = "utf-8"
    ff: str = "unix"
    final: bool = True
    bomb: bool = False
    lines: list[str] = field(default_factory=lambda: [""])
    tick: int = 1
    modified: bool = False
    is_void: bool = True  # one row, but no line
    undone: list[list[str]] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    origin: bytes = b""  # of the file, which its text builds on

    @property
    def text(self) -> Text:
        return Text(() if self.is_void else tuple(self.lines), _ENDS[self.ff], self.final, self.bomb)

    def on_disk(self) -> bytes | None:
        return Path(self.path).read_bytes() if os.path.exists(self.path) else None

    def load(self) -> None:
        data = self.origin = self.on_disk() or b""
        text = data.decode(self.encoding)
        self.bomb = text.startswith("\ufeff")
        text = text.removeprefix("\ufeff")
        self.ff = "dos" if text.count("\n") and text.count("\r\n") == text.count("\n") else "unix"
        lines = text.split(_ENDS[self.ff])
        self.final = lines[-1] == "" or not text
        self.is_void = not text
        self.lines = lines[:-1] if lines[-1] == "" and len(lines) > 1 else lines
        self.saved = list(self.lines)
        self.tick += 1
        self._became(False)

    def edit(self, lines: list[str]) -> None:
        """What a user types: an undo step."""
        if not self.modified and os.path.exists(self.path) and self.data() != Path(self.path).read_bytes():
            raise AssertionError("the editor would have reloaded this buffer before")
        self.steps.append(self.lines)
        self.undone.clear()
        self.final = self.final or self.is_void  # an empty file has no line that lacks its end
        self.show(lines)

    def undo(self) -> None:
        if self.steps:
            self.undone.append(self.lines)
            self.show(self.steps.pop())

    def redo(self) -> None:
        if self.undone:
            self.steps.append(self.lines)
            self.show(self.undone.pop())

    def show(self, lines: list[str]) -> None:
        self.lines, self.is_void = list(lines) or [""], not lines
        self.tick += 1
        self._became(self.lines != self.saved)

    def data(self) -> bytes:
        if self.is_void:
            return b""
        text = _ENDS[self.ff].join(self.lines) + (_ENDS[self.ff] if self.final else "")
        return (("\ufeff" if self.bomb else "") + text).encode(self.encoding)

    def save(self) -> None:
        Path(self.path).write_bytes(self.data())
        self.saved, self.origin = list(self.lines), self.data()
        self._became(False)

    def _became(self, modified: bool) -> None:
        if modified is not self.modified:
            self.modified = modified
            self.tell(self.path, modified)


class FileEditor:
    """`before` runs ahead of each call: what the user does meanwhile. Unset, `answering` is a hit-enter prompt."""

    def __init__(self) -> None:
        self.tell: Callable[[str, bool], None] = lambda path, modified: None
        self.unlocked: Callable[[str], None] = lambda path: None
        self.buffers: dict[str, FakeBuffer] = {}
        self.calls: list[str] = []
        self.options: dict[str, Any] = {}
        self.before: Callable[[str], None] = lambda name: None
        self.formats: Callable[[list[str]], list[str]] | None = None
        self.failure: str | None = None
        self.notified: list[tuple[Any, ...]] = []
        self.locks = 0  # so many times edits are forbidden
        self.answering = anyio.Event()
        self.answering.set()

    def wake(self, at_once: bool = False) -> None:
        raise AssertionError("files show nothing by themselves")

    def notify(self, call: Call) -> None:
        name, *arguments = call.wire()
        if not name.startswith("proposal"):
            raise AssertionError("files notify nobody by themselves")
        self.notified.append((name, *arguments))

    async def call(self, call: Call) -> Any:
        name, *arguments = call.wire()
        await self.answering.wait()
        await anyio.lowlevel.checkpoint()
        self.before(name)
        self.calls.append(name)
        return getattr(self, f"_{name}")(*arguments)

    def open(self, path: Path | str, **shape: Any) -> FakeBuffer:
        resolved = os.path.realpath(path)
        buffer = FakeBuffer(len(self.buffers) + 1, resolved, lambda *what: self.tell(*what), **shape)
        self.buffers[resolved] = buffer
        buffer.load()
        return buffer

    def _found(self, path: str) -> FakeBuffer | None:
        return self.buffers.get(os.path.realpath(path))

    def _is_locked(self, buffer: FakeBuffer) -> bool:
        if not self.locks:
            return False
        self.locks -= 1
        asyncio.get_running_loop().call_soon(self.unlocked, buffer.path)
        return True

    def _document_merge(self, base: str | None, mine: str, theirs: str) -> dict[str, Any]:
        return merged(base, mine, theirs)

    def _document_read(self, path: str, whole: bool) -> dict[str, Any] | None:
        buffer = self._found(path)
        if buffer is None:
            return None
        if not whole and not buffer.modified and buffer.encoding == "utf-8":
            return {"plain": True}
        return {
            "text": buffer.text.whole,
            "ff": buffer.ff,
            "modified": buffer.modified,
            "fenc": buffer.encoding,
            "ahead": buffer.on_disk() != buffer.origin,
        }

    def _document_write(self, request: dict[str, Any]) -> dict[str, Any]:
        buffer = self._found(request["path"])
        if buffer is None:
            return {"not_loaded": True}
        if not os.path.isdir(os.path.dirname(buffer.path)):
            return {"no_folder": True}
        if self._is_locked(buffer):
            return {"locked": "finish the command"}
        if self.failure:
            return {"refused": self.failure}
        self.options = request
        disk, mine, apart = buffer.on_disk(), buffer.text, False
        base, proposed = request.get("base"), request.get("proposed", {"texts": []})
        stamp = list(hashlib.sha256(disk or b"").digest()[:4])
        if disk is not None and disk != buffer.origin:
            read = in_format(disk.decode(buffer.encoding), mine.end)
            if read.whole in proposed["texts"]:
                pass  # what the user has decided about it is in the request
            elif not buffer.modified:
                mine = read
            else:
                both = join(buffer.origin.decode(buffer.encoding), mine, read.whole)
                mine, apart = both.ours, bool(both.overlaps) and request.get("settled") != stamp
        elif disk is not None and disk.decode(buffer.encoding) in proposed["texts"]:
            base = proposed["right"]
        if base is None and "base_bytes" in request:
            base = request["base_bytes"].encode("utf-8", "surrogateescape").decode(buffer.encoding)
        joined = join(base, mine, request["text"])
        if joined.overlaps or apart:
            sides = {"mine": joined.ours.whole, "agents": joined.theirs.whole, "live": mine.whole}
            return {"overlap": {**sides, "disk": stamp, "apart": apart}}
        return self._save(buffer, joined.ours, request)

    def _save(self, buffer: FakeBuffer, wanted: Text, request: dict[str, Any]) -> dict[str, Any]:
        before, lines = buffer.text.whole, list(wanted.lines)
        if wanted == buffer.text and not buffer.modified and buffer.on_disk() == buffer.data():
            return {"written": True, "before": before, "line": 1}
        shown = self.formats(lines or [""]) if self.formats and request["autocmds"] else lines
        if list(shown) != list(buffer.text.lines):
            buffer.steps.append(buffer.lines)
            buffer.undone.clear()
            buffer.show(list(shown))
        buffer.final, buffer.bomb = wanted.final and bool(wanted.lines), wanted.bom
        buffer.ff = next(name for name, end in _ENDS.items() if end == wanted.end)
        buffer.is_void = list(shown) in ([], [""]) and not buffer.final
        buffer.save()
        return {"written": True, "text": buffer.text.whole, "before": before, "line": 1}

    def _document_sync(self, request: dict[str, Any]) -> dict[str, Any]:
        buffer = self._found(request["path"])
        if buffer is None:
            return {"not_loaded": True}
        disk = buffer.on_disk()
        if disk is None:
            return {"gone": True}
        if self._is_locked(buffer):
            return {"locked": "finish the command"}
        if self.failure:
            return {"missed": self.failure}
        read = in_format(disk.decode(buffer.encoding), buffer.text.end)
        stamp, wanted = list(hashlib.sha256(disk).digest()[:4]), read
        is_echo = read.whole in request.get("echoes", ())
        if buffer.modified or is_echo:
            base = read.whole if is_echo else buffer.origin.decode()
            theirs, settled = read.whole, request.get("settled")
            if settled and settled["disk"] == stamp:
                base, theirs = settled["live"], settled["text"]
            joined = join(base, buffer.text, theirs)
            if joined.overlaps:
                sides = {"mine": joined.ours.whole, "agents": joined.theirs.whole, "live": buffer.text.whole}
                return {"overlap": {**sides, "disk": stamp, "disk_text": read.whole}}
            wanted = joined.ours
        if wanted.lines != buffer.text.lines:
            buffer.steps.append(buffer.lines)
            buffer.undone.clear()
        buffer.saved, buffer.origin = list(read.lines) or [""], disk
        buffer.final, buffer.bomb = read.final, read.bom
        buffer.show(list(wanted.lines))
        return {"ok": True}
