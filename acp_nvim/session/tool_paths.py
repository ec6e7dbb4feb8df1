"""Collects the files of a tool call from its locations, its diffs, and paths in its raw input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard
from urllib.parse import unquote

from acp_nvim import limits
from acp_nvim.protocol import schema

_NAMES = (
    "path",
    "file_path",
    "filePath",
    "abs_path",
    "absolute_path",
    "filepath",
    "file",
    "filename",
    "notebook_path",
)


def absolute(path: str, cwd: str) -> str:
    """Make a path or file URI absolute, symlinks unresolved."""
    path = from_uri(path)
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path) if path.startswith("~/") else path))


def from_uri(path: str) -> str:
    """Return the path of a file URI with any host; else the text as it is."""
    if not path.startswith("file://"):
        return path
    _, slash, rest = re.split(r"[?#]", path[len("file://") :], maxsplit=1)[0].partition("/")
    return unquote(slash + rest)


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it. Both are absolute and normal."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def usable(path: object) -> TypeGuard[str]:
    """Whether the system accepts it as a path."""
    return isinstance(path, str) and 0 < len(path) < limits.PATH_CHARS and "\0" not in from_uri(path)


def named(
    locations: Iterable[schema.Location] | None,
    content: Iterable[schema.ToolContent] | None,
    raw_input: Any,
    cwd: str,
) -> list[str]:
    """Return the absolute paths, each once, in the order in which they are named."""
    found = [location.path for location in locations or ()]
    found += [item.path for item in content or () if isinstance(item, schema.Diff)]
    if isinstance(raw_input, dict):
        found += _raw(raw_input)
    if not found:  # most updates name none, and are asked several times
        return found
    return list(dict.fromkeys(absolute(path, cwd) for path in found if usable(path)))


def _raw(raw_input: dict[str, Any]) -> Iterator[str]:
    for name in _NAMES:
        if isinstance(raw_input.get(name), str) and "\n" not in raw_input[name]:
            yield raw_input[name]
