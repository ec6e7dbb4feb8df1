"""The files of a folder that git knows nothing of: names alone, where there are few enough to be looked through."""

from __future__ import annotations

import os
from collections.abc import Iterator

_MOST = 2000  # entries
_SKIPPED = {".git", ".hg", ".svn", "node_modules", "__pycache__"}
_PASSING = (".swp", ".swo", ".swx", "~")  # what editors leave for a while


def files(root: str) -> frozenset[str] | None:
    """Resolved paths; None: too many. No symlink is followed."""
    found = list(zip(range(_MOST + 1), _below(os.path.realpath(root)), strict=False))
    if len(found) > _MOST:
        return None
    return frozenset(path for _, path in found if path and not path.endswith(_PASSING))


def _below(folder: str) -> Iterator[str]:
    """Empty for a folder: those count as well."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield entry.path
        elif entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
            yield ""
            yield from _below(entry.path)
