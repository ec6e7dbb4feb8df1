"""Compiles the path patterns of rules: `*` matches within a component, `**` across components, anything else itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

_FOREIGN = re.compile(r"\{[^{}]*,[^{}]*\}|^\$|^~[^/]")

Resolve = Callable[[str], str]  # where a path leads


class PathGlobs:
    """The patterns of rules for one session, held against what their folders were when they were made.

    A link that an agent puts there later moves no pattern along: `allow` looks at the place as it was. `reject` and
    `ask` look at that one and at where the pattern leads now.
    """

    def __init__(self, cwd: str, resolve: Resolve, shared: PathGlobs | None = None) -> None:
        """`shared` holds the patterns that mean the same in every session."""
        self._cwd, self._resolve, self._shared = cwd, resolve, shared
        self._made: dict[str, str] = {}

    def make(self, globs: Iterable[str]) -> None:
        """Resolve the patterns that are new."""
        for glob in globs:
            if self._shared and is_absolute(glob):
                self._shared.make([glob])
            elif glob not in self._made:
                self._made[glob] = anchored(glob, self._cwd, self._resolve)

    def as_made(self, glob: str) -> str:
        self.make([glob])
        return self._shared.as_made(glob) if self._shared and is_absolute(glob) else self._made[glob]

    def as_now(self, glob: str) -> str:
        return anchored(glob, self._cwd, self._resolve)


def mistake(glob: str) -> str:
    """Return what is wrong with the pattern of a rule; empty if nothing is."""
    if not glob.strip():
        return "is empty"
    if "\0" in glob:
        return "contains a NUL"
    if _FOREIGN.search(glob):
        return "contains {a,b}, $NAME or ~user, but only * and ** are wildcards"
    return ""


def is_absolute(glob: str) -> bool:
    return glob.startswith(("/", "~/", "**"))


def is_plain(path: str) -> bool:
    """Whether it matches only this path when it is used as a pattern."""
    return "*" not in path and not path.endswith("/")


def matches(glob: str, path: str) -> bool:
    """Whether an anchored pattern matches an absolute path."""
    return _compiled(glob).fullmatch(path) is not None


def matches_all_below(glob: str, folder: str) -> bool:
    """Whether an anchored pattern matches everything below a folder.

    /w/src/**  /w/src/a   True, whatever comes behind /w/src/a/
    /w/src/*   /w/src     False: not what lies deeper
    """
    return glob.endswith("/**") and matches(glob, f"{folder.rstrip('/')}/x")


def anchored(glob: str, cwd: str, resolve: Resolve) -> str:
    """Make a pattern absolute, and resolve symlinks in the part before its first `*`. One that begins with `**` matches
    anywhere, other relative ones in `cwd`."""
    if glob.startswith("**"):
        return f"/{glob}"
    glob = os.path.join(cwd, os.path.expanduser(glob) if glob.startswith("~/") else glob)
    glob = f"{glob}**" if glob.endswith("/") else glob
    parts = glob.split("/")
    plain = next((at for at, part in enumerate(parts) if "*" in part), len(parts))
    place = resolve("/".join(parts[:plain]) or "/").rstrip("/")
    return "/".join([place, *parts[plain:]])


@lru_cache(maxsize=256)
def _compiled(glob: str) -> re.Pattern[str]:
    parts = glob.split("/")[1:]
    last = len(parts) - 1
    across = {True: "/.+", False: "(?:/[^/]+)*"}
    written = (
        across[at == last] if part == "**" else f"/{_component(part)}" for at, part in enumerate(parts)
    )
    return re.compile("".join(written), re.DOTALL)


def _component(part: str) -> str:
    pieces = {"**": ".*", "*": "[^/]*"}
    return "".join(pieces.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*|\*)", part))
