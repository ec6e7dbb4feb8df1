"""What a user sees of a program in a terminal, as a picture, as text and with its escape codes.

    python -m tests.tools.shot OUT.png [-x COLUMNS] [-y ROWS] [-k KEY]... -- nvim ...

A KEY is text to type, a key of tmux (`Enter`, `C-s`), or `wait:TEXT`: go on once TEXT is on the screen; `look`: once
nothing has changed for so long that a question may be answered.
Needs tmux, of which it uses a server of its own, and the fonts of `make fonts`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import pyte
from PIL import Image, ImageDraw, ImageFont
from pyte.screens import wcwidth

from tests.tools import fonts
from tests.tools.cells import Cell, Look
from tests.tools.fonts import Face

FOREGROUND, BACKGROUND = "d4d4d4", "1e1e1e"
NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
PLAIN = ("000000", "cd3131", "0dbc79", "e5e510", "2472c8", "bc3fbc", "11a8cd", "e5e5e5")
BRIGHT = ("666666", "f14c4c", "23d18b", "f5f543", "3b8eea", "d670d6", "29b8db", "ffffff")
PALETTE = dict(zip(NAMES, PLAIN, strict=True)) | {
    f"bright{name}": colour for name, colour in zip(NAMES, BRIGHT, strict=True)
}
KEY = re.compile(
    r"([CMS]-.+|Enter|Escape|Tab|BTab|BSpace|Space|Up|Down|Left|Right|Home|End|PageUp|PageDown|F\d+)$"
)


_numbers = itertools.count()


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, command: Sequence[str], columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        # a server that is being killed still has its socket
        self._server = f"shot-{os.getpid()}-{next(_numbers)}"
        options = ["default-terminal tmux-256color", "status off"]
        commands = [part for option in options for part in ("set", "-g", *option.split(), ";")]
        commands += ["set", "-ga", "terminal-overrides", ",*:Tc", ";", "set", "-sg", "escape-time", "0", ";"]
        start = ["new-session", "-d", "-s", "shot", "-x", str(columns), "-y", str(rows), "--", *command]
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("TMUX", None)
        self._tmux("-f", "/dev/null", "start-server", ";", *commands, *start, env=environment)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server", check=False)

    def _tmux(self, *command: str, check: bool = True, **options: Any) -> str:
        argv = ["tmux", "-L", self._server, *command]
        return subprocess.run(argv, check=check, capture_output=True, text=True, **options).stdout

    def press(self, key: str) -> None:
        if key.startswith("wait:"):
            self.wait_for(key.removeprefix("wait:"))
        elif key == "look":
            self.settle(0.8)
        elif KEY.match(key):
            self._tmux("send-keys", "-t", "shot", key)
        else:
            self._tmux("send-keys", "-t", "shot", "-l", key)

    def text(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "shot")

    def escaped(self) -> str:
        return self._tmux("capture-pane", "-e", "-p", "-N", "-t", "shot")

    def cursor(self) -> tuple[int, int]:
        column, row = self._tmux("display-message", "-p", "-t", "shot", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    def look(self) -> Look:
        return look_of(self.escaped(), self.cursor(), self.columns, self.rows)

    def wait_for(self, text: str, timeout: float = 20) -> None:
        end = time.monotonic() + timeout
        while text not in self.text():
            if time.monotonic() > end:
                raise SystemExit(f"{text!r} has not come:\n{self.text()}")
            time.sleep(0.02)

    def settle(self, quiet: float = 0.2, timeout: float = 5) -> None:
        """Until nothing has changed for a while."""
        seen, since = None, time.monotonic()
        end = since + timeout
        while time.monotonic() < min(end, since + quiet):
            if (now := self.escaped()) != seen:
                seen, since = now, time.monotonic()
            time.sleep(0.03)


class Picture:
    """A screen, painted."""

    def __init__(self, look: Look, size: int = 15) -> None:
        self._size, regular = size, font(fonts.FACES[fonts.PLAIN], size)
        self._width, self._height = round(regular.getlength("M")), sum(regular.getmetrics())
        extent = self._width * len(look.rows[0]), self._height * len(look.rows)
        self.image = Image.new("RGB", extent, look.paper)
        self._draw = ImageDraw.Draw(self.image)
        for number, row in enumerate(look.rows):
            for column, cell in enumerate(row):
                at_cursor = (number, column) == look.cursor
                self._cell(
                    column, number, cell._replace(ink=cell.paper, paper=cell.ink) if at_cursor else cell
                )

    def _cell(self, column: int, row: int, cell: Cell) -> None:
        if not cell.text:  # the second half of a wide character
            return
        is_wide = wcwidth(cell.text[0]) == 2
        left, top = column * self._width, row * self._height
        right, bottom = left + self._width * (1 + is_wide) - 1, top + self._height - 1
        self._draw.rectangle([left, top, right, bottom], fill=cell.paper)
        if cell.text.strip():
            face = Face(cell.is_bold, cell.is_italic)
            drawn_by = font(fonts.name_for(cell.text[0], face), self._size)
            self._draw.text((left, top), cell.text, font=drawn_by, fill=cell.ink)
        if cell.is_underlined:
            self._draw.line([left, bottom - 1, right, bottom - 1], fill=cell.ink)
        if cell.is_struck:
            middle = top + self._height // 2
            self._draw.line([left, middle, right, middle], fill=cell.ink)


@cache
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(fonts.path_of(name)), size)


def look_of(escaped: str, cursor: tuple[int, int], columns: int, rows: int) -> Look:
    """The screen that the escape codes draw; `cursor` is its column and row."""
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed("\x1b[?7l" + escaped.rstrip("\n").replace("\n", "\r\n"))
    cells = tuple(
        tuple(cell_of(screen.buffer[row][column]) for column in range(columns)) for row in range(rows)
    )
    return Look(cells, (cursor[1], cursor[0]), False, f"#{FOREGROUND}", f"#{BACKGROUND}")


def cell_of(drawn: Any) -> Cell:
    ink, paper = colour(drawn.fg, FOREGROUND), colour(drawn.bg, BACKGROUND)
    if drawn.reverse:
        ink, paper = paper, ink
    return Cell(drawn.data, ink, paper, drawn.bold, drawn.italics, drawn.underscore, drawn.strikethrough)


def colour(name: str, default: str) -> str:
    return f"#{default if name == 'default' else PALETTE.get(name, name)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "out", type=Path, metavar="OUT.png", help="OUT.txt and OUT.ansi are written beside it"
    )
    parser.add_argument("-x", "--columns", type=int, default=100)
    parser.add_argument("-y", "--rows", type=int, default=30)
    parser.add_argument("-k", "--key", action="append", default=[])
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    with Terminal(asked.command, asked.columns, asked.rows) as terminal:
        terminal.settle()
        for key in asked.key:
            terminal.press(key)
        terminal.settle()
        Picture(terminal.look()).image.save(asked.out)
        asked.out.with_suffix(".txt").write_text(terminal.text())
        asked.out.with_suffix(".ansi").write_text(terminal.escaped())


if __name__ == "__main__":
    main()
