"""Draws the lines under an unfolded entry: indented, made visible, cut at a size that a frame can carry."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acp_nvim import limits
from acp_nvim.chat.splice import Mark, Row
from acp_nvim.text.ansi import plain, shown

INDENT = "  │ "
_NUMBER = re.compile(r" *\d+(?:→| ?\t| {2,})")  # before a line that an agent has read


class Body:
    def __init__(
        self, key: int, kind: str = "body", indent: str = INDENT, most: int = limits.SHOWN_CHARS
    ) -> None:
        self._key, self._kind, self._indent = key, kind, indent
        self._rows: list[Row] = []
        self._room = most
        self._hidden = 0  # lines
        self._cut = False  # in the middle of a line

    def line(
        self,
        text: str,
        highlight: str | None = None,
        more: Mark | None = None,
        parts: Iterable[tuple[str, str | None]] = (),
        file: str = "",
    ) -> None:
        """Add a line. `parts`: those parts of the text, in order, that have a colour of their own, or none. `file`: the
        name of the file that the line is of."""
        if len(self._rows) >= limits.SHOWN_LINES or self._room <= 0:
            self._hidden += 1
            return
        if len(text) > self._room:
            text, self._cut = text[: self._room] + "…", True
        self._room -= len(text) + 1
        row = (self._indent + shown(text)).rstrip(" ")
        if spans := self._spans(row, parts):
            more = {**(more or {}), "spans": spans}
        if file:
            number = _NUMBER.match(text)
            start = (self._indent + shown(number[0] if number else "")).encode()
            more = {**(more or {}), "code": [min(len(start), len(row.encode())), len(row.encode()), file]}
        self._rows.append((row, self._mark(highlight, more)))

    def text(self, text: str, highlight: str | None = None, file: str = "") -> None:
        """Add text. Only what can be shown is processed, the rest is counted: there may be megabytes. `file`: the name
        of the file that it is of."""
        if text := text.rstrip("\r\n"):
            for line in plain(text[: limits.SHOWN_CHARS]).split("\n"):
                self.line(line, highlight, file="" if line.startswith("```") else file)
            self._hidden += text.count("\n", limits.SHOWN_CHARS)
            self._cut = self._cut or len(text) > limits.SHOWN_CHARS

    def rows(self) -> list[Row]:
        if not self._hidden and not self._cut:
            return self._rows
        lines = "line" if self._hidden == 1 else "lines"
        more = f"{self._hidden:,} more {lines}" if self._hidden else "more of a long line"
        return [*self._rows, (f"{self._indent}… {more}: K shows all", self._mark("AcpNote"))]

    def _spans(self, row: str, parts: Iterable[tuple[str, str | None]]) -> list[list[int | str]]:
        spans: list[list[int | str]] = []
        at = len(self._indent)
        for text, colour in parts:
            start = row.find(part := shown(text), at)
            if start < 0:  # the row is cut
                break
            at = start + len(part)
            if colour:
                spans.append([len(row[:start].encode()), len(row[:at].encode()), colour])
        return spans

    def _mark(self, highlight: str | None, more: Mark | None = None) -> Mark | None:
        """Return the mark of a row. The first one has a mark where the body begins, others only for a colour."""
        if not highlight and not more and self._rows:
            return None
        mark: Mark = {"kind": self._kind, "key": self._key, **(more or {})}
        return {**mark, "line_hl": highlight} if highlight else mark
