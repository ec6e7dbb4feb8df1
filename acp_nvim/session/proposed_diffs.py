"""Collects the changes of files that a tool call proposes, from its diffs or else from the usual names in raw input."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.own_tool import OwnDiff
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute, named, usable
from acp_nvim.text.agent_patches import envelope, is_patch, lines_of

_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "before")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "after")
_WHOLE = ("content", "file_text", "contents")
_EVERYWHERE = ("replace_all", "replaceAll")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_TYPES = ("add", "create", "write", "update", "edit", "replace", "insert")


_Pair = tuple[str | None, str]


class FileDiff(NamedTuple):
    """`old` None or "": a new file, or all of one; `new` None: the file is to go. Either may be a fragment."""

    path: str  # absolute, symlinks unresolved
    old: str | None
    new: str | None
    everywhere: bool = False  # the fragment is replaced wherever it occurs
    is_live: bool = False  # `old` is all of the text that the user saw: see `own_tool.py`


def diffs(call: ToolCall, cwd: str) -> list[FileDiff]:
    """Return the changes in the agent's order. A file may come several times, with a fragment each."""
    given = [item for item in call.content if isinstance(item, schema.Diff) and usable(item.path)]
    if given and isinstance(given[0], OwnDiff):
        own = [item for item in given if isinstance(item, OwnDiff)]
        return [
            FileDiff(each.path, each.old_text, None if each.deletes else each.new_text, is_live=True)
            for each in own
        ]
    if given:
        pairs = [(item.old_text, item.new_text) for item in given]
        everywhere = _everywhere(call.raw_input, pairs)
        return [
            FileDiff(absolute(item.path, cwd), pair[0], _new(call, pair[1]), pair in everywhere)
            for item, pair in zip(given, pairs, strict=True)
        ]
    if enveloped := _enveloped(call, cwd):
        return enveloped
    raw = call.raw_input if isinstance(call.raw_input, dict) else {}
    paths = named((), (), raw, cwd) or named(call.locations, (), None, cwd)
    if not paths:
        return []
    pairs = list(_raw(raw))
    everywhere = _everywhere(raw, pairs)
    found = [FileDiff(paths[0], *pair, pair in everywhere) for pair in pairs]
    if not found and call.kind == "delete" and not call.command:
        return [FileDiff(path, None, None) for path in paths]
    return found


def patch(call: ToolCall) -> str | None:
    """Return the unified diff of a call that names no other change."""
    if any(isinstance(item, schema.Diff) for item in call.content):
        return None
    return next((text for text in _raw_texts(call) if "@@" in text and is_patch(text)), None)


def has_diff(call: ToolCall, cwd: str) -> bool:
    return bool(diffs(call, cwd)) or patch(call) is not None


class Shown:
    """What the diff of a call shows. Agents send a change twice, in a diff and in the raw input, and might send another
    there. Only so many texts are compared: the rest counts as not shown, and so is shown by the question.

    diff  "a\\nlog()\\nb" -> "a\\nlog(1)\\nb"
    raw   old_string "log()", new_string "log(1)"     shown: it makes the new text of the old one
          old_string "a", new_string "log()"          not shown, though both stand in the diff
    """

    def __init__(self, call: ToolCall, cwd: str) -> None:
        self.files = diffs(call, cwd)
        self._patch = patch(call) if not self.files else None
        self._pairs = _same_pairs(call.raw_input, self.files)
        self._nets: list[Counter[str]] | None = None
        self._left = limits.COMPARED_TEXTS

    def has(self, name: str, value: Any) -> bool:
        """Whether the diff shows all of this raw input argument."""
        if not self.files:
            return isinstance(value, str) and value == self._patch
        for leaf, text in _leaves(value, name):
            self._left -= 1
            if self._left < 0 or not (text in self._pairs or self._has_text(leaf, text)):
                return False
        return True

    def _has_text(self, name: str, text: str) -> bool:
        """Whether the diff creates or adds this text, or has each changed line of a patch."""
        if any(text.rstrip("\n") == (diff.new or "").rstrip("\n") for diff in self.files):
            return True
        if is_patch(text) or _HUNK.match(text):  # codex: a unified diff without the names of its files
            return self._has_patch(text)
        is_part = name not in (*_OLD, *_WHOLE)
        return is_part and any(
            text in (diff.new or "") and text not in (diff.old or "") for diff in self.files
        )

    def _has_patch(self, text: str) -> bool:
        """Whether each line is removed and added as often as in the diffs of one file, or of all."""
        if self._nets is None:
            paths = dict.fromkeys(diff.path for diff in self.files)
            by_path = [
                [diff for diff in self.files if diff.path == path]
                for path in islice(paths, limits.PATCHED_FILES)
            ]
            self._nets = [_net(files) for files in (self.files, *by_path)]
        wanted = _net_of_patch(text)
        return bool(wanted) and any(
            all(net[line] == count for line, count in wanted.items()) for net in self._nets
        )


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of a change, without paths, which have lines of their own."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, name)
    elif isinstance(value, str) and not (name == "type" and value in _TYPES) and not _is_path_name(name):
        yield name, value


