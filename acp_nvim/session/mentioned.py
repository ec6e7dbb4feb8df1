"""What a raw input names, whatever the agent calls it: commands, paths, and changes of files."""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from acp_nvim.session.beside import FOLDERS, is_harmless, plain
from acp_nvim.session.tool_calls import ARGUMENTS, ToolCall

MOST = 5000  # values that are looked at
_COMMANDS = re.compile(
    r"(?:command|cmd)\w*|(?:run|program|argv)s?|\w*(?:command|cmd|commandline|shell|bash|exec|script|(?<!en)(?<!de)code)s?"
)
_PATHS = {"source", "destination", "src", "dst", "dest", "from", "to", "target", "folder", "changes"}
_PATH_ENDS = ("path", "paths", "file", "files", "filename", "filenames", "uri", "dir", "directory")
CHANGES = {"oldstring", "newstring", "oldtext", "newtext", "oldstr", "newstr", "edits", "changes", "diff"}
CHANGES |= {"patch", "unifieddiff", "content", "contents", "filetext", "newcontent", "newsource", "newcode"}
CHANGES |= {"replace", "replacement", "replacements", "insert", "inserttext", "insertion", "codeedit"}
_MARKS = ("--- ", "+++ ", "rename ", "*** ")  # looked for first: a content may have millions of lines
_PATCHED = re.compile(
    r"^(?:--- |\+\+\+ |rename (?:from|to) |\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )([^\t\n]+)",
    re.M,
)

Found = list[tuple[str, Any]]  # names, as `plain` has them, with their values


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every name with its value, however deep; names as `plain` has them. Each list and table has its turn:
    none of them, however long, keeps the others from being looked at."""
    left: deque[Iterator[tuple[str, Any]]] = deque([iter([("", value)])])
    count = 0
    while left and count < MOST:
        items = left.popleft()
        for name, item in islice(items, 1):
            count += 1
            yield name, item
            left += (items, _inside(name, item))


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield plain(str(key)), item
            if isinstance(key, str) and "/" in key:
                yield "path", key
    elif isinstance(value, list):
        yield from ((f"{name}[]", item) for item in value)


def paths(found: Found) -> Iterator[str]:
    for name, value in found:
        if not isinstance(value, str):
            continue
        if value.startswith("file://") or (names_path(name.rstrip("[]")) and "://" not in value):
            yield value
        for path in _PATCHED.findall(value) if _is_patch(value) else ():
            if path != "/dev/null":
                yield path
                yield path.removeprefix("a/").removeprefix("b/")


def _is_patch(text: str) -> bool:
    return text.startswith(_MARKS) or any(f"\n{mark}" in text for mark in _MARKS)


def names_path(name: str) -> bool:
    return (name in _PATHS or name.endswith(_PATH_ENDS)) and name not in FOLDERS


def commands(call: ToolCall, found: Found) -> Iterator[str]:
    shown = None if call.command is None else call.said_command
    if call.command is not None:
        yield call.command
    for name, value in found:
        if (
            value
            and value != shown
            and isinstance(value, str | list | dict)
            and _is_command(call, name, value)
        ):
            yield shlex.join(map(str, value)) if isinstance(value, list) else str(value)


def _is_command(call: ToolCall, name: str, value: str | list[Any] | dict[Any, Any]) -> bool:
    if name in ARGUMENTS:  # of which command, if none is told?
        return call.command is None and not isinstance(value, dict)
    return _COMMANDS.fullmatch(name) is not None and not is_harmless(name)
