"""Draws the change that a question asks about: the first lines of its diff, as many as the chat's window has room for.

│ 17 def total(orders):
│ -      result = 0
│ +      return sum(orders)
│ … 60 more lines, gd shows all
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from acp_nvim.chat.folded_body import INDENT
from acp_nvim.chat.phrases import cells
from acp_nvim.chat.splice import Row
from acp_nvim.chat.tool_body import HIGHLIGHTS
from acp_nvim.chat.tool_lines import relative
from acp_nvim.session.change_preview import MOST_ROWS, DiffRow, FilePreview
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.ansi import shown
from acp_nvim.text.printable import one_line

Room = tuple[int, int] | None  # rows and columns of the window; None if not known yet

_ICON = 2  # cells before the line of a call
_LEAST_WIDTH = 20  # of a wrapped row: 'breakindentopt'
_WORD = re.compile(r"[^ !@*\-+;:,./?]*[ !@*\-+;:,./?]*")  # 'breakat' ends one
_GROUNDS = {"-": HIGHLIGHTS["-"], "+": HIGHLIGHTS["+"]}
_LEAST = 2  # fewer rows of a diff are no help


def left(room: Room, others: Iterable[Row]) -> int:
    """Return how many rows a diff may take beside the other lines of its question."""
    if room is None:
        return MOST_ROWS + 1
    return room[0] - _sum(others, room[1])


def names(key: int, call: ToolCall, cwd: str) -> list[Row]:
    """Return the rows that name the files. A single file is named by the line of the call."""
    return [_name(each, cwd, key) for each in call.previews] if len(call.previews) > 1 else []


def changes(key: int, call: ToolCall, cwd: str, most: int, room: Room) -> Iterator[Row]:
    """Yield the rows of every file; of the diff at most `most` rows of the window, one of which says what is left
    out."""
    previews = call.previews
    width = max((each.gutter(MOST_ROWS) for each in previews), default=1)
    lines = [[_line(row, width, key) for row in each.rows[:MOST_ROWS]] for each in previews]
    total = sum(each.changed for each in previews)
    columns = room[1] if room else None
    notes = [_note(key, note) for note in dict.fromkeys(each.note for each in previews if each.note)]
    most -= _sum(notes, columns)
    drawn = _fitting(lines, min(most, MOST_ROWS), columns)
    if _changed(previews, drawn) < total:
        most -= _sum([_note(key, _more(total, True))], columns)
        drawn = _fitting(lines, min(most, MOST_ROWS), columns)
    if _changed(previews, drawn) < min(_LEAST, total):
        drawn = [0] * len(previews)
    for name, some, count in zip_longest(names(key, call, cwd), lines, drawn):
        yield from [name] if name else []
        yield from some[:count]
    if more := total - _changed(previews, drawn):
        yield _note(key, _more(more, any(drawn)))
    yield from notes


def _changed(previews: Sequence[FilePreview], drawn: Sequence[int]) -> int:
    """Count the changed lines that are drawn."""
    pairs = zip(previews, drawn, strict=True)
    return sum(row.sign in _GROUNDS for each, count in pairs for row in each.rows[:count])


def _more(count: int, is_rest: bool) -> str:
    lines = "line" if count == 1 else "lines"
    return f"… {count:,} more {lines}, gd shows all" if is_rest else f"… {count:,} {lines}, gd shows them"


def _fitting(files: Sequence[Sequence[Row]], most: int, columns: int | None) -> list[int]:
    """Return how many lines each file gets: none gets more than its share while another one has lines left."""
    counts = [0] * len(files)
    used, turn = 0, True
    while turn:
        turn = False
        for place, lines in enumerate(files):
            if counts[place] < len(lines):
                used += _sum([lines[counts[place]]], columns)
                if used > most:
                    return counts
                counts[place] += 1
                turn = True
    return counts


def _name(each: FilePreview, cwd: str, key: int) -> Row:
    path = one_line(relative(each.path, cwd))
    text = f"{INDENT}{path}"
    start = len(INDENT.encode())
    eol = [[f"  +{each.added}", "AcpAdded"], [f" −{each.removed}", "AcpRemoved"]]
    spans = [[start, len(text.encode()), "AcpPath"]]
    return text, {
        "kind": "question",
        "key": key,
        "spans": spans,
        "eol": eol if each.changed else None,
        "beside": start,
    }


def _line(row: DiffRow, width: int, key: int) -> Row:
    text = f"{INDENT}{shown(row.told(width))}".rstrip(" ")
    start = len(INDENT.encode())
    mark = {"kind": "question", "key": key}
    if ground := _GROUNDS.get(row.sign):
        return text, {**mark, "line_hl": ground}
    end = start + len(f"{row.number or row.sign}".encode())
    return text, {**mark, "spans": [[start, end, "AcpTime"]] if end <= len(text.encode()) else []}


def _note(key: int, text: str) -> Row:
    return f"{INDENT}{text}", {"kind": "question", "key": key, "line_hl": "AcpNote"}


def _sum(rows: Iterable[Row], columns: int | None) -> int:
    return sum(height(row, columns) if columns else 1 for row in rows)


def height(row: Row, columns: int) -> int:
    """Return the window rows of a line, broken as Neovim does with 'linebreak' and 'breakindent'."""
    text, mark = _drawn(row)
    beside = "".join(chunk for chunk, _ in (mark or {}).get("eol") or ())
    icon = _ICON * bool(mark and mark.get("icon"))
    taken = icon + cells(text) + cells(beside)
    if taken <= columns:
        return 1
    begins = len(INDENT) if text.startswith(INDENT) else len(text) - len(text.lstrip(" "))
    indent = max(0, min(begins, columns - _LEAST_WIDTH))
    rows, used = 1, icon
    for word in [*_WORD.findall(text), beside]:
        size = cells(word)
        bare = size - (len(word) - len(word.rstrip(" ")))
        if used + bare > columns and used > indent:
            rows, used = rows + 1, indent
        room = max(1, columns - indent)
        if used + bare > columns:
            rows, size = rows + -(-(used + bare - columns) // room), (used + bare - columns) % room
            used = indent
        used += size
    return rows


def _drawn(row: Row) -> Row:
    """Return the line with its virtual text."""
    text, mark = row
    for column, sign, _ in reversed((mark or {}).get("inline") or ()):
        told = text.encode()
        text = told[:column].decode() + sign + told[column:].decode()
    return text, mark