def _is_path_name(name: str) -> bool:
    return name.lower().endswith(("path", "file", "filename"))


def _same_pairs(raw: Any, files: list[FileDiff]) -> set[str]:
    """Return the old and new texts of the raw input if they make the same change as the diffs; else none."""
    pairs = list(islice(_raw(raw), limits.COMPARED_TEXTS)) if isinstance(raw, dict) and files else []
    replaced = [(old, new) for old, new in pairs if old is not None]
    if not replaced:
        return set()
    shown = {(diff.old, diff.new) for diff in files}
    if set(replaced) <= shown or any(_makes(replaced, files, count) for count in (1, -1)):
        return {text for pair in replaced for text in pair}
    return set()


def _makes(pairs: list[tuple[str, str]], files: list[FileDiff], count: int) -> bool:
    """Whether replacing one after the other turns the old texts into the new ones. `count` of each; -1 for all."""
    made = [diff.old or "" for diff in files]
    for old, new in pairs:
        at = next((index for index, text in enumerate(made) if old in text), None)
        if at is None or not old:
            return False
        made[at] = made[at].replace(old, new, count)
    return all(text == (diff.new or "") for text, diff in zip(made, files, strict=True))


def _net(files: list[FileDiff]) -> Counter[str]:
    """Count how often each line is added minus how often it is removed; context cancels out."""
    net = Counter(line for diff in files for line in lines_of(diff.new or ""))
    net.subtract(line for diff in files for line in lines_of(diff.old or ""))
    return net


def _net_of_patch(text: str) -> Counter[str]:
    lines = [line for line in lines_of(text) if not line.startswith(("+++ ", "--- "))]
    net = Counter(line[1:] for line in lines if line[:1] == "+")
    net.subtract(line[1:] for line in lines if line[:1] == "-")
    return net


def _enveloped(call: ToolCall, cwd: str) -> list[FileDiff]:
    """Return the files of an `apply_patch` envelope, under any argument name."""
    found: list[FileDiff] = call.enveloped.get((call.raw_input,), lambda: _pieces(call, cwd))
    return found


def _pieces(call: ToolCall, cwd: str) -> list[FileDiff]:
    pieces = next(filter(None, map(envelope, _raw_texts(call))), [])
    return [
        FileDiff(absolute(piece.path, cwd), piece.old, piece.new) for piece in pieces if usable(piece.path)
    ]


def _raw_texts(call: ToolCall) -> Iterator[str]:
    raw = call.raw_input
    values = raw.values() if isinstance(raw, dict) else [raw]
    return (value for value in values if isinstance(value, str))


def _new(call: ToolCall, text: str) -> str | None:
    """Whether the diff deletes the file: an empty one in a call of kind delete does."""
    return None if call.kind == "delete" and not text else text


def _everywhere(raw: Any, pairs: list[_Pair]) -> set[_Pair]:
    """Return those old and new texts of which the raw input says that each occurrence is replaced.

    {"old_string": "a", "new_string": "b", "replace_all": True}     a diff from "a" to "b", and no other
    {"file_path": "c.py", "replace_all": True}                      all diffs: it names no texts
    """
    found: set[_Pair] = set()
    for item in _items(raw) if isinstance(raw, dict) else ():
        if any(item.get(name) is True for name in _EVERYWHERE):
            old, new = _old_and_new(item)
            found.update(pairs if old is new is None else [(old, new or "")])
    return found


def _raw(raw: dict[str, Any]) -> Iterator[_Pair]:
    for old, new in map(_old_and_new, _items(raw)):
        if new is not None and old is not None:
            yield old, new
    whole = next(_texts(raw, _WHOLE), None)
    if whole is not None and not any(name in raw for name in (*_OLD, "edits")):
        yield None, whole


def _items(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    edits = raw.get("edits")
    return (item for item in [raw, *(edits if isinstance(edits, list) else ())] if isinstance(item, dict))


def _old_and_new(item: dict[str, Any]) -> tuple[str | None, str | None]:
    return next(_texts(item, _OLD), None), next(_texts(item, _NEW), None)


def _texts(raw: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    return (raw[name] for name in names if isinstance(raw.get(name), str))
