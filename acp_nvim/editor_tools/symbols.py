"""Finds the symbol that a model means: by its name and the text of its line, since models miscount columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from acp_nvim.editor_tools.failure import Failed


class Place(NamedTuple):
    row: int  # from 0
    column: int  # in bytes
    last_column: int
    note: str = ""


def find(lines: Sequence[str], wanted: dict[str, Any], name: str) -> Place:
    """Return where the symbol stands. Raise Failed if its line, or the symbol in it, is not there.

    lines   x = 1 / y = x / print(x)
    wanted  line_content "= x", symbol "x"      row 1, column 4
    """
    content, symbol, number = wanted.get("line_content", ""), wanted.get("symbol", ""), wanted.get("line")
    looked_for = content.strip()
    rows = [row for row, line in enumerate(lines) if looked_for in line]
    if number:
        rows = [row for row in rows if row == number - 1]
    elif symbol:
        rows = [row for row in rows if symbol in lines[row]] or rows
    if not rows:
        where = f"line {number} of {name}" if number else f"no line of {name}"
        has = "does not have" if number else "has"
        raise Failed(f"{where} {has} the text {content!r}: read the file again")
    row = rows[0]
    start, end = _column(lines[row], symbol, looked_for, name, row)
    note = ""
    if len(rows) > 1:
        others = ", ".join(str(each + 1) for each in rows[:10])
        note = f"the text stands in lines {others}: line {row + 1} was taken, name another one with 'line'"
    return Place(row, len(lines[row][:start].encode()), len(lines[row][:end].encode()), note)


def _column(line: str, symbol: str, content: str, name: str, row: int) -> tuple[int, int]:
    if not symbol:
        return len(line) - len(line.lstrip()), len(line)
    within = max(line.find(content), 0)
    word = re.compile(rf"(?<!\w){re.escape(symbol)}(?!\w)")
    found = word.search(line, within) or word.search(line) or re.search(re.escape(symbol), line)
    if not found:
        raise Failed(f"line {row + 1} of {name} has no {symbol!r}")
    return found.start(), found.end()
