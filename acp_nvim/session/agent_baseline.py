"""Remembers what an agent knows of each file: the base of the merge when it writes the file.

It knows the text that it sent last, never what a merge or a formatter has made of it. Of a file that it has read it
knows the lines that it was given, no others:

    it has read     a b c d
    the file is     a X c d E         the user has changed b and added E
    it reads 1-3    a X c             and believes  a X c d  from now on
    it writes       a X C d           base a X c d: E stays, and so would X have done unread

Of a file that it never had from us it is taken to know what the disk held at the end of the last turn in which one of
its calls named it, or, if a call has named it and ended in this turn, or none ever, when its turn began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from acp_nvim.text.line_diff import Edit, apply, edits
from acp_nvim.text.text_file import split

T = TypeVar("T")


class AgentBaseline:
    """Paths are resolved. A file that did not exist has None for its bytes."""

    def __init__(self, now: int) -> None:
        self.turn_began = now  # on the clock of the file system
        self._texts: dict[str, str] = {}
        self._at_turn_start: dict[str, bytes | None] = {}
        self._looked: set[str] = set()  # in this turn
        self._at_last_look: dict[str, str] = {}

    def text(self, path: str) -> str | None:
        """Return the text that the agent has last sent or read."""
        return self._texts.get(path)

    def learn(self, path: str, text: str) -> None:
        self._texts[path] = text
        self._at_turn_start.pop(path, None)
        self._at_last_look.pop(path, None)

    def look(self, paths: Iterable[str]) -> None:
        """Note that a call which names these files has ended: the agent may have seen them as they are."""
        self._looked.update(paths)

    def end_turn(self, texts: Mapping[str, str]) -> None:
        """Learn what the files hold that calls of the turn have named."""
        self._at_last_look |= {path: text for path, text in texts.items() if path not in self._texts}

    def learn_lines(self, path: str, text: str, end: str, line: int | None, limit: int | None) -> None:
        """Learn that the agent was given `limit` lines of `text` from `line` on. Of a file that is new to it, it is
        taken to know the rest as it is now."""
        first = max(line or 1, 1) - 1
        believed = self._texts.get(path)
        if limit == 0:
            return
        if believed is None or (first == 0 and limit is None):
            return self.learn(path, text)
        old, new = split(believed, end), split(text, end)
        last = len(new.lines) if limit is None else min(first + limit, len(new.lines))
        lines = merged_section(list(old.lines), list(new.lines), first, last)
        final = new.final if last == len(new.lines) else old.final
        self.learn(path, end.join(lines) + (end if final and lines else ""))

    def learn_report(self, path: str, report: Iterable[str], text: str) -> None:
        """Learn what a report has told, in lines of a unified diff, of a file that holds this text now. What else the
        user has written there the agent does not know."""
        if path not in self._texts:
            return
        told = [line for line in report if line[:1] in ("-", "+")]
        gone, come = ({line[1:] for line in told if line[0] == sign} for sign in "-+")
        old = split(self._texts[path])
        lines = list(old.lines)
        known = [
            edit
            for edit in _by_line(edits(lines, list(split(text).lines)))
            if gone.issuperset(lines[edit.first : edit.last]) and come.issuperset(edit.lines)
        ]
        self.learn(path, replace(old, lines=tuple(apply(lines, known))).whole)

    def begin_turn(self, began: int, at_start: dict[str, bytes | None]) -> None:
        """`at_start` are files as they are now, which may change before the agent asks for them."""
        self.turn_began = began
        self._at_turn_start = at_start
        self._looked.clear()

    def base(
        self, path: str, disk: bytes | None, changed: int, decode: Callable[[bytes], T]
    ) -> str | T | None:
        """Return the text that a write of the agent builds on; None if it is not known.

        A file that has not changed since the turn began still shows it.
        """
        if path in self._texts:
            return self._texts[path]
        if path not in self._looked and path in self._at_last_look:
            return self._at_last_look[path]
        if path in self._at_turn_start:
            return decode(self._at_turn_start[path] or b"")
        return decode(disk or b"") if disk is None or changed < self.turn_began else None


def merged_section(old: list[str], new: list[str], first: int, last: int) -> list[str]:
    """Return `old` with what is different in the rows `first` to `last` of `new`. Of an edit that lies there in part,
    only lines that replace nothing are taken over: nobody knows what the agent has seen of the rest."""
    taken: list[Edit] = []
    shift = 0  # of the rows of `new` against those of `old`
    for edit in _by_line(edits(old, new)):
        start = edit.first + shift
        stop = start + len(edit.lines)
        shift += len(edit.lines) - (edit.last - edit.first)
        is_gap_shown = (first < start or start == 0) and (start < last or last == len(new))
        if first <= start and stop <= last and (edit.lines or is_gap_shown):
            taken.append(edit)
        elif edit.first == edit.last and start < last and stop > first:
            taken.append(Edit(edit.first, edit.last, edit.lines[max(first - start, 0) : last - start]))
    return apply(old, taken)


def _by_line(changes: list[Edit]) -> list[Edit]:
    """Divide edits that replace as many lines as they remove into edits of one line."""
    found: list[Edit] = []
    for edit in changes:
        if edit.last - edit.first == len(edit.lines):
            found += [Edit(edit.first + n, edit.first + n + 1, [line]) for n, line in enumerate(edit.lines)]
        else:
            found.append(edit)
    return found
