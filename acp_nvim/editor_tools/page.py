"""Builds the text of an answer, which models pay for by the word: bounded, and it says how to get the rest.

src/cart.py (unsaved)
12: def total(orders):
13:     return sum(orders)
more: true (ask for first = 14)
"""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.text.printable import visible


class Page:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._places = 0
        self._file = ""
        self.is_full = False

    @property
    def is_empty(self) -> bool:
        return not self._lines

    def add(self, line: str) -> bool:
        """Add a line; False: there is no more room."""
        cut = line if len(line) <= limits.TOOL_LINE_CHARS else f"{line[: limits.TOOL_LINE_CHARS]}…"
        size = len(cut.encode(errors="replace")) + 1
        if len(self._lines) > limits.TOOL_LINES or self._size + size > limits.TOOL_CHARS:
            self.is_full = True
        if not self.is_full:
            self._lines.append(cut)
            self._size += size
        return not self.is_full

    def add_place(self, file: str, line: int, text: str | None) -> bool:
        """Add a place, below the name of its file, with the text of the line if it may be shown."""
        self.is_full = self.is_full or self._places >= limits.TOOL_PLACES
        if self.is_full:
            return False
        self._places += 1
        if file != self._file:
            self._file = file
            self.add(file)
        return self.add(f"{line}:" if text is None else f"{line}: {text}")

    def text(self, how_to_go_on: str, *notes: str) -> str:
        """Return the answer; `how_to_go_on` is told if something was left out."""
        more = [f"more: true ({how_to_go_on})"] if self.is_full else []
        return "\n".join([*self._lines, *more, *filter(None, notes)])


def label(shown: str, is_unsaved: bool) -> str:
    return f"{visible(shown)}{' (unsaved)' if is_unsaved else ''}"


def left_out(count: int, what: str) -> str:
    """Say how many places were left out because the session may not see them."""
    many = "" if count == 1 else "s"
    return f"{count} {what}{many} outside the session's folders left out" if count else ""
