"""Finds runs of finished tool calls that fold to one line, because nothing that must be seen stands between them.

    thought for 2 s          ▸ ✓ read 2 files · searched 1×
    read    a.py
    search  "parse("         The thought at the head belongs to the run as the calls do, a failed call does not: it
    read    b.py             would end the run, and so would text.
    I found it.              I found it.

Of `sorts`, one for each entry, a run is a longest stretch of one sort; thoughts join any. The runs of a stretch follow
from its entries alone, not from the order in which these have ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from acp_nvim.session.entries import Entry, Thought
from acp_nvim.session.tool_call import ToolCall

_SORTS = {"read": "look", "search": "look", "fetch": "look", "execute": "run"}
_THOUGHT = "thought"
_LEAST = 3  # calls
# some agents say in a thought what went wrong, and nowhere else
ERROR = re.compile(r"^[ \t]*(?:\w*[Ee]rror|ERROR)(?: \w+)?: *\S.*", re.MULTILINE)


RunPart = Literal["line", "calls"]  # its calls get a line each, or unfold with it


@dataclass(slots=True)
class Run:
    """The entries first..last - 1, at least three of which are calls."""

    first: int
    last: int


class Runs:
    def __init__(self) -> None:
        self._sorts: list[str | None] = []  # of each entry; None: it must be seen
        self._runs: dict[int, Run] = {}  # by the indexes of their entries

    def of(self, index: int) -> Run | None:
        return self._runs.get(index)

    def update(self, entries: Sequence[Entry], touched: set[int]) -> set[int]:
        """Find the runs anew around entries that are new or touched; return the indexes of those to be drawn anew."""
        dirty = set(range(len(self._sorts), len(entries)))
        self._sorts += [_sort(entry) for entry in entries[len(self._sorts) :]]
        for index in touched - dirty:
            if (sort := _sort(entries[index])) != self._sorts[index]:
                self._sorts[index] = sort
                dirty.add(index)
        drawn = {run.first for index in touched if (run := self._runs.get(index))}
        done = -1
        for index in sorted(dirty):
            if index > done:
                first, done = self._stretch(index)
                drawn |= self._divide(first, done + 1)
        return drawn

    def _stretch(self, index: int) -> tuple[int, int]:
        """Return the first and last index of the entries around one that may belong to its run."""
        first = last = index
        while first > 0 and self._sorts[first - 1] is not None:
            first -= 1
        while last + 1 < len(self._sorts) and self._sorts[last + 1] is not None:
            last += 1
        return first, last

    def _divide(self, first: int, last: int) -> set[int]:
        """Find the runs of a stretch; return the indexes of entries whose run is another one now."""
        found = {index: run for run in self._found(first, last) for index in range(run.first, run.last)}
        changed: set[int] = set()
        for index in range(first, last):
            old, new = self._runs.pop(index, None), found.get(index)
            if new and old and new.first == old.first:
                changed |= {new.first} if new != old else set()
            elif new or old:
                changed.add(index)
        self._runs |= found
        return changed

    def _found(self, first: int, last: int) -> Iterator[Run]:
        begin, sort, calls = first, None, 0
        for index, here in enumerate([*self._sorts[first:last], None], first):
            if here == _THOUGHT:
                continue
            if here is None or sort not in (None, here):
                if calls >= _LEAST:
                    yield Run(begin, index)
                begin, sort, calls = (index + 1, None, 0) if here is None else (index, here, 1)
            else:
                sort, calls = here, calls + 1


def _sort(entry: Entry) -> str | None:
    """Return what a run consists of: calls that look, commands, thoughts. None for what must be seen."""
    if isinstance(entry, Thought):
        is_quiet = entry.ended is not None and not ERROR.search("".join(entry.parts))
        return _THOUGHT if is_quiet else None
    if not isinstance(entry, ToolCall) or entry.status != "completed" or entry.nested:
        return None
    must_be_seen = entry.is_breach or entry.verdict.startswith("rejected")
    if must_be_seen or any(question.is_open for question in entry.questions):
        return None
    return _SORTS.get(entry.kind)
