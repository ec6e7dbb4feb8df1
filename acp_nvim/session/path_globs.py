"""Compiles the path patterns of rules: `*` matches within a component, `**` across components, anything else itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache

Resolve = Callable[[str], str]  # where a path leads


def expression(glob: str, cwd: str, resolve: Resolve) -> re.Pattern[str]:
    """Compile a pattern for absolute paths. One that begins with `**` matches anywhere, other relative ones in
    `cwd`."""
    return _compiled(_anchored(glob, cwd, resolve))


def is_plain(path: str) -> bool:
    """Whether it matches only this path when it is used as a pattern."""
    return "*" not in path and not path.endswith("/")


def _anchored(glob: str, cwd: str, resolve: Resolve) -> str:
    """Make a pattern absolute, and resolve symlinks in the part before its first `*`."""
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
