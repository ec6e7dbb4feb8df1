"""What a user sees of a program in a terminal, as a picture, as text and with its escape codes.

    shot.py OUT.png [-x COLUMNS] [-y ROWS] [-k KEY]... -- nvim ...

A KEY is text to type, a key of tmux (`Enter`, `C-s`), or `wait:TEXT`: go on once TEXT is on the screen; `look`: once
nothing has changed for so long that a question may be answered.
Needs tmux and a monospaced TrueType font; it uses a tmux server of its own.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyte
from PIL import Image, ImageDraw, ImageFont
from pyte.screens import wcwidth

FONTS = Path("/usr/share/fonts/truetype/dejavu")
FACES = {
    (False, False): "DejaVuSansMono.ttf",
    (True, False): "DejaVuSansMono-Bold.ttf",
    (False, True): "DejaVuSansMono-Oblique.ttf",
    (True, True): "DejaVuSansMono-BoldOblique.ttf",
}
WIDER = "DejaVuSans.ttf"  # has what the monospaced one lacks: the frames of a spinner
MISSING = "\U000fffff"
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
    """A screen full of escape codes, painted."""

    def __init__(self, columns: int, rows: int, size: int = 15) -> None:
        self._fonts = {face: ImageFont.truetype(str(FONTS / name), size) for face, name in FACES.items()}
        self._wider = ImageFont.truetype(str(FONTS / WIDER), size)
        regular = self._fonts[False, False]
        self._width, self._height = round(regular.getlength("M")), sum(regular.getmetrics()) + 2
        self.image = Image.new("RGB", (self._width * columns, self._height * rows), f"#{BACKGROUND}")
        self._draw = ImageDraw.Draw(self.image)
        self._screen = pyte.Screen(columns, rows)

    def paint(self, escaped: str, cursor: tuple[int, int]) -> None:
        pyte.Stream(self._screen).feed("\x1b[?7l" + escaped.rstrip("\n").replace("\n", "\r\n"))
        for row in range(self._screen.lines):
            for column in range(self._screen.columns):
                self._cell(column, row, self._screen.buffer[row][column], (column, row) == cursor)

    def _cell(self, column: int, row: int, cell: Any, under_cursor: bool) -> None:
        ink, paper = colour(cell.fg, FOREGROUND), colour(cell.bg, BACKGROUND)
        if cell.reverse != under_cursor:
            ink, paper = paper, ink
        wide = bool(cell.data) and wcwidth(cell.data[0]) == 2
        left, top = column * self._width, row * self._height
        right, bottom = left + self._width * (1 + wide) - 1, top + self._height - 1
        if cell.data:  # the second half of a wide character has none
            self._draw.rectangle([left, top, right, bottom], fill=paper)
        if cell.data.strip():
            self._draw.text((left, top + 1), cell.data, font=self._font(cell), fill=ink)
        if cell.underscore:
            self._draw.line([left, bottom - 1, right, bottom - 1], fill=ink)
        if cell.strikethrough:
            middle = top + self._height // 2
            self._draw.line([left, middle, right, middle], fill=ink)

    def _font(self, cell: Any) -> ImageFont.FreeTypeFont:
        font = self._fonts[cell.bold, cell.italics]
        is_missing = not cell.data.isascii() and bytes(font.getmask(cell.data)) == bytes(
            font.getmask(MISSING)
        )
        return self._wider if is_missing else font


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
        picture = Picture(asked.columns, asked.rows)
        picture.paint(terminal.escaped(), terminal.cursor())
        picture.image.save(asked.out)
        asked.out.with_suffix(".txt").write_text(terminal.text())
        asked.out.with_suffix(".ansi").write_text(terminal.escaped())


if __name__ == "__main__":
    main()
