"""Reads patches in a raw input: unified diffs, and the envelopes of `apply_patch`.

*** Begin Patch
*** Update File: a.py          *** Add File: b.py
@@ def total():                +whole new text
 context                       *** Delete File: c.py
-old line                      *** Move to: d.py   (below an Update)
+new line
*** End Patch
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from acp_nvim.text.unified_patch import NOWHERE, Piece, header_path

# a quick test first: a content may have millions of lines
_MARKS = ("--- ", "+++ ", "diff ", "rename ", "copy ", "Index: ", "Binary files ")
_PATCHED = re.compile(
    r"^(?:--- |\+\+\+ |(?:rename|copy) (?:from|to) |Index: "
    r"|[ \t]*\*\*\* (?:(?:Add|Update|Delete) File: |Move to: |(?!Begin |End |\d)))([^\r\n]+)",
    re.M,
)
_PAIRED = re.compile(r"^(?:diff --git |Binary files )([^\r\n]+?)(?: differ)?$", re.M)
_BETWEEN = re.compile(r" (?:and )?(?=\"|[^ ])")
_PREFIXES = ("a/", "b/")
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_GIT = re.compile(r"^(?:diff --git \S|(?:rename|copy) from .+\n(?:rename|copy) to )", re.M)
_QUICK = ("diff --git ", "\nrename to ", "\ncopy to ")
_PARTED = 100  # blanks at which two names are parted
_HEAD = re.compile(r"^(?:\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )|@@ |(?:--- |\+\+\+ )\S)", re.M)


def is_patch(value: Any) -> bool:
    """Whether a text is an envelope, or a unified diff with a hunk."""
    if not isinstance(value, str) or not _HEAD.search(value):
        return False
    return "*** " in value or ("@@" in value and ("--- " in value or "+++ " in value))


def has_git_headers(value: Any) -> bool:
    """Whether a text has headers of git's, which need no hunk: a rename, a copy, a mode, a binary file."""
    return isinstance(value, str) and any(mark in value for mark in _QUICK) and _GIT.search(value) is not None


def patched_paths(text: str) -> Iterator[str]:
    """Yield the paths that a patch names, with and without git's "a/" and "b/"."""
    if not ("*** " in text or text.startswith(_MARKS) or any(f"\n{mark}" in text for mark in _MARKS)):
        return
    for name in (*_PATCHED.findall(text), *chain.from_iterable(map(_both, _PAIRED.findall(text)))):
        path = header_path(name.strip())
        if path == NOWHERE:
            continue
        yield path
        # `git apply` and `patch -p1` leave the first folder out
        _, _, rest = path.partition("/")
        if path.startswith(_PREFIXES) or rest.startswith("/") or ".." in rest.split("/"):
            yield rest


def _both(names: str) -> Iterator[str]:
    """Yield the two names of `diff --git a/x b/x`. Blanks in a name leave several ways to part them: all are told."""
    places = [found.span() for found in islice(_BETWEEN.finditer(names), _PARTED)]
    halves = [(names[:start], names[end:]) for start, end in places]
    same = [pair for pair in halves if len({header_path(half).partition("/")[2] for half in pair}) == 1]
    yield from chain.from_iterable(same or halves)


def lines_of(text: str) -> list[str]:
    """Return the lines as a program that writes them sees them: only LF ends one, with or without a CR before it.

    `str.splitlines` parts at eight more characters. What stands behind one of them would be a line that begins with no
    mark, and be left out of what the user is shown.
    """
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def envelope(text: str) -> list[Piece]:
    """Return the hunks of an `apply_patch` envelope; empty if it is none, or if a line is not understood."""
    start = text.find("*** Begin Patch")
    if start < 0:
        return []
    pieces = list(_pieces(lines_of(text[start:])[1:]))
    return [] if None in pieces else [piece for piece in pieces if piece]


def _pieces(lines: list[str]) -> Iterator[Piece | None]:
    at = 0
    while at < len(lines) and not lines[at].startswith("*** End Patch"):
        head = _FILE.fullmatch(lines[at].rstrip())
        if head is None:
            yield None
            return
        end = next(
            (
                n
                for n in range(at + 1, len(lines))
                if _FILE.match(lines[n]) or lines[n].startswith("*** End P")
            ),
            len(lines),
        )
        yield from _file(head.group(1), head.group(2), lines[at + 1 : end])
        at = end


def _file(verb: str, path: str, body: list[str]) -> Iterator[Piece | None]:
    if verb == "Delete":
        yield Piece(path, None, None)
    elif verb == "Add":
        yield Piece(path, None, "".join(f"{line[1:]}\n" for line in body if line.startswith("+")))
    elif any(line.startswith("*** Move to:") for line in body):
        yield None  # no two sides of one path: the patch is shown as it came
    else:
        yield from _hunks(path, body)


def _hunks(path: str, body: list[str]) -> Iterator[Piece | None]:
    old: list[str] = []
    new: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield Piece(path, "".join(old), "".join(new))
            old, new = [], []
        elif not line.startswith("*** End of File"):
            if line[:1] not in ("", " ", "+", "-"):
                yield None
            if not line.startswith("+"):
                old.append(f"{line[1:]}\n")
            if not line.startswith("-"):
                new.append(f"{line[1:]}\n")
