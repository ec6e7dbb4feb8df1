"""The patterns that agents set for a field: regular expressions of strangers, matched only where that ends soon.

Python's engine may try every way to cut a text into the pieces of a pattern. How many those are at most can be told
from the pattern's repeats: none within another, and the more of them, the shorter the text may be. How long each
takes, its exact counts tell.
"""

from __future__ import annotations

import re
from math import factorial

_LONGEST = 1000
_STEPS = 10_000_000
_TOKENS = re.compile(
    r"""(?P<skip>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<odd>\(\?(?!:))|(?P<open>\((?:\?:)?)"""
    r"""|(?P<close>\))|(?P<repeat>[*+][?+]?|\{\d*,\d*\}[?+]?)|(?P<maybe>\?)|(?P<exact>\{\d+\})|(?P<or>\|)""",
    re.DOTALL,
)


class Trials:
    """Of the patterns of one form: a hundred that end soon would take long together."""

    def __init__(self) -> None:
        self._left: float = _STEPS

    def fits(self, pattern: str, text: str) -> bool | None:
        """Whether the pattern is found in the text; None: it is not one that can be tried in good time."""
        steps = _steps(pattern, len(text))
        if steps is None or steps > self._left:
            return None
        self._left -= steps
        try:
            return re.search(pattern, text) is not None
        except (re.error, OverflowError, RecursionError):
            return None


def _steps(pattern: str, length: int) -> float | None:
    """A bound for how long the search takes; None where there is none worth having."""
    if len(pattern) > _LONGEST or re.search(r"\\[1-9kpPgG]", pattern):
        return None
    # the search itself goes through the text, unless it can begin in one place only
    repeats = 0 if pattern.startswith("^") and "|" not in pattern else 1
    choices = 1.0
    groups = [_Group()]  # those that are open
    closed: _Group | None = None  # the one that has ended just here
    at = 0
    while at < len(pattern):
        match = _TOKENS.match(pattern, at)
        at = match.end() if match else at + 1
        kind = match.lastgroup if match else None
        if kind == "odd" or (closed and closed.varies and kind in ("repeat", "exact")):
            return None
        if match and kind == "exact":
            groups[-1].again(min(int(match.group()[1:-1]), _STEPS))
        repeats += kind == "repeat"
        choices *= 2 if kind in ("maybe", "or") else 1
        groups[-1].varies |= kind in ("repeat", "maybe", "or")
        closed = groups.pop() if kind == "close" and len(groups) > 1 else None
        if kind == "open":
            groups.append(_Group())
        elif kind in (None, "skip"):
            groups[-1].add(1)
        elif closed:
            groups[-1].add(closed.size)
            groups[-1].varies |= closed.varies
    if repeats >= 50:
        return None
    size = sum(group.size for group in groups)
    return length + max(size, 1) * choices * float(max(length, 1)) ** repeats / factorial(repeats)


class _Group:
    def __init__(self) -> None:
        self.varies = False  # there is a repeat or a choice in it
        self.size = 0.0  # characters that it takes in one go, without its repeats
        self._last = 0.0

    def add(self, size: float) -> None:
        self.size += size
        self._last = size

    def again(self, times: int) -> None:
        self.size += self._last * (times - 1)
