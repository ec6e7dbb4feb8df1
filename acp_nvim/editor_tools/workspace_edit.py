"""Turns what a language server wants to change into whole texts: for each file the text before and after.

    {"changes": {uri: [edit, …]}}
    {"documentChanges": [{"textDocument": {"uri": …}, "edits": […]}, {"kind": "create", "uri": …}, …]}

An edit replaces a range by a text. Its columns are counted in UTF-16 units, or as server and editor have agreed.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.session.tool_paths import from_uri, usable

TextOf = Callable[[str], Awaitable[str | None]]
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNREADABLE = "the language server has sent an edit that cannot be read"


class FileEdit(NamedTuple):
    path: str
    old: str | None  # None: there is no file
    new: str | None  # None: the file is to go


async def read(edits: Iterable[Any], encoding: str, text_of: TextOf) -> list[FileEdit]:
    """Return the files that change. The operations are carried out on texts, in their order."""
    old: dict[str, str | None] = {}
    new: dict[str, str | None] = {}

    async def now(path: str) -> str | None:
        if path not in old:
            if len(old) >= limits.PROPOSED_FILES:
                raise Failed(
                    f"the change has more than {limits.PROPOSED_FILES} files: too many to be decided"
                )
            old[path] = new[path] = await text_of(path)
        return new[path]

    for step in (step for edit in edits for step in _steps(edit)):
        kind = step.get("kind")
        options = step.get("options")
        overwrites = isinstance(options, dict) and bool(options.get("overwrite"))
        if kind == "rename":
            source, target = _path(step.get("oldUri")), _path(step.get("newUri"))
            text = await now(source)
            if await now(target) is not None and not overwrites:
                raise Failed(f"the change would move a file to {target}, where one stands")
            new[target], new[source] = text, None
        elif kind == "create":
            path = _path(step.get("uri"))
            if await now(path) is None or overwrites:
                new[path] = ""
        elif kind == "delete":
            path = _path(step.get("uri"))
            await now(path)
            new[path] = None
        else:
            document = step.get("textDocument")
            path = _path(document.get("uri") if isinstance(document, dict) else None)
            new[path] = apply(await now(path) or "", step.get("edits"), encoding)
    return [FileEdit(path, old[path], new[path]) for path in sorted(old) if old[path] != new[path]]


def _steps(edit: Any) -> list[dict[str, Any]]:
    if not isinstance(edit, dict):
        raise Failed(_UNREADABLE)
    steps = edit.get("documentChanges")
    if isinstance(steps, list) and steps:
        return [step for step in steps if isinstance(step, dict)]
    changes = edit.get("changes")
    named = changes.items() if isinstance(changes, dict) else ()
    return [{"textDocument": {"uri": uri}, "edits": edits} for uri, edits in named]


def _path(uri: Any) -> str:
    if not isinstance(uri, str) or not uri.startswith("file://") or not usable(from_uri(uri)):
        raise Failed("the change is about something that is no file")
    return from_uri(uri)


def apply(text: str, edits: Any, encoding: str) -> str:
    """Return the text with all edits. Their places are those of the text before any of them.

    text `a b c`   edits 0-1 `x`, 4-5 `y`     `x b y`

    A line ends at a line feed, a carriage return or both, as the protocol says. `str.splitlines` has more line ends.
    """
    if not isinstance(edits, list):
        raise Failed(_UNREADABLE)
    lines, starts = _LINE_END.split(text), [0, *(found.end() for found in _LINE_END.finditer(text))]
    end = "\r\n" if text.count("\r\n") == text.count("\n") > 0 else "\n"

    def offset(place: Any) -> int:
        row, column = _number(place, "line"), _number(place, "character")
        if row >= len(lines):
            return len(text)
        return starts[row] + _chars(lines[row], column, encoding)

    placed = []
    for number, edit in enumerate(edits):
        range = edit.get("range") if isinstance(edit, dict) else None
        if not isinstance(range, dict) or not isinstance(edit.get("newText"), str):
            raise Failed(_UNREADABLE)
        by = edit["newText"].replace("\r\n", "\n").replace("\n", end)
        placed.append((offset(range.get("start")), offset(range.get("end")), number, by))
    parts, at = [], 0
    for first, last, _, by in sorted(placed):
        if first < at or last < first:
            raise Failed("the language server has sent edits that overlap")
        parts += [text[at:first], by]
        at = last
    return "".join([*parts, text[at:]])


def _number(place: Any, name: str) -> int:
    value = place.get(name) if isinstance(place, dict) else None
    if not isinstance(value, int | float) or value < 0:
        raise Failed(_UNREADABLE)
    return int(value)


def _chars(line: str, column: int, encoding: str) -> int:
    """Return how many characters of the line lie before the column."""
    if encoding == "utf-32" or line.isascii():
        return min(column, len(line))
    units = 0
    for count, char in enumerate(line):
        if units >= column:
            return count
        units += len(char.encode(errors="replace")) if encoding == "utf-8" else 1 + (char > "\uffff")
    return len(line)
