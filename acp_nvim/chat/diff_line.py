"""Draws a line of a diff behind its gutter: the number of the line in the file, if it is known, and its sign.

12   def total(orders):
13 -     result = 0
13 +     return sum(orders)
"""

from __future__ import annotations

import os.path

from acp_nvim.chat.folded_body import INDENT
from acp_nvim.chat.splice import Mark
from acp_nvim.session.change_preview import DiffRow
from acp_nvim.text.ansi import shown

HIGHLIGHTS = {"-": "AcpDiffRemoved", "+": "AcpDiffAdded", "\\": "AcpNote", "⋯": "AcpNote"}
_EMPHASIS = {"-": "AcpDiffRemovedText", "+": "AcpDiffAddedText"}


def draw(row: DiffRow, width: int, path: str) -> tuple[str, Mark]:
    """Return the text without INDENT, and what its mark says of the line with it. `width`: of the numbers; 0 draws the
    sign alone."""
    begins = len(INDENT.encode())
    if row.sign == "⋯":
        text = f"{row.sign:>{width}}"
        return text, {"spans": [[begins, begins + len(text.encode()), "AcpNote"]]}
    number = f"{row.number or '':>{width}} " if width else ""
    gutter = f"{number}{row.sign} "
    text = f"{gutter}{shown(row.text)}".rstrip(" ")
    mark: Mark = {"spans": []}
    if number.strip():
        mark["spans"].append([begins, begins + len(number), "AcpNote"])
    first, last = row.changed
    if first < last:
        start = begins + len(f"{gutter}{shown(row.text[:first])}".encode())
        mark["spans"].append([start, start + len(shown(row.text[first:last]).encode()), _EMPHASIS[row.sign]])
    if row.text.strip():
        mark["code"] = [begins + len(gutter), begins + len(text.encode()), os.path.basename(path)]
    return text, mark
