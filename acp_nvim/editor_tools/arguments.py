"""Checks the arguments of a call: models misspell names and send numbers as texts."""

from __future__ import annotations

import re
from typing import Any

from acp_nvim import limits
from acp_nvim.editor_tools.catalogue import Argument, Tool

_OTHER_NAMES = {"file_path": "path", "uri": "path", "file": "path", "filename": "path"}
_KINDS = {"string": "a text", "integer": "a number from 1", "choice": "a title or a number"}


class Mistaken(Exception):
    """What is wrong with a call, in words for the model."""


def read(tool: Tool, given: Any) -> dict[str, Any]:
    """Return the arguments by their own names; raise Mistaken with the name of the first that is wrong.

    {"filePath": "a.py", "first": "3"}     {"path": "a.py", "first": 3}
    """
    if given is not None and not isinstance(given, dict):
        raise Mistaken("the arguments must be an object")
    named = {_own_name(str(name), tool): value for name, value in (given or {}).items() if value is not None}
    known = {argument.name: argument for argument in tool.arguments}
    if unknown := next((name for name in named if name not in known), None):
        raise Mistaken(f"{tool.name} has no argument '{unknown}': it takes {', '.join(known) or 'none'}")
    for argument in tool.arguments:
        if argument.name in named:
            named[argument.name] = _checked(argument, named[argument.name])
        elif argument.needed:
            raise Mistaken(f"'{argument.name}' is missing: {argument.doc}")
    return named


def _own_name(name: str, tool: Tool) -> str:
    """Return `newName` as `new_name`, `filePath` as `path`."""
    if any(argument.name == name for argument in tool.arguments):
        return name
    name = re.sub(r"(?<=[a-z])([A-Z])", lambda found: f"_{found[1].lower()}", name)
    return _OTHER_NAMES.get(name, name)


def _checked(argument: Argument, value: Any) -> Any:
    if argument.kind in ("integer", "choice"):
        if isinstance(value, str) and value.isdecimal() and len(value) < 10:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        is_right = type(value) is int and 1 <= value <= limits.LINE_NUMBER
        is_right = is_right or (argument.kind == "choice" and isinstance(value, str) and value != "")
    elif argument.values:
        is_right = value in argument.values
    else:
        is_right = isinstance(value, str) and 0 < len(value) <= limits.TOOL_ARGUMENT_CHARS
    if is_right:
        return value
    wanted = f"one of {', '.join(argument.values)}" if argument.values else _KINDS[argument.kind]
    raise Mistaken(f"'{argument.name}' must be {wanted}, not {str(value)[: limits.NAME_CHARS]!r}")
