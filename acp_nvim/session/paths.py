"""Which files a tool call is about: from its locations, its diffs, and what its raw input calls a path."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

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
_LONGEST = 4096


def absolute(path: str, cwd: str) -> str:
    """`path` against `cwd`, symlinks unresolved; file URIs are paths, too."""
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(path) if path.startswith("~/") else path))


def named(
    locations: Iterable[Any] | None, content: Iterable[Any] | None, raw_input: Any, cwd: str
) -> list[str]:
    """Absolute paths, each once, in the order in which they are named."""
    # locations and diffs carry a `path`; other content does not
    paths = [getattr(item, "path", None) for items in (locations, content) if items for item in items]
    if isinstance(raw_input, dict):
        paths += _raw(raw_input)
    found = [path for path in paths if path and isinstance(path, str)]
    if not found:  # most updates name none, and are asked several times
        return found
    usable = (path for path in found if len(path) < _LONGEST and "\0" not in path)
    return list(dict.fromkeys(absolute(path, cwd) for path in usable))


def _raw(raw_input: dict[str, Any]) -> Iterator[str]:
    for name in _NAMES:
        if isinstance(raw_input.get(name), str) and "\n" not in raw_input[name]:
            yield raw_input[name]
