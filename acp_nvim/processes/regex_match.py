"""Matches regular expressions in bounded time.

Python's engine cannot be interrupted, and `(a|a)*b` against forty characters takes longer than anybody waits. Neither a
thread (the engine keeps the interpreter's lock) nor a signal (in the python3 host the process is shared with other
plugins) ends it. So it works in a process of its own, see `regex_child.py`, which the system ends.

It serves the user's rules and the patterns in agents' forms. To leave these patterns to the agent was tried: a form
that does not fit is then rejected after it has been sent, and the user fills it in again. Rules need the bound in any
case: they are matched against what an agent says.
"""

from __future__ import annotations

import marshal
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from acp_nvim import limits

Trial = tuple[str, tuple[str, ...], bool]
"""An expression, texts of which one has to match, and whether it has to match from end to end."""

_CHILD = str(Path(__file__).with_name("regex_child.py"))
_SECONDS = 5.0  # the child ends itself much earlier, but on a busy machine it may begin late
_REPEATS = re.compile(r"[*+{]")
_BRANCHES = re.compile(r"[?|]")
_MOST_BRANCHES = 5
_FOUND = {ord("1"): True, ord("0"): False}


def match(trials: Sequence[Trial]) -> list[bool | None]:
    """Return for each trial whether it matches; None if it took too long or is no expression."""
    if all(_is_quick(pattern) for pattern, _, _ in trials):
        return [_is_match(re.compile(pattern), texts, whole) for pattern, texts, whole in trials]
    found = [_FOUND.get(each) for each in _asked(trials)]
    return found + [None] * (len(trials) - len(found))


def _is_quick(pattern: str) -> bool:
    """Without repeats, the ways to match are as many as the combinations of its branches. `git (status|diff)` is worth
    no process."""
    branches = len(_BRANCHES.findall(pattern))
    if len(pattern) > limits.QUICK_REGEX_CHARS or _REPEATS.search(pattern) or branches > _MOST_BRANCHES:
        return False
    try:
        return re.compile(pattern) is not None
    except (re.error, OverflowError, RecursionError):
        return False


def _is_match(pattern: re.Pattern[str], texts: Sequence[str], whole: bool) -> bool:
    return any((pattern.fullmatch if whole else pattern.search)(text) for text in texts)


def _asked(trials: Sequence[Trial]) -> bytes:
    """Return a character for each trial that the child has finished."""
    try:
        child = [sys.executable, "-I", "-S", _CHILD]
        run = subprocess.run(child, input=marshal.dumps(list(trials)), capture_output=True, timeout=_SECONDS)
        return run.stdout
    except subprocess.TimeoutExpired as late:
        return late.stdout or b""
    except OSError:  # no process can be started
        return b""
