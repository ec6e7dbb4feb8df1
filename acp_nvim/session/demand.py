"""What a permission is asked for, as rules look at it: every command, every path and every change that is in the call.

An agent may name them in many ways. What is taken for a path and is none makes a rule allow less, never more.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import unquote, urlsplit

from acp_nvim.protocol import schema
from acp_nvim.session.beside import FOLDERS, beside, is_harmless, plain
from acp_nvim.session.globs import Resolve
from acp_nvim.session.paths import absolute
from acp_nvim.session.tool_calls import ARGUMENTS, ToolCall

_MOST = 5000  # values of a raw input that are looked at
_MOST_PATHS = 500  # that are followed to where they lead
_LONGEST = 4096
_COMMANDS = re.compile(
    r"(?:command|cmd)\w*|(?:run|program|argv)s?|\w*(?:command|cmd|commandline|shell|bash|exec|script|(?<!en)(?<!de)code)s?"
)
_FOLDERS = FOLDERS | {"directory", "dir", "dirpath"}  # beside a command
_PATHS = {"source", "destination", "src", "dst", "dest", "from", "to", "target", "folder", "changes"}
_PATH_ENDS = ("path", "paths", "file", "files", "filename", "filenames", "uri", "dir", "directory")
_CHANGES = {"oldstring", "newstring", "oldtext", "newtext", "oldstr", "newstr", "edits", "changes", "diff"}
_CHANGES |= {"patch", "unifieddiff", "content", "contents", "filetext", "newcontent", "newsource", "newcode"}
_CHANGES |= {"replace", "replacement", "replacements", "insert", "inserttext", "insertion", "codeedit"}
_MARKS = ("--- ", "+++ ", "rename ", "*** ")  # looked for first: a content may have millions of lines
_PATCHED = re.compile(
    r"^(?:--- |\+\+\+ |rename (?:from|to) |\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )([^\t\n]+)",
    re.M,
)


class Demand(NamedTuple):
    agent: str
    kind: str
    tool: str
    title: str
    cwd: str
    command: str | None  # the one that is shown
    commands: tuple[str, ...]  # that one, and any other that is named somewhere
    named: tuple[str, ...]  # paths as they are called, absolute
    real: tuple[str, ...]  # where they lead; more than one for a path that can be read in two ways
    files: bool  # it names some beside its command: a rule has to name them, too
    changes: bool  # it carries a diff, or what amounts to one
    unclear: bool  # there is more in it than could be read


def demand(call: ToolCall, agent: str, cwd: str, resolve: Resolve, roots: tuple[str, ...] = ()) -> Demand:
    """`roots`: the further folders of its session."""
    found = list(_walk(call.raw_input))
    said = [*_given(call), *_paths(found)]
    usable = list(filter(_is_usable, said))
    bases = [
        cwd,
        *(absolute(value, cwd) for name, value in found if name in FOLDERS and _is_usable(value)),
    ]
    told = [(_from_uri(path), base) for path in dict.fromkeys(usable) for base in bases]
    lexical = [absolute(path, base) for path, base in told]
    literal = [os.path.join(base, os.path.expanduser(path)) for path, base in told]
    places = list(dict.fromkeys([*lexical, *literal]))
    more = [(plain(name), value) for name, value in beside(call)]
    folders = [resolve(root) for root in (cwd, *roots)]
    strange = [name for name, value in more if not _is_known(name, value, cwd, resolve, folders)]
    opaque = not isinstance(call.raw_input, dict | None) and call.raw_input not in ("", [])
    return Demand(
        agent=agent,
        kind=call.kind,
        tool=call.name,
        title=call.title,
        cwd=cwd,
        command=call.command,
        commands=tuple(dict.fromkeys(_commands(call, found))),
        named=tuple(dict.fromkeys(lexical)),
        real=tuple(dict.fromkeys(map(resolve, places[:_MOST_PATHS]))),
        files=any(_names_path(name) and name not in _FOLDERS for name, _ in more),
        changes=any(isinstance(item, schema.Diff) for item in call.content)
        or any(name in _CHANGES and bool(value) for name, value in found),
        unclear=opaque
        or bool(strange)
        or len(usable) < len(said)
        or len(found) >= _MOST
        or len(places) > _MOST_PATHS,
    )


def _is_known(name: str, value: Any, cwd: str, resolve: Resolve, folders: list[str]) -> bool:
    """Beside a command: a folder of the session's to run it in, or what rules of paths and changes look at."""
    if name in _FOLDERS:
        place = resolve(absolute(value, cwd)) if _is_usable(value) else ""
        return any(os.path.commonpath([place, folder]) == folder for folder in folders if place)
    return name in _CHANGES or _names_path(name)


def _is_usable(path: Any) -> TypeGuard[str]:
    return isinstance(path, str) and 0 < len(path) < _LONGEST and "\0" not in path


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every name with its value, however deep; names as `plain` has them. Each list and table has its turn:
    none of them, however long, keeps the others from being looked at."""
    left: deque[Iterator[tuple[str, Any]]] = deque([iter([("", value)])])
    count = 0
    while left and count < _MOST:
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


def _given(call: ToolCall) -> Iterator[str]:
    for item in (*call.locations, *call.content):
        if isinstance(item, schema.Location | schema.Diff):
            yield item.path


def _paths(found: list[tuple[str, Any]]) -> Iterator[str]:
    for name, value in found:
        if not isinstance(value, str):
            continue
        if value.startswith("file://") or (_names_path(name.rstrip("[]")) and "://" not in value):
            yield value
        for path in _PATCHED.findall(value) if _is_patch(value) else ():
            if path != "/dev/null":
                yield path
                yield path.removeprefix("a/").removeprefix("b/")


def _is_patch(text: str) -> bool:
    return text.startswith(_MARKS) or any(f"\n{mark}" in text for mark in _MARKS)


def _names_path(name: str) -> bool:
    return (name in _PATHS or name.endswith(_PATH_ENDS)) and name not in FOLDERS


def _commands(call: ToolCall, found: list[tuple[str, Any]]) -> Iterator[str]:
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


def _from_uri(path: str) -> str:
    return unquote(urlsplit(path).path) if path.startswith("file://") else path
