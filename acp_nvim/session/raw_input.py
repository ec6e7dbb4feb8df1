"""Reads the raw input of a tool call: the role of each argument, and every command and path in it.

The words below are the documented set (:help acp_nvim-rules). An argument that is called otherwise is "other": the
question shows it, and only a rule that names the tool allows the call.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple

from acp_nvim import limits
from acp_nvim.session.tool_call import ARGUMENTS, COMMANDS, NOTHING, ToolCall
from acp_nvim.session.tool_paths import usable
from acp_nvim.text.agent_patches import has_git_headers, is_patch, patched_paths

Role = Literal["command", "folder", "path", "change", "look", "note", "other"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FOLDERS = {"cwd", "workdir", "workingdir", "workingdirectory"}  # a command is run there
_BESIDE_A_COMMAND = {"directory", "dir", "dirpath"}  # there they say the same
_PATHS = {"source", "destination", "src", "dst", "dest", "from", "to", "target", "folder"}
_PATH_ENDS = ("path", "paths", "file", "files", "filename", "filenames", "uri", "dir", "directory")
_CHANGES = _words(
    "oldstring newstring oldtext newtext oldstr newstr before after edits changes diff patch unifieddiff"
    " content contents filetext newcontent newsource newcode codeedit replacement replacements inserttext"
)
_LOOKS = _words(
    "pattern query regex glob globs include exclude offset limit line lines startline endline head tail"
    " before after context depth maxdepth maxresults casesensitive recursive outputmode multiline type"
    " thought thoughts n i a b c headlimit maxlines maxcount lineoffset nlines ignore respectgitignore"
    " startlineoneindexed endlineoneindexedinclusive shouldreadentirefile usedefaultexcludes"
    " filepattern searchterm keyword keywords"
)
_NOTES = _words(
    "description explanation reason justification purpose intent rationale summary comment"
    " risk risklevel securityrisk impact requiresapproval safetoautorun"
    " timeout timeoutms timeoutsec timeoutsecs timeoutseconds blockuntilms initialwait yieldtimems"
    " waitmsbeforeasync autobackgroundafter runinbackground isbackground background blocking async detach"
    " replaceall viewrange insertline callid toolcallid turnid approvalid maxoutputtokens maxoutputlength"
)
_COMMANDS = re.compile(
    r"(?:command|cmd)\w*|(?:run|program|argv)s?"
    r"|\w*(?:command|cmd|commandline|shell|bash|exec|script|(?<!en)(?<!de)code)s?"
)
_GLOBS = _words("glob globs include exclude filepattern ignore")  # a text of one may hold several
_PATTERNS = _GLOBS | _words("pattern query regex searchterm keyword keywords")
_TARGETS = _PATTERNS - _words("include exclude ignore") | _words("thought thoughts")
# A patch may say which files it is about without a line of a hunk.
_PATCHES = _words("diff patch patchtext unifieddiff changes edits input")
_BETWEEN = re.compile(r"[,;|\s]+")
_SCALARS = str | int | float | bool


class Argument(NamedTuple):
    name: str  # as the agent spells it; "": the raw input is no object
    value: Any
    role: Role


class Input(NamedTuple):
    arguments: tuple[Argument, ...]  # without those that are empty
    commands: tuple[str, ...]  # the one that the call runs, and any other that is named somewhere
    texts: tuple[str, ...]  # of "other" arguments: a rule that rejects or asks searches them, too
    paths: tuple[str, ...]  # as they are spelled
    patched: tuple[str, ...]  # those that stand in patches
    patterns: tuple[str, ...]  # globs, and what may be one: see `glob_reach.py`
    folders: tuple[str, ...]  # against which a relative path may be meant
    is_whole: bool  # all of it has been looked at, and each path can be one

    def has(self, role: Role) -> bool:
        return any(argument.role == role for argument in self.arguments)

    @property
    def says_what(self) -> bool:
        """Whether it says what is looked for, or thought."""
        return any(
            argument.role == "look" and plain(argument.name) in _TARGETS for argument in self.arguments
        )


def read(call: ToolCall) -> Input:
    """Read the raw input of a call; the result is cached."""
    found: Input = call.said.get((call.raw_input,), lambda: _read(call))
    return found


def _read(call: ToolCall) -> Input:
    values = list(_walk(call.raw_input))
    arguments = tuple(_arguments(call))
    others = [argument.value for argument in arguments if argument.role == "other"]
    texts = (value for _, value in islice(_walk(others), limits.RAW_INPUT_VALUES) if isinstance(value, str))
    paths = list(dict.fromkeys(_paths(values)))
    patches = (value for name, value in values if _holds_patch(name.rstrip("[]"), value))
    patched = list(dict.fromkeys(path for text in patches for path in patched_paths(text)))
    return Input(
        arguments,
        tuple(dict.fromkeys(_commands(call, values))),
        tuple(dict.fromkeys(texts)),
        tuple(filter(usable, paths)),
        tuple(filter(usable, patched)),
        tuple(dict.fromkeys(_patterns(values))),
        tuple(value for name, value in values if name in FOLDERS and usable(value)),
        len(values) < limits.RAW_INPUT_VALUES and all(map(usable, (*paths, *patched))),
    )


def plain(name: str) -> str:
    """Normalize a name: `runInBackground`, `run_in_background` and `run-in-background` are the same."""
    return name.replace("_", "").replace("-", "").lower()


# --- what each argument is


def _arguments(call: ToolCall) -> Iterator[Argument]:
    raw = call.raw_input
    if not isinstance(raw, dict):
        if raw not in NOTHING:
            yield Argument("", raw, "change" if is_patch(raw) else "other")
        return
    for name, value in raw.items():
        if value not in NOTHING:
            yield Argument(str(name), value, _role(call, str(name), value))


def _role(call: ToolCall, name: str, value: Any) -> Role:
    word = plain(name)
    if call.command is not None:
        if name in ARGUMENTS or (name in COMMANDS and value == call.said_command):
            return "command"
        if word in _BESIDE_A_COMMAND and isinstance(value, str):
            return "folder"
    if word in FOLDERS and isinstance(value, str):
        return "folder"
    if _names_path(word) and all(_is_path(each) for each in _listed(value)):
        return "path"
    if is_patch(value) or (word in _CHANGES and _is_change(word, value)):
        return "change"
    if word in _LOOKS and all(isinstance(each, _SCALARS) for each in _listed(value)):
        return "look"
    if word in _NOTES and all(isinstance(each, _SCALARS) for each in _listed(value)):
        return "note"
    return "other"


def _is_path(value: Any) -> bool:
    """Whether it can be shown as a path and compared with the patterns of rules."""
    return usable(value) and (value.startswith("file://") or "://" not in value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_change(word: str, value: Any) -> bool:
    """Whether it is a text, or lists and objects of nothing but texts of changes and paths."""
    if not isinstance(value, str | list | dict):
        return False
    names = (
        name.rstrip("[]")
        for name, each in islice(_walk({word: value}), limits.RAW_INPUT_VALUES)
        if each not in NOTHING
    )
    return all(
        name in _CHANGES or name in _NOTES or name in _LOOKS or _names_path(name) or not name
        for name in names
    )


def _names_path(word: str) -> bool:
    return (word in _PATHS or word.endswith(_PATH_ENDS)) and word not in FOLDERS


# --- what stands anywhere in it


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every name with its value, however deep; names as `plain` writes them. Lists and objects take turns, so
    that a long one does not use up the limit for the others."""
    left: deque[Iterator[tuple[str, Any]]] = deque([iter([("", value)])])
    count = 0
    while left and count < limits.RAW_INPUT_VALUES:
        items = left.popleft()
        for name, item in islice(items, 1):
            count += 1
            yield name, item
            left += (items, _inside(name, item))


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            is_path = isinstance(key, str) and "/" in key  # of a table of changes, by file
            if is_path:
                yield "path", key
            yield "" if is_path else plain(str(key)), item
    elif isinstance(value, list):
        yield from ((f"{name}[]", item) for item in value)


