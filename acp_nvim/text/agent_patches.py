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
from typing import Any

from acp_nvim.text.unified_patch import Piece

_MARKS = ("--- ", "+++ ", "rename ", "*** ")  # a quick test first: a content may have millions of lines
_PATCHED = re.compile(
    r"^(?:--- |\+\+\+ |rename (?:from|to) |\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )([^\t\r\n]+)",
    re.M,
)
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_HEAD = re.compile(r"^(?:\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )|@@ |(?:--- |\+\+\+ )\S)", re.M)


def is_patch(value: Any) -> bool:
    """Whether a text is an envelope, or a unified diff with a hunk."""
    if not isinstance(value, str) or not _HEAD.search(value):
        return False
    return "*** " in value or ("@@" in value and ("--- " in value or "+++ " in value))


def patched_paths(text: str) -> Iterator[str]:
    """Yield the paths that a patch names, with and without git's "a/" and "b/"."""
    if not (text.startswith(_MARKS) or any(f"\n{mark}" in text for mark in _MARKS)):
        return
    for path in _PATCHED.findall(text):
        if path.strip() != "/dev/null":
            yield path.strip()
            yield path.strip().removeprefix("a/").removeprefix("b/")


def envelope(text: str) -> list[Piece]:
    """Return the hunks of an `apply_patch` envelope; empty if it is none, or if a line is not understood."""
    start = text.find("*** Begin Patch")
    if start < 0:
        return []
    pieces = list(_pieces(text[start:].splitlines()[1:]))
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
