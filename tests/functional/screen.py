"""What a user sees: a UI attached to a real Neovim, kept as a grid of cells with their highlights."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from tests.functional.connection import GONE, Connection

Cell = tuple[str, int]
PATIENCE = 10.0  # seconds; a test that passes never waits so long


class Grid:
    """The redraw events of ext_linegrid, applied; what is between two flushes is on no screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self.highlights: dict[int, dict[str, Any]] = {}
        self.mode = ""
        self.flushes = 0
        self._cursor = (0, 0)
        self.grid_resize(1, columns, rows)
        self.show()

    def redraw(self, batches: list[Any]) -> None:
        for event, *calls in batches:
            if apply := getattr(self, event, None):
                for arguments in calls:
                    apply(*arguments)

    def grid_resize(self, _grid: int, columns: int, rows: int) -> None:
        self._drawn: list[list[Cell]] = [[(" ", 0)] * columns for _ in range(rows)]

    def grid_clear(self, _grid: int) -> None:
        self._drawn = [[(" ", 0)] * len(row) for row in self._drawn]

    def grid_line(self, _grid: int, row: int, column: int, cells: list[Any], *_wrap: bool) -> None:
        highlight = 0
        for text, *rest in cells:
            highlight = rest[0] if rest else highlight
            for _ in range(rest[1] if len(rest) > 1 else 1):
                self._drawn[row][column] = (text, highlight)
                column += 1

    def grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _c: int
    ) -> None:
        before = [row[:] for row in self._drawn]
        for row in range(max(top, top - rows), min(bottom, bottom - rows)):
            self._drawn[row][left:right] = before[row + rows][left:right]

    def grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self._cursor = (row, column)

    def mode_change(self, mode: str, _index: int) -> None:
        self.mode = mode

    def hl_attr_define(self, number: int, rgb: dict[str, Any], _cterm: Any, _info: Any) -> None:
        self.highlights[number] = rgb

    def default_colors_set(self, foreground: int, background: int, *_rest: int) -> None:
        self.colours = {"foreground": foreground, "background": background}

    def flush(self) -> None:
        self.flushes += 1
        self.show()

    def show(self) -> None:
        self.cells = [row[:] for row in self._drawn]
        self.cursor = self._cursor


class Screen:
    """A user before Neovim: its own connection on its own thread, so that nothing a test does delays it."""

    def __init__(self, address: str, columns: int, rows: int) -> None:
        self.size = (columns, rows)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.changed = threading.Condition()
        self._grid = Grid(columns, rows)
        self._ended: str | None = None
        self._thread = threading.Thread(target=self._watch, args=(address,), daemon=True)
        self._thread.start()
        # what is typed before the first flush is lost in the attaching
        self.expect(lambda screen: screen.flushes > 0 and self.channel, what="the first redraw")

    def _watch(self, address: str) -> None:
        self.channel = 0
        try:
            with closing(Connection(address)) as nvim:
                self.channel = nvim.request("nvim_get_chan_info", 0)["id"]
                nvim.notify("nvim_ui_attach", *self.size, {"rgb": True, "ext_linegrid": True})
                for name, arguments in nvim.notifications():
                    self._notified(name, arguments)
        except GONE as error:
            with self.changed:
                self._ended = f"{type(error).__name__} {error}"
                self.changed.notify_all()

    def _notified(self, name: str, arguments: list[Any]) -> None:
        with self.changed:
            if name == "redraw":
                self._grid.redraw(arguments)
            elif name == "test_event":
                self.events.append((arguments[0], arguments[1]))
            self.changed.notify_all()

    def wait_for(self, condition: Callable[[], object], timeout: float) -> bool:
        """Until the condition holds; it is looked at again whenever Neovim says anything."""
        with self.changed:
            return bool(self.changed.wait_for(lambda: condition() or self._ended, timeout) and condition())

    def wait_for_anything(self, timeout: float) -> None:
        with self.changed:
            self.changed.wait(timeout)

    def close(self) -> None:
        self._thread.join(PATIENCE)

    @property
    def flushes(self) -> int:
        return self._grid.flushes

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column, from 0."""
        return self._grid.cursor

    @property
    def mode(self) -> str:
        return self._grid.mode

    @property
    def colours(self) -> dict[str, int]:
        """The default foreground and background."""
        return self._grid.colours

    def lines(self) -> list[str]:
        with self.changed:
            return ["".join(text for text, _ in row).rstrip() for row in self._grid.cells]

    def text(self) -> str:
        return "\n".join(self.lines())

    def find(self, needle: str) -> tuple[int, int]:
        """Row and column of the first cell of the text, as soon as it is on the screen."""
        self.expect(needle)
        with self.changed:
            for row, cells in enumerate(self._grid.cells):
                starts, line = [], ""
                for column, (text, _) in enumerate(cells):
                    starts += [column] * len(text)
                    line += text
                if needle in line:
                    return row, starts[line.index(needle)]
        raise AssertionError(f"{needle!r} is not on the screen\n{self.picture()}")

    def attrs(self, needle: str) -> dict[str, Any]:
        """The highlight of the first cell of the text: foreground, background, bold, italic …"""
        row, column = self.find(needle)
        return self.attrs_at(row, column)

    def attrs_at(self, row: int, column: int) -> dict[str, Any]:
        with self.changed:
            return dict(self._grid.highlights.get(self._grid.cells[row][column][1], {}))

    def cells(self) -> list[list[tuple[str, dict[str, Any]]]]:
        """Every cell with its highlight, row by row."""
        with self.changed:
            highlights = self._grid.highlights
            return [[(text, highlights.get(hl, {})) for text, hl in row] for row in self._grid.cells]

    def expect(
        self, wanted: str | Callable[[Screen], object], timeout: float = PATIENCE, what: str | None = None
    ) -> None:
        """Wait until a text is on the screen, or until a condition on the screen holds."""
        met = (lambda: wanted in self.text()) if isinstance(wanted, str) else (lambda: wanted(self))
        if not self.wait_for(met, timeout):
            raise AssertionError(f"{what or repr(wanted)}: not within {timeout} s\n{self.picture()}")

    def expect_gone(self, text: str, timeout: float = PATIENCE) -> None:
        self.expect(lambda screen: text not in screen.text(), timeout, f"{text!r} leaves the screen")

    def picture(self) -> str:
        """The screen in a frame, for the messages of failing tests."""
        with self.changed:
            edge = "-" * len(self._grid.cells[0])
            state = f"mode {self.mode or '?'}, cursor {self.cursor}, {self._ended or 'connected'}"
            framed = [f"|{line.ljust(len(edge))}|" for line in self.lines()]
            return "\n".join([f"+{edge}+", *framed, f"+{edge}+", state])


def within(seconds: float) -> Callable[[], float]:
    """A deadline: the seconds that are left of it."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()
