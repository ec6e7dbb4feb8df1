r"""Reads unified diffs as agents put them into raw input: for each hunk the text before and after.

--- a/notes.txt
+++ b/notes.txt
@@ -1,3 +1,3 @@
 one                 Piece("notes.txt", old="one\ntwo\nthree\n", new="one\n2\nthree\n")
-two
+2
 three
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_HUNK = re.compile(r"@@+ (?:-(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? )?@@")
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
NOWHERE = "/dev/null"


class Piece(NamedTuple):
    """One hunk of a file: its text before and after, context included."""

    path: str  # "" if the diff names none
    old: str | None  # None: the file is new
    new: str | None  # None: the file goes


def parse_patch(diff: str) -> list[Piece]:
    """Return the hunks, or nothing at all if one of them cannot be relied on: half a diff would be a wrong one.

    A hunk has to have the lines that its head announces, and old lines by which its place can be found.
    """
    lines = diff.split("\n")
    pieces = list(_Reader(lines[:-1] if lines[-1] == "" else lines).pieces())
    return [] if None in pieces else [piece for piece in pieces if piece]


@dataclass(slots=True)
class _Body:
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def add(self, kind: str, line: str) -> None:
        if kind != "+":
            self.old.append(line + "\n")
        if kind != "-":
            self.new.append(line + "\n")

    def is_full(self, counts: list[int]) -> bool:
        return len(self.old) >= counts[0] and len(self.new) >= counts[1]

    def lacks_context(self, counts: list[int]) -> bool:
        """Whether only context is missing: blank lines at the end of a diff get lost in transit."""
        return counts[0] - len(self.old) == counts[1] - len(self.new)

    def end(self, kind: str) -> None:
        """Take the newline off the last line, on the sides that it belongs to."""
        for side in (self.old,) * (kind != "+") + (self.new,) * (kind != "-"):
            side[-1] = side[-1].removesuffix("\n")


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    def pieces(self) -> Iterator[Piece | None]:
        old = new = ""
        while self.at < len(self.lines):
            hunk = _HUNK.match(self.lines[self.at])
            if hunk:
                self.at += 1
                yield self._hunk(hunk, old, new)
            elif self._is_header():
                old, new = self._names()
            elif self.lines[self.at].startswith(("@@", "+", "-")) and not self._is_signature():
                yield None
                return
            else:
                self.at += 1

    def _is_header(self) -> bool:
        two = self.lines[self.at : self.at + 2]
        return len(two) == 2 and two[0].startswith("--- ") and two[1].startswith("+++ ")

    def _is_signature(self) -> bool:
        """Whether this line begins the signature that `git format-patch` appends."""
        return self.lines[self.at] in ("-- ", "--")

    def _names(self) -> tuple[str, str]:
        old, new = (header_path(line[4:]) for line in self.lines[self.at : self.at + 2])
        self.at += 2
        if old.startswith(("a/", NOWHERE)) and new.startswith(("b/", NOWHERE)):
            return old.removeprefix("a/"), new.removeprefix("b/")
        return old, new

    def _hunk(self, head: re.Match[str], old: str, new: str) -> Piece | None:
        counts = [1 if count is None else int(count) for count in (head[2], head[4])] if head[1] else None
        body = self._body(counts)
        if body is None:
            return None
        if old == NOWHERE:
            return None if body.old or new == NOWHERE else Piece(new, None, "".join(body.new))
        if new == NOWHERE:
            return Piece(old, "".join(body.old), None)
        if not body.old and head[1] != "0":
            return None  # only a line number says where it goes
        return Piece(new, "".join(body.old) or None, "".join(body.new))

    def _body(self, counts: list[int] | None) -> _Body | None:
        """Read the announced lines of a hunk, else all up to a header. A blank line is context without its space."""
        body = _Body()
        kind = ""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            mark = line[:1] or " "
            if mark == "\\" and kind:
                body.end(kind)
            elif mark not in " +-" or (body.is_full(counts) if counts else self._is_header()):
                break
            else:
                kind = mark
                body.add(kind, line[1:])
            self.at += 1
        ended = self.at == len(self.lines)
        return body if not counts or body.is_full(counts) or (ended and body.lacks_context(counts)) else None


def header_path(text: str) -> str:
    """Return the path in a header. Git quotes unprintable characters; other tools append a time after a tab."""
    if text.startswith('"') and (end := text.rfind('"')):
        escaped = _ESCAPE.sub(_unescaped, text[1:end])
        return escaped.encode("latin-1", "surrogateescape").decode("utf-8", "surrogateescape")
    return text.split("\t")[0].rstrip("\r")


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    return chr(int(code, 8) & 255) if len(code) == 3 else _NAMED.get(code, code)