def _paths(values: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield texts that are named as paths, file URIs, and absolute paths under any name."""
    for name, value in values:
        if not isinstance(value, str) or not value:
            continue
        word = name.rstrip("[]")
        is_named = _names_path(word) and "://" not in value
        is_absolute = value.startswith(("/", "~/")) and not _holds_text(word) and usable(value)
        if is_named or is_absolute or value.startswith("file://"):
            yield value


def _patterns(values: Iterable[tuple[str, Any]]) -> Iterator[str]:
    for name, value in values:
        word = name.rstrip("[]")
        if isinstance(value, str) and word in _PATTERNS:
            yield value
            yield from filter(None, _BETWEEN.split(value) if word in _GLOBS else ())


def _holds_patch(word: str, value: Any) -> bool:
    return isinstance(value, str) and (word in _PATCHES or is_patch(value) or has_git_headers(value))


def _holds_text(word: str) -> bool:
    """Whether its value is text or a command, which may begin with a slash and is no path."""
    return word in _CHANGES or word in _NOTES or word in ARGUMENTS or word in FOLDERS or _is_command(word)


def _commands(call: ToolCall, values: Iterable[tuple[str, Any]]) -> Iterator[str]:
    shown = None if call.command is None else call.said_command
    if call.command is not None:
        yield call.command
    for name, value in values:
        is_more = value not in NOTHING and value != shown and isinstance(value, str | list | dict)
        if is_more and (call.command is None if name in ARGUMENTS else _is_command(name)):
            yield shlex.join(map(str, value)) if isinstance(value, list) else str(value)


def _is_command(word: str) -> bool:
    return _COMMANDS.fullmatch(word) is not None
