"""Whether text on the screen can be read: the colours of drawn cells, compared as WCAG 2 does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.tools import schemes

LEAST = 4.5  # : 1, WCAG's level AA for text

# What informs of nothing. Signs of the review, icons and the spinner are none of these: they are measured.
DECORATION = {
    "│": "the edge beside a body, and between two windows",
    "─": "the edge of a float",
    "╭": "the edge of a float",
    "╮": "the edge of a float",
    "╯": "the edge of a float",
    "╰": "the edge of a float",
    "━": "the rule between two queued prompts, whose words are measured",
    "├": "the edge of a table",
    "┼": "the edge of a table",
    "┤": "the edge of a table",
    "╱": "fills where a line is only on the other side of a diff",
    "~": "Neovim's own, below the end of a file",
}

# name -> how it is put on; Neovim's own by name, those of others from their records
SCHEMES: dict[str, tuple[str, str] | None] = {
    "default dark": ("default", "dark"),
    "default light": ("default", "light"),
    "habamax": ("habamax", "dark"),
    "retrobox dark": ("retrobox", "dark"),
    "retrobox light": ("retrobox", "light"),
    **dict.fromkeys(schemes.SCHEMES),
}

PUT_ON = """
local channel, name, own, facts = ...
vim.o.termguicolors = true
if own then
  vim.o.background = own[2]
  vim.cmd.colorscheme(own[1])
else
  vim.cmd.highlight("clear")
  vim.g.colors_name = nil
  vim.o.background = facts.background
  for group, value in pairs(facts.groups) do vim.api.nvim_set_hl(0, group, value) end
  vim.g.colors_name = name
  vim.api.nvim_exec_autocmds("ColorScheme", { pattern = name })
end
vim.cmd("redraw!")
vim.rpcnotify(channel, "test_event", "Drawn", { scheme = name })
"""
WINDOWS = """
return vim.tbl_map(function(win)
  local buf = vim.api.nvim_win_get_buf(win)
  local row, column = unpack(vim.api.nvim_win_get_position(win))
  local name, config = vim.api.nvim_buf_get_name(buf), vim.api.nvim_win_get_config(win)
  local ours = vim.bo[buf].filetype:find("^acp_") or name:find("^acp:") or vim.wo[win].diff or config.relative ~= ""
  return {
    name = vim.bo[buf].filetype .. " " .. vim.fs.basename(name), ours = ours and true or false,
    row = row, column = column, height = vim.api.nvim_win_get_height(win), width = vim.api.nvim_win_get_width(win),
    bar = (config.relative == "" and vim.o.laststatus == 2) and 1 or 0,
    edge = config.border and config.border[1] ~= "" and 1 or 0,
    above = vim.fn.getwininfo(win)[1].winbar, is_current = win == vim.api.nvim_get_current_win(),
  }
end, vim.api.nvim_tabpage_list_wins(0))
"""


class Run(NamedTuple):
    """Neighbouring cells of the same colours."""

    where: str
    text: str
    ratio: float
    foreground: int
    background: int

    def __str__(self) -> str:
        colours = f"#{self.foreground:06x} on #{self.background:06x}"
        return f"{self.ratio:4.1f}  {colours}  {self.where}: {self.text.strip()!r}"


def put_on(editor: Editor, name: str) -> None:
    """Change the colour scheme, and wait until the screen is drawn with it."""
    own = SCHEMES[name]
    facts = False if own else schemes.recorded(name)
    editor.lua(PUT_ON, editor.screen.channel, name, own or False, facts)
    editor.wait_event("Drawn", scheme=name)


def contrast(one: int, other: int) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: int) -> float:
    parts = [(colour >> shift & 255) / 255 for shift in (16, 8, 0)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def colours(screen: Screen, attributes: dict[str, Any]) -> tuple[int, int]:
    """Foreground and background as they are drawn."""
    shown = {**screen.colours, **attributes}
    pair = shown["foreground"], shown["background"]
    return (pair[1], pair[0]) if attributes.get("reverse") else pair


def runs(editor: Editor) -> Iterator[Run]:
    """All text in windows of ours with their bars, and in the user's files, as far as a scheme's syntax is not on."""
    screen, rows = editor.screen, editor.screen.cells()
    for window in editor.lua(WINDOWS):
        edge, first, ours = window["edge"], window["row"], window["ours"]
        left, right = window["column"], window["column"] + window["width"] + 2 * edge
        for row in range(first, first + window["height"] + 2 * edge + (window["bar"] if ours else 0)):
            is_bar = (row == first and window["above"]) or (row == first + window["height"] and not edge)
            current = "" if window["is_current"] else ", not current"
            where = f"{window['name']}{' (bar)' if is_bar else ''}{current}"
            measured = [
                (text, colours(screen, attributes))
                for text, attributes in rows[row][left:right]
                if text.strip() and text not in DECORATION
            ]
            for pair, cells in groupby(measured, key=lambda cell: cell[1]):
                yield Run(where, "".join(text for text, _ in cells), contrast(*pair), *pair)
