"""An editor in memory with files on a real disk: loaded buffers, their undo, and the port calls about them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.lowlevel

from acp_nvim.editor.interface import Collect, wire
from acp_nvim.messages.calls import Call

_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


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
    seen: list[int] | None = None  # the file with the text of the last reload, as the editor was told

    def load(self) -> None:
        data = Path(self.path).read_bytes() if os.path.exists(self.path) else b""
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
        self.saved = list(self.lines)
        self._became(False)

    def _became(self, modified: bool) -> None:
        if modified is not self.modified:
            self.modified = modified
            self.tell(self.path, modified)


class FileEditor:
    """`before` runs ahead of each call: what the user does meanwhile. Unset, `answering` is a hit-enter prompt."""

    def __init__(self) -> None:
        self.collect: Collect = list
        self.tell: Callable[[str, bool], None] = lambda path, modified: None
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

    def notify(self, call: Call | str, *arguments: Any) -> None:
        name, *arguments = wire(call, *arguments)
        if not name.startswith("proposal"):
            raise AssertionError("files notify nobody by themselves")
        self.notified.append((name, *arguments))

    async def call(self, call: Call | str, *arguments: Any) -> Any:
        name, *arguments = wire(call, *arguments)
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

    def _file_look(self, path: str, known: Sequence[int] | None = None) -> dict[str, Any] | None:
        buffer = self.buffers.get(os.path.realpath(path))
        if buffer is None:
            return None
        plain = not buffer.modified and buffer.encoding == "utf-8"
        wanted = tuple(known) != (buffer.number, buffer.tick) if known is not None else not plain
        look = {
            "buf": buffer.number,
            "tick": buffer.tick,
            "modified": buffer.modified,
            "plain": plain,
            "count": len(buffer.lines),
            "bomb": buffer.bomb,
            "ff": buffer.ff,
            "fenc": buffer.encoding,
            "final": buffer.final and not buffer.is_void,
        }
        return {**look, "lines": list(buffer.lines)} if wanted and len(buffer.lines) <= 5000 else look

    def _numbered(self, number: int) -> FakeBuffer:
        return next(buffer for buffer in self.buffers.values() if buffer.number == number)

    def _file_lines(self, number: int, tick: int, first: int, last: int) -> list[str] | None:
        buffer = self._numbered(number)
        assert 0 <= first < last <= first + 5000
        return buffer.lines[first:last] if buffer.tick == tick else None

    def _file_busy(self, number: int, is_late: bool) -> dict[str, Any] | None:
        self._numbered(number)
        self.locks = max(0, self.locks - 1)
        return {"told": is_late} if self.locks else None

    def _file_apply(
        self, number: int, tick: int, edits: list[list[Any]], options: dict[str, Any]
    ) -> dict[str, Any]:
        buffer = self._numbered(number)
        seen = options.get("look")
        if buffer.tick != tick or (seen and self._file_look(buffer.path, (number, tick)) != seen):
            return {"stale": True}
        if self.locks:
            self.locks -= 1
            return {"error": "E565: Not allowed to change text", "locked": True}
        if self.failure:
            return {"error": self.failure}
        self.options = options
        before, lines, end = buffer.lines, list(buffer.lines), len(buffer.lines) + 1
        assert options["real"] == buffer.path
        for first, last, new in reversed(edits):
            assert 0 <= first <= last <= len(lines)
            assert last < end
            assert not any("\n" in line for line in new)
            lines[first:last], end = new, first
        shown = self.formats(lines or [""]) if self.formats and options["autocmds"] else lines
        if shown != before:
            buffer.steps.append(before)
            buffer.undone.clear()
            buffer.show(shown)
        buffer.final, buffer.bomb, buffer.ff = options["final"], options["bomb"], options["ff"]
        buffer.is_void = shown in ([], [""]) and not buffer.final
        buffer.save()
        said = {"ok": True, "look": self._file_look(buffer.path, (number, buffer.tick))}
        return said if shown == lines else {**said, "lines": shown}

    def _file_reload(
        self, number: int, tick: int, changes: list[list[Any]], options: dict[str, Any]
    ) -> dict[str, Any]:
        buffer = self._numbered(number)
        buffer.seen = options.get("seen")
        if buffer.tick != tick:
            return {"stale": True}
        if self.locks:
            self.locks -= 1
            return {"error": "E565: Not allowed to change text", "locked": True}
        if self.failure:
            return {"error": self.failure}
        before, after = buffer.lines, options["after"]
        taken = self._changed(before, changes)
        lines = self._changed(taken, after)
        buffer.final, buffer.bomb, buffer.ff = options["final"], options["bomb"], options["ff"]
        buffer.lines, buffer.is_void = taken or [""], taken in ([], [""]) and not buffer.final
        if buffer.data() != Path(buffer.path).read_bytes():
            buffer.lines = before
            return {"stale": True}
        buffer.saved = list(taken) or [""]
        if lines != before:
            buffer.steps.append(before)
            buffer.undone.clear()
        buffer.show(lines)
        return {"ok": True, "tick": buffer.tick}

    def _file_load(self, path: str) -> bool:
        """This editor loads nothing by itself."""
        return False

    def _file_remove(
        self, number: int, tick: int, changes: list[list[Any]], options: dict[str, Any]
    ) -> dict[str, Any]:
        buffer = self._numbered(number)
        if buffer.tick != tick or (options["is_gone"] and os.path.exists(buffer.path)):
            return {"stale": True}
        buffer.steps.append(buffer.lines)
        buffer.undone.clear()
        if not options["is_gone"]:
            os.unlink(options["real"])
        buffer.saved = [""]
        buffer.show(self._changed(buffer.lines, changes))
        return {"ok": True, "tick": buffer.tick}

    def _changed(self, rows: list[str], changes: list[list[Any]]) -> list[str]:
        lines, end = list(rows), len(rows) + 1
        for first, last, new in reversed(changes):
            assert 0 <= first <= last < end
            assert last <= len(lines)
            lines[first:last], end = new, first
        return lines
