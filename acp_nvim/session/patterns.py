"""The patterns that agents set for a field: regular expressions of strangers, matched only where that ends soon.

Python's engine may try every way to cut a text into the pieces of a pattern. How many those are at most can be told
from the pattern's repeats: none within another, and the more of them, the shorter the text may be.
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


def fits(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found in the text; None: it is not one that can be tried in good time."""
    ways = _ways(pattern, len(text))
    if ways is None or ways > _STEPS:
        return None
    try:
        return re.search(pattern, text) is not None
    except (re.error, OverflowError, RecursionError):
        return None


def _ways(pattern: str, length: int) -> float | None:
    """A bound for how long the search takes; None where there is none worth having."""
    if len(pattern) > _LONGEST or re.search(r"\\[1-9kpPgG]", pattern):
        return None
    repeats, choices = 1, 1.0  # the search itself goes through the text
    groups: list[bool] = [False]  # whether the groups that are open have a repeat or a choice in them
    closed: bool | None = None  # the same of the group that has ended just here
    at = 0
    while at < len(pattern):
        match = _TOKENS.match(pattern, at)
        at = match.end() if match else at + 1
        kind = match.lastgroup if match else None
        if kind == "odd":
            return None
        if kind in ("repeat", "maybe", "exact"):
            if closed and kind != "maybe":
                return None
            repeats += kind == "repeat"
            choices *= 2 if kind == "maybe" else 1
            groups[-1] = True if kind != "exact" else groups[-1]
            closed = None
            continue
        closed = None
        if kind == "open":
            groups.append(False)
        elif kind == "close":
            closed = groups.pop() if len(groups) > 1 else False
            groups[-1] = groups[-1] or closed
        elif kind == "or":
            choices, groups[-1] = choices * 2, True
    return choices * float(max(length, 1)) ** repeats / factorial(repeats) if repeats < 50 else None
