"""Draws the change that a question asks about: the first lines of its diff, as many as the chat's window has room for.

│ 17   def total(orders):
│ 18 -     result = 0  … 2 more
│ 18 +     return sum(orders)
│ … 60 more lines, gd shows all
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from acp_nvim.chat.change_excerpt import CHANGED, Excerpt
from acp_nvim.chat.diff_line import HIGHLIGHTS, draw
from acp_nvim.chat.folded_body import INDENT
from acp_nvim.chat.phrases import cells
from acp_nvim.chat.splice import Mark, Row
from acp_nvim.chat.tool_lines import changed_lines, relative
from acp_nvim.session.change_preview import MOST_ROWS, DiffRow, FilePreview
from acp_nvim.text.printable import visible

Room = tuple[int, int] | None  # rows and columns of the window; None if not known yet

_ICON = 2  # cells before the line of a call
_TAB = 8  # 'tabstop', unless the user has set a smaller one
_LEAST_WIDTH = 20  # of a wrapped row: 'breakindentopt'
_NARROW = 40  # columns: fewer have no room for line numbers
_GUTTER = r" *\d+ [-+ ] |[-+ ] "
# Below the end of its match wrapped rows begin: 'formatlistpat'
_BEGINNING = re.compile(rf"{INDENT}(?:{_GUTTER})?|    \d+ | *", re.ASCII)
_WORD = re.compile(r"[^ !@*\-+;:,./?]*[ !@*\-+;:,./?]*")  # 'breakat' ends one
_LEAST = 2  # fewer rows of a diff are no help


def left(room: Room, others: Iterable[Row]) -> int:
    """Return how many rows a diff may take beside the other lines of its question."""
    if room is None:
        return MOST_ROWS + 1
    return room[0] - _sum(others, room[1])


def names(key: int, previews: Sequence[FilePreview], cwd: str) -> list[Row]:
    """Return the rows that name the files. A single file is named by the line of the call."""
    return [_name(each, cwd, key) for each in previews] if len(previews) > 1 else []


def changes(key: int, previews: Sequence[FilePreview], cwd: str, most: int, room: Room) -> Iterator[Row]:
    """Yield the rows of every file; of the diff at most `most` rows of the window, one of which says what is left
    out."""
    columns = room[1] if room else None
    notes = [_note(key, note) for note in dict.fromkeys(each.note for each in previews if each.note)]
    most -= _sum(notes, columns)
    total = sum(each.changed for each in previews)
    drawn = _fitting(previews, key, min(most, MOST_ROWS), columns)
    if total > _told(drawn):
        most -= _sum([_note(key, _more(total, True))], columns)
        drawn = _fitting(previews, key, min(most, MOST_ROWS), columns)
    if _changed(drawn) < min(_LEAST, total):
        drawn = [_Drawn() for _ in previews]
    for name, each in zip_longest(names(key, previews, cwd), drawn):
        yield from [name] if name else []
        yield from each.lines
    if more := total - _told(drawn):
        yield _note(key, _more(more, _changed(drawn) > 0))
    yield from notes


class _Drawn(NamedTuple):
    """What is drawn of one file."""

    rows: Sequence[DiffRow] = ()
    lines: Sequence[Row] = ()


def _changed(drawn: Sequence[_Drawn]) -> int:
    """Count the changed lines that are drawn."""
    return sum(row.sign in CHANGED for each in drawn for row in each.rows)


def _told(drawn: Sequence[_Drawn]) -> int:
    """Count the changed lines that are drawn, and those that a row says are left out behind it."""
    return _changed(drawn) + sum(row.more for each in drawn for row in each.rows)


def _more(count: int, is_rest: bool) -> str:
    lines = "line" if count == 1 else "lines"
    return f"… {count:,} more {lines}, gd shows all" if is_rest else f"… {count:,} {lines}, gd shows them"


def _fitting(previews: Sequence[FilePreview], key: int, most: int, columns: int | None) -> list[_Drawn]:
    """Return what there is room for: no file gets more than its share while another one has rows left."""
    excerpts = [Excerpt(each.rows, MOST_ROWS) for each in previews]
    is_narrow = columns is not None and columns < _NARROW
    width = 0 if is_narrow else max((each.gutter for each in excerpts), default=0)

    def of(excerpt: Excerpt, path: str) -> _Drawn:
        rows = excerpt.rows()
        return _Drawn(rows, [_line(row, width, path, key) for row in rows])

    drawn = [_Drawn() for _ in previews]
    heights = [0] * len(previews)
    is_growing = True
    while is_growing:
        is_growing = False
        for place, excerpt in enumerate(excerpts):
            if not excerpt.take():
                continue
            now = of(excerpt, previews[place].path)
            height_now = _sum(now.lines, columns)
            if sum(heights) - heights[place] + height_now > most:
                excerpt.drop()
                continue
            drawn[place], heights[place] = now, height_now
            is_growing = True
    return drawn


def _name(each: FilePreview, cwd: str, key: int) -> Row:
    path = visible(relative(each.path, cwd))
    text = f"{INDENT}{path}"
    start = len(INDENT.encode())
    (first, colour), *second = changed_lines(each.added or 0, each.removed or 0)
    eol = [[" refused", "AcpWarning"]] if each.is_refused else [[f" {first}", colour], *second]
    spans = [[start, len(text.encode()), "AcpPath"]]
    return text, {
        "kind": "question",
        "key": key,
        "spans": spans,
        "eol": eol if each.changed or each.is_refused else None,
        "beside": start,
    }


def _line(row: DiffRow, width: int, path: str, key: int) -> Row:
    bare, more = draw(row, width, path)
    text = f"{INDENT}{bare}"
    mark: Mark = {"kind": "question", "key": key, **more}
    if row.sign in CHANGED:
        mark["line_hl"] = HIGHLIGHTS[row.sign]
    if row.more:
        end = len(text.encode())
        text += f"  … {row.more:,} more"
        mark["spans"].append([end, len(text.encode()), "AcpNote"])
    return text, mark


def _note(key: int, text: str) -> Row:
    text = f"{INDENT}{text}"
    spans = [[len(INDENT.encode()), len(text.encode()), "AcpNote"]]
    return text, {"kind": "question", "key": key, "spans": spans}


def _sum(rows: Iterable[Row], columns: int | None) -> int:
    return sum(height(row, columns) if columns else 1 for row in rows)


def height(row: Row, columns: int) -> int:
    """Return the window rows of a line, broken as Neovim does with 'linebreak' and 'breakindent'."""
    text, mark = _drawn(row)
    text = text.expandtabs(_TAB)
    beside = "".join(chunk for chunk, _ in (mark or {}).get("eol") or ())
    icon = _ICON * bool(mark and mark.get("icon"))
    if icon + cells(text) + cells(beside) <= columns:
        return 1
    beginning = _BEGINNING.match(text)
    begins = len(beginning[0]) if beginning else 0
    indent = max(0, min(begins, columns - _LEAST_WIDTH))
    rows, used = 1 + bool(beside), icon
    for word in _WORD.findall(text):
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
