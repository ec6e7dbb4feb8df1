"""Draws a line of a diff behind its gutter: the number of the line in the file, if it is known, and its sign.

12   def total(orders):
13 -     result = 0
13 +     return sum(orders)
"""

from __future__ import annotations

from acp_nvim.session.change_preview import DiffRow
from acp_nvim.text.ansi import shown

Spans = list[list[int | str]]  # bytes from, to; the highlight group

HIGHLIGHTS = {"-": "AcpDiffRemoved", "+": "AcpDiffAdded", "\\": "AcpNote", "⋯": "AcpNote"}
_EMPHASIS = {"-": "AcpDiffRemovedText", "+": "AcpDiffAddedText"}


def draw(row: DiffRow, width: int) -> tuple[str, Spans]:
    """Return the text and its colours. `width`: of the numbers; 0 draws the sign alone."""
    if row.sign == "⋯":
        return f"{row.sign:>{width}}", []
    number = f"{row.number or '':>{width}} " if width else ""
    gutter = f"{number}{row.sign} "
    spans: Spans = [[0, len(number), "AcpNote"]] if number.strip() else []
    first, last = row.changed
    if first < last:
        start = len(f"{gutter}{shown(row.text[:first])}".encode())
        spans.append([start, start + len(shown(row.text[first:last]).encode()), _EMPHASIS[row.sign]])
    return f"{gutter}{shown(row.text)}".rstrip(" "), spans


def indented(spans: Spans, indent: str) -> Spans:
    """Return the same colours behind an indent."""
    size = len(indent.encode())
    return [[int(first) + size, int(last) + size, group] for first, last, group in spans]
