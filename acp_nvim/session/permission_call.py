"""Finds the tool call of a permission whose id is another than the call's, or missing.

    tool_call t1 "Write a.py" {path, text}    permission p1 "Write `a.py`" {path}     t1: what it says agrees
    tool_call t1 "Write a.py" {path, text}    permission p1 "Allow write_file?"       t1 is the only one: a guess
    tool_call t1, tool_call t2                permission p1 "Allow write_file?"       neither
    tool_call t1 "edit" {path, old, new}      permission p1 "edit" {path, patch}      t1 is the only one of that name

A guess shows the user more. No rule allows by it: the agent may have meant another call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.tool_call import NOTHING, ToolCall
from acp_nvim.session.tool_paths import named
from acp_nvim.session.transcript import Transcript

_WORD = re.compile(r"\w+")


class Match(NamedTuple):
    call: ToolCall
    is_guess: bool
    differs: bool = False  # its raw input or its changes are others than those of the permission


def asked_call(asked: schema.ToolCallUpdate, transcript: Transcript, cwd: str) -> Match | None:
    """Find an open call without a question that agrees with the permission."""
    open_calls = list(transcript.calls.unasked())
    if _says_anything(asked):
        found = [call for call in open_calls if _agrees(asked, call) and _is_alike(asked, call)]
        if found:
            return Match(found[0], False)
        namesakes = [call for call in open_calls if asked.title and asked.title == call.title]
        is_one = len(namesakes) == 1 and _is_about_the_same(asked, namesakes[0], cwd)
        return Match(namesakes[0], False, differs=True) if is_one else None
    alike = [call for call in open_calls if _has_title(asked, call) or _is_alike(asked, call)]
    found = alike or [call for call in open_calls if transcript.entries[-1] is call]
    is_one = len(alike or open_calls) == 1
    if not found or not (is_one or _has_title(asked, found[0])):
        return None
    return Match(found[0], bool(asked.id) or not _has_title(asked, found[0]))


def _says_anything(asked: schema.ToolCallUpdate) -> bool:
    return bool(
        _input(asked) or asked.locations or any(isinstance(item, schema.Diff) for item in asked.content or ())
    )


def _input(asked: schema.ToolCallUpdate) -> Any:
    return None if asked.raw_input is schema.UNSET or asked.raw_input in NOTHING else asked.raw_input


def _agrees(asked: schema.ToolCallUpdate, call: ToolCall) -> bool:
    """Whether every field of the permission agrees with the call, or is missing in the call."""
    given = _input(asked)
    if given is not None and call.raw_input is not None and not _is_part(given, call.raw_input):
        return False
    if asked.locations and not set(_paths(asked.locations)) <= {
        *_paths(call.locations),
        *_paths(call.content),
    }:
        return False
    diffs = [item for item in asked.content or () if isinstance(item, schema.Diff)]
    return all(item in call.content for item in diffs)


def _is_about_the_same(asked: schema.ToolCallUpdate, call: ToolCall, cwd: str) -> bool:
    """Whether both name the same paths, at least one, and give no argument two values."""
    given, known = _input(asked), call.raw_input
    if (
        isinstance(given, dict)
        and isinstance(known, dict)
        and any(name in known and known[name] != value for name, value in given.items())
    ):
        return False
    mine = named(asked.locations or (), asked.content or (), given, cwd)
    return bool(mine) and set(mine) == set(call.paths(cwd)) and _is_of_kind(asked, call)


def _is_part(given: Any, known: Any) -> bool:
    if isinstance(given, dict) and isinstance(known, dict):
        return all(name in known and known[name] == value for name, value in given.items())
    return bool(given == known)


def _paths(items: Any) -> Iterator[str]:
    return (item.path for item in items if isinstance(item, schema.Location | schema.Diff))


def _has_title(asked: schema.ToolCallUpdate, call: ToolCall) -> bool:
    return bool(asked.title) and asked.title in (call.title, call.name)


def _is_alike(asked: schema.ToolCallUpdate, call: ToolCall) -> bool:
    """Whether all words of one title are in the other. Without a title the other fields decide."""
    mine = _words(asked.title)
    if not _is_of_kind(asked, call):
        return False
    if not mine:
        return call.raw_input is not None
    return any(mine <= other or other <= mine for other in map(_words, (call.title, call.name)) if other)


def _is_of_kind(asked: schema.ToolCallUpdate, call: ToolCall) -> bool:
    return asked.kind in (None, "other", call.kind) or call.kind == "other"


def _words(title: str | None) -> set[str]:
    return set(_WORD.findall((title or "")[: limits.COMPARED_TITLE_CHARS].lower()))
