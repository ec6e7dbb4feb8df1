"""A screen as painters need it: rows of cells with their colours, and the cursor."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.functional.screen import Screen

UNDERLINES = ("underline", "undercurl", "underdouble", "underdotted", "underdashed")


class Cell(NamedTuple):
    text: str  # empty behind a wide character
    ink: str
    paper: str
    is_bold: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_struck: bool = False


class Look(NamedTuple):
    """What a user sees at one moment."""

    rows: tuple[tuple[Cell, ...], ...]
    cursor: tuple[int, int]  # row and column
    is_bar: bool  # the cursor stands between two cells, as in insert mode
    ink: str  # of text without a highlight
    paper: str


def look_at(screen: Screen) -> Look:
    with screen.changed:
        plain = screen.colours
        rows = tuple(
            tuple(cell_of(text, {**plain, **drawn}) for text, drawn in row) for row in screen.cells()
        )
        is_bar = screen.mode.startswith(("insert", "cmdline"))
        return Look(rows, screen.cursor, is_bar, code(plain["foreground"]), code(plain["background"]))


def cell_of(text: str, drawn: dict[str, Any]) -> Cell:
    ink, paper = code(drawn["foreground"]), code(drawn["background"])
    if drawn.get("reverse"):
        ink, paper = paper, ink
    is_underlined = any(map(drawn.get, UNDERLINES))
    return Cell(
        text,
        ink,
        paper,
        bool(drawn.get("bold")),
        bool(drawn.get("italic")),
        is_underlined,
        bool(drawn.get("strikethrough")),
    )


def code(colour: int) -> str:
    return f"#{colour:06x}"
