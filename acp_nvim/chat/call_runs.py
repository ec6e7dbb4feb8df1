"""Finds runs of finished tool calls that fold to one line, because nothing that must be seen stands between them.

    thought for 2 s          ▸ ✓ read 2 files · searched 1×
    read    a.py
    search  "parse("         The thought at the head belongs to the run as the calls do, a failed call does not: it
    read    b.py             would end the run, and so would text.
    I found it.              I found it.

Entries between two that must be seen are a stretch. One of few calls holds a run for each sort that comes often enough
in a row, one of many is a run as a whole; thoughts join any. Of commands the newest is shown below the line of its run
until the agent has said something: the end of its output says how things stand.

    read execute read            three lines
    read read read execute       ▸ ✓ read 3 files, and the command
    read execute read execute    ▸ ✓ read 3 files · ran 3 commands, and the last of these
    read execute

The runs follow from the entries alone, not from the order in which these have ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from acp_nvim.session.entries import Entry, Message, Thought
from acp_nvim.session.tool_call import ToolCall

_COMMAND, _THOUGHT = "command", "thought"
_SORTS = {"read": "look", "search": "look", "fetch": "look", "execute": _COMMAND}
_LEAST = 3  # calls of one sort
_LEAST_MIXED = 6  # calls of several
# some agents say in a thought what went wrong, and nowhere else
ERROR = re.compile(r"^[ \t]*(?:\w*[Ee]rror|ERROR)(?: \w+)?: *\S.*", re.MULTILINE)


RunPart = Literal["line", "calls"]  # its calls get a line each, or unfold with it


@dataclass(slots=True)
class Run:
    """The entries first..last - 1, at least three of which are calls."""

    first: int
    last: int
    newest: int | None  # the command that is shown where the run is folded


class Runs:
    def __init__(self) -> None:
        self._sorts: list[str | None] = []  # of each entry; None: it must be seen
        self._runs: dict[int, Run] = {}  # by the indexes of their entries
        self._said = -1  # the index of the agent's newest text

    def of(self, index: int) -> Run | None:
        return self._runs.get(index)

    def update(self, entries: Sequence[Entry], touched: set[int]) -> set[int]:
        """Find the runs anew around entries that are new or touched; return the indexes of those to be drawn anew."""
        known = len(self._sorts)
        dirty = set(range(known, len(entries)))
        if said := [index for index in dirty if _is_text(entries[index])]:
            dirty |= set(range(self._said + 1, known))  # their commands need not be shown any more
            self._said = max(said)
        self._sorts += [_sort(entry) for entry in entries[known:]]
        for index in touched:
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
        """Find the runs between two indexes; return those of entries that are drawn otherwise now."""
        found = {index: run for run in self._found(first, last) for index in range(run.first, run.last)}
        changed: set[int] = set()
        for index in range(first, last):
            old, new = self._runs.pop(index, None), found.get(index)
            if new and old and new.first == old.first:
                if index == new.first and new != old:
                    changed |= {each for each in (index, old.newest, new.newest) if each is not None}
            elif new or old:
                changed.add(index)
        self._runs |= found
        return changed

    def _found(self, first: int, last: int) -> Iterator[Run]:
        for is_seen, indexes in groupby(range(first, last), lambda index: self._sorts[index] is None):
            if not is_seen:
                stretch = list(indexes)
                yield from self._in_stretch(stretch[0], stretch[-1] + 1)

    def _in_stretch(self, first: int, last: int) -> Iterator[Run]:
        calls = [index for index in range(first, last) if self._sorts[index] != _THOUGHT]
        if len(calls) >= _LEAST_MIXED:
            yield self._run(first, last, calls)
            return
        parts = [list(part) for _, part in groupby(calls, lambda index: self._sorts[index])]
        for number, part in enumerate(parts):
            begin = part[0] if number else first
            end = parts[number + 1][0] if number + 1 < len(parts) else last
            if len(part) >= _LEAST:
                yield self._run(begin, end, part)

    def _run(self, first: int, last: int, calls: Sequence[int]) -> Run:
        commands = (index for index in reversed(calls) if self._sorts[index] == _COMMAND)
        newest = next(commands, None) if first > self._said else None
        return Run(first, last, newest)


def _is_text(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.role == "agent"


def _sort(entry: Entry) -> str | None:
    """Return what a run consists of: calls that look, commands, thoughts. None for what must be seen."""
    if isinstance(entry, Thought):
        is_quiet = entry.ended is not None and not ERROR.search("".join(entry.parts))
        return _THOUGHT if is_quiet else None
    if not isinstance(entry, ToolCall) or entry.status != "completed" or entry.nested or entry.bad_end:
        return None
    must_be_seen = entry.is_breach or entry.verdict.startswith("rejected")
    if must_be_seen or any(question.is_open for question in entry.questions):
        return None
    return _SORTS.get(entry.kind)
