"""Writes the user's comments for an agent.

    cart.py, line 3:
    > total = 0
    use sum() here
    In this pending change:
    -total = 0.0
    +total = 0

Comments are parted by a blank line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from acp_nvim import limits
from acp_nvim.text.printable import visible

_SIDES = {"live": "", "old": "old ", "proposed": "proposed "}
_GONE = "these lines are gone, the place is the nearest"


class Hunk(Protocol):
    """A pending change."""

    @property
    def old(self) -> list[str]: ...
    @property
    def new(self) -> list[str]: ...
    @property
    def more(self) -> int:
        """How many lines it has beyond these."""


class Comment(Protocol):
    """A comment. The editor provides it."""

    @property
    def id(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def lines(self) -> list[str]: ...
    @property
    def more(self) -> int:
        """How many lines it is about beyond these."""

    @property
    def text(self) -> str: ...
    @property
    def moved(self) -> bool: ...
    @property
    def hunk(self) -> Hunk | None: ...


def message(comments: Iterable[Comment], cwd: str) -> str:
    """Return the comments as one text; empty without any."""
    return "\n\n".join("\n".join(_lines_of(each, cwd)) for each in comments)


def _lines_of(comment: Comment, cwd: str) -> Iterator[str]:
    yield f"{_name(comment.path, cwd)}, {_where(comment)}:"
    yield from (f"> {_short(line)}".rstrip() for line in comment.lines)
    if comment.more:
        yield f"> … ({comment.more} more lines)"
    yield comment.text
    if hunk := comment.hunk:
        yield "In this pending change:"
        yield from (f"-{_short(line)}" for line in hunk.old)
        yield from (f"+{_short(line)}" for line in hunk.new)
        if hunk.more:
            yield f"… ({hunk.more} more lines)"


def _where(comment: Comment) -> str:
    side = _SIDES[comment.side]
    place = f"{side}line {comment.first}"
    if comment.last > comment.first:
        place = f"{side}lines {comment.first}-{comment.last}"
    return f"{place} ({_GONE})" if comment.moved else place


def _name(path: str, cwd: str) -> str:
    """Return the path as the agent knows it: below the session's folder relative to that."""
    is_below = path.startswith(f"{cwd.rstrip('/')}/")
    return visible(os.path.relpath(path, cwd) if is_below else path)


def _short(line: str) -> str:
    most = limits.REPORT_LINE_CHARS
    return line if len(line) <= most else f"{line[:most]}… ({len(line) - most} more characters)"


def without(comments: Sequence[Comment], ids: frozenset[int]) -> list[Comment]:
    """Return the comments that are not among those."""
    return [each for each in comments if each.id not in ids]
