"""What a tool call proposes to do to files: from its diffs, else from what its raw input calls by the usual names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_nvim.protocol import schema
from acp_nvim.session.patches import envelope, is_patch
from acp_nvim.session.paths import absolute, named, usable
from acp_nvim.session.tool_calls import ToolCall

_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "before")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "after")
_WHOLE = ("content", "file_text", "contents")
_TYPES = ("add", "create", "write", "update", "edit", "replace", "insert")
_MOST_COMPARED = 100  # texts of a raw input
_PATCH = ("diff", "patch", "unified_diff")


class FileDiff(NamedTuple):
    """`old` None or "": a new file, or all of one; `new` None: the file is to go. Either may be a fragment."""

    path: str  # absolute, symlinks unresolved
    old: str | None
    new: str | None


def diffs(call: ToolCall, cwd: str) -> list[FileDiff]:
    """In the agent's order; a file may be named more than once, by a fragment each."""
    given = [item for item in call.content if isinstance(item, schema.Diff) and usable(item.path)]
    if given:
        return [
            FileDiff(absolute(item.path, cwd), item.old_text, _new(call, item.new_text)) for item in given
        ]
    if enveloped := _enveloped(call, cwd):
        return enveloped
    raw = call.raw_input if isinstance(call.raw_input, dict) else {}
    paths = named((), (), raw, cwd) or named(call.locations, (), None, cwd)
    if not paths:
        return []
    found = [FileDiff(paths[0], old, new) for old, new in _raw(raw)]
    if not found and call.kind == "delete" and not call.command:
        return [FileDiff(path, None, None) for path in paths]
    return found


def patch(call: ToolCall) -> str | None:
    """A unified diff, from a call that says nothing else of what it changes."""
    if any(isinstance(item, schema.Diff) for item in call.content):
        return None
    return next((text for text in _raw_texts(call) if "@@" in text and is_patch(text)), None)


def has_diff(call: ToolCall, cwd: str) -> bool:
    return bool(diffs(call, cwd)) or patch(call) is not None


class Shown:
    """What the diff of a call shows. Agents send a change twice, in a diff and in the raw input, and might send another
    there. Only so many texts are compared: the rest counts as not shown, and so is shown by the question."""

    def __init__(self, call: ToolCall, cwd: str) -> None:
        self.files = diffs(call, cwd)
        self._texts = [text for diff in self.files for text in (diff.old, diff.new) if text]
        self._patch = patch(call) if not self.files else None
        self._left = _MOST_COMPARED

    def has(self, value: Any) -> bool:
        """Whether the diff shows all of this argument."""
        if not self.files:
            return isinstance(value, str) and value == self._patch
        for text in _leaves(value):
            self._left -= 1
            if self._left < 0 or not _is_part(text, self._texts):
                return False
        return True


def _leaves(value: Any, name: str = "") -> Iterator[str]:
    """The texts of a change. Paths have lines of their own, and how a file is changed its diff shows."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, name)
    elif isinstance(value, str) and not (name == "type" and value in _TYPES) and not _is_path_name(name):
        yield value


def _is_path_name(name: str) -> bool:
    return name.lower().endswith(("path", "file", "filename"))


def _is_part(text: str, texts: list[str]) -> bool:
    """It stands in the diff; of a patch each line that goes or comes does."""
    if any(text in each for each in texts):
        return True
    if not is_patch(text):
        return False
    shown = {line for each in texts for line in each.splitlines()}
    marks = ("+++ ", "--- ")
    signed = (line for line in text.splitlines() if line[:1] in ("+", "-") and not line.startswith(marks))
    return all(line[1:] in shown for line in signed)


def _enveloped(call: ToolCall, cwd: str) -> list[FileDiff]:
    """The files of an `apply_patch` envelope, whatever its argument is called."""
    found: list[FileDiff] = call.enveloped.of((call.raw_input,), lambda: _pieces(call, cwd))
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
    """A diff cannot say that a file is to go: an empty one of a call that deletes does."""
    return None if call.kind == "delete" and not text else text


def _raw(raw: dict[str, Any]) -> Iterator[tuple[str | None, str]]:
    edits = raw.get("edits")
    for item in [raw, *(edits if isinstance(edits, list) else ())]:
        if isinstance(item, dict):
            old, new = next(_texts(item, _OLD), None), next(_texts(item, _NEW), None)
            if new is not None and old is not None:
                yield old, new
    whole = next(_texts(raw, _WHOLE), None)
    if whole is not None and not any(name in raw for name in (*_OLD, "edits")):
        yield None, whole


def _texts(raw: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    return (raw[name] for name in names if isinstance(raw.get(name), str))
