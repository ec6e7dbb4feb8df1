"""Makes the unified view of two texts, and counts the lines that were added and removed.

    a     unified view:   " " a
    b                     "-" b
    c  -> a B c           "+" B
                          " " c      counts: (1, 1)

Both follow one line diff, so that the numbers are those of the signs in the view.
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim import limits
from acp_nvim.text import line_diff

CONTEXT = 3


def lines(text: str) -> list[str]:
    split = text.split("\n")
    return split if split[-1] else split[:-1]


def too_large(old: str, new: str) -> bool:
    """Whether a line by line comparison would block the event loop for too long."""
    return old.count("\n") + new.count("\n") > limits.DIFF_LINES


def counts(old: str, new: str) -> tuple[int, int]:
    """Return the number of added and of removed lines."""
    old, new = changed(old, new)
    if not old or not new or too_large(old, new):
        return _count(new), _count(old)
    found = list(line_diff.stretches(lines(old), lines(new)))
    return sum(j2 - j1 for _, _, j1, j2 in found), sum(i2 - i1 for i1, i2, _, _ in found)


def unified(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield (sign, line): " ", "-" or "+", "⋯" between hunks, "\\" where only one text ends with a newline."""
    a, b = lines(old), lines(new)
    hunks = list(line_diff.stretches(a, b))
    done = 0
    for number, (i1, i2, j1, j2) in enumerate(hunks):
        if number:
            until = min(done + CONTEXT, i1)
            yield from ((" ", line) for line in a[done:until])
            done = until
        start = max(done, i1 - CONTEXT)
        if number and start > done:
            yield "⋯", ""
        yield from ((" ", line) for line in a[start:i1])
        yield from (("-", line) for line in a[i1:i2])
        yield from (("+", line) for line in b[j1:j2])
        done = i2
    if hunks:
        yield from ((" ", line) for line in a[done : done + CONTEXT])
    if old and new and old.endswith("\n") != new.endswith("\n"):
        yield "\\", "newline added at the end" if new.endswith("\n") else "newline removed at the end"


def _count(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def changed(old: str, new: str) -> tuple[str, str]:
    r"""Return both texts without the lines that they share at the beginning and at the end. Fast for any size.

    old "a\nb\nc\n", new "a\nx\nc\n": ("b\n", "x\n")
    """
    start = old.rfind("\n", 0, shared(old, new)) + 1
    old, new = old[start:], new[start:]
    same = shared(old, new, from_end=True)
    line_end = old.find("\n", len(old) - same)
    kept = len(old) - line_end - 1 if line_end >= 0 else 0
    return old[: len(old) - kept], new[: len(new) - kept]


def shared(one: str, other: str, from_end: bool = False) -> int:
    """Return how many characters two texts share at one end. Halving compares slices, which is fast."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if from_end:
            same = one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]
        else:
            same = one[low:middle] == other[low:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low
