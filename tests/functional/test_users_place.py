"""A save that the user did not ask for runs the user's autocommands: cursor, view, selection, a command that waits,
jump list, marks and closed folds are as before, in every window of the buffer."""

from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import Editor
from tests.steps.files import join_lines, write
from tests.steps.turns import Play

Open = Callable[..., Editor]
TEXT = [f"line {n} of the text  " if n % 7 == 0 else f"line {n} of the text" for n in range(1, 61)]
FORMATTERS = {
    "does nothing": "let g:saved = 1",
    "cuts blanks": r"%s/\s\+$//e",
    "goes to the end": "normal! G",
    "filters": "%!cat",
    "filters and cuts blanks": "%!sed 's/ *$//'",
    "selects": r"execute 'normal! ggVG' . nr2char(27)",
    "jumps": "normal! gg50G2jHL15G",
}
STATE = """
  local seen = { vim.fn.getpos("v"), vim.fn.getpos("'<"), vim.fn.getpos("'>"), vim.fn.visualmode(), vim.fn.getpos("'["),
    vim.fn.getpos("']"), vim.api.nvim_get_current_win(), vim.fn.getcurpos(), vim.api.nvim_get_mode() }
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    vim.api.nvim_win_call(win, function()
      local jumps, at = unpack(vim.fn.getjumplist())
      local folds = vim.fn.map(vim.fn.range(1, vim.fn.line("$")), "foldclosed(v:val)")
      local rows = vim.tbl_map(function(jump) return jump.lnum end, jumps)
      local view = vim.tbl_extend("force", vim.fn.winsaveview(), { topfill = 0 })
      table.insert(seen, { win, view, rows, at, vim.fn.getpos("''"), folds })
    end)
  end
  return seen
"""
AT = "return { vim.api.nvim_get_mode().mode, vim.fn.line('.'), vim.fn.col('.') }"


class Work(NamedTuple):
    """What the user is doing when the agent writes, and what the next keys make of it."""

    keys: str
    at: tuple[str, int, int]  # mode, line and column then
    then: str
    make: Callable[[list[str]], list[str]]


def change(first: int, last: int, *new: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [*lines[: first - 1], *new, *lines[last:]]


WORK = {
    "normal": Work("20G3|zt", ("n", 20, 3), "x", change(20, 20, "lie 20 of the text")),
    "after jumps": Work("10G40G30Gzz", ("n", 30, 1), "dd", change(30, 30)),
    "insert": Work("20Gwiwor", ("i", 20, 9), "ld ", change(20, 20, "line world 20 of the text")),
    "insert at the end": Work("20GA wor", ("i", 20, 24), "ld", change(20, 20, "line 20 of the text world")),
    "insert a line": Work("20Gowor", ("i", 21, 4), "ld", change(20, 20, "line 20 of the text", "world")),
    "replace": Work("20GRwor", ("R", 20, 4), "ld", change(20, 20, "world20 of the text")),
    "V": Work("10GV2j", ("V", 12, 1), "d", change(10, 12)),
    "V upwards": Work("12GV2k", ("V", 10, 1), "d", change(10, 12)),
    "v": Work("10G3|vjj", ("v", 12, 3), "d", change(10, 12, "lie 12 of the text")),
    "block": Work(
        "10G3|<C-v>jl", ("\x16", 11, 4), "d", change(10, 11, "li 10 of the text", "li 11 of the text")
    ),
    "block to the end": Work("10G3|<C-v>j$", ("\x16", 11, 20), "d", change(10, 11, "li", "li")),
    "select": Work("10G3|vl<C-g>", ("s", 10, 4), "x", change(10, 10, "lix 10 of the text")),
    "folds": Work(":30,35fold | 40,42fold<CR>20G", ("n", 20, 1), "jdd", change(21, 21)),
}


RESET = """
  vim.cmd("normal! zE")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)
  vim.cmd("noautocmd silent write | 15mark [ | 16mark ] | clearjumps")
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("normal! vj\\27")
"""


@pytest.mark.parametrize("windows", [1, 2])
@pytest.mark.parametrize("formatter", list(FORMATTERS))
def test_the_next_key_means_what_it_meant(
    open_editor: Open, tmp_path: Path, formatter: str, windows: int
) -> None:
    play = Play(open_editor, tmp_path, join_lines(TEXT), size=(120, 50))
    editor = play.editor
    play.do(f"set scrolloff=0 foldmethod=manual | autocmd BufWritePre notes.txt {FORMATTERS[formatter]}")
    if windows == 2:
        editor.type(":split<CR>45Gzb<C-w>j")
    play.turn()
    wrong = {}
    for name, (keys, at, then, make) in WORK.items():
        editor.lua(RESET, TEXT)
        play.read()
        editor.type(keys)
        editor.expect_lua(AT, list(at))
        before = editor.lua(STATE)
        play.write(["AGENT 1", *TEXT[1:]])
        after = editor.lua(STATE)
        editor.type(f"{then}<Esc>")
        editor.expect_lua("return vim.api.nvim_get_mode().mode", "n")
        wanted = make(["AGENT 1", *TEXT[1:]])
        if formatter.endswith("cuts blanks"):
            wanted = [line.rstrip() for line in wanted]
        lines = play.lines()
        if after != before or lines != wanted:
            changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
            wrong[name] = changed, [pair for pair in zip_longest(wanted, lines) if pair[0] != pair[1]][:3]
    assert not wrong


KEYS_AFTER = """
  return { vim.api.nvim_get_mode().mode, vim.api.nvim_buf_get_lines(vim.fn.bufnr("other.txt"), 0, -1, false) }
"""


@pytest.mark.parametrize("keys", ["d", "gU", "c", "v2j", "Vj", "ione "])
def test_what_the_user_does_in_another_file_goes_on(open_editor: Open, tmp_path: Path, keys: str) -> None:
    """The file that is written stands beside it: a command that waits there has nothing to do with it."""
    play = Play(open_editor, tmp_path, join_lines(TEXT), size=(120, 50))
    editor = play.editor
    play.do(f"set scrolloff=0 | autocmd BufWritePre notes.txt {FORMATTERS['selects']}")
    editor.type(":split other.txt<CR>:call setline(1, ['a b', 'c d', 'e f', 'g h'])<CR>")
    play.turn()
    play.read()
    editor.type(f"2G{keys}")
    wanted = {"d": "no", "gU": "no", "c": "no", "v2j": "v", "Vj": "V", "ione ": "i"}[keys]
    wait_until(lambda: editor.mode()["mode"] == wanted)
    play.order(write(str(play.path), join_lines(["AGENT 1", *TEXT[1:]])), wait=False)
    wait_until(lambda: play.path.read_text().startswith("AGENT 1"))
    assert editor.mode()["mode"] == wanted
    editor.type("jd<Esc>" if keys in ("v2j", "Vj") else "j<Esc>" if wanted == "no" else "two<Esc>")
    left = {
        "d": ["a b", "g h"],
        "gU": ["a b", "C D", "E F", "g h"],
        "c": ["a b", "", "g h"],
        "v2j": ["a b", " h"],
        "Vj": ["a b"],
        "ione ": ["a b", "one twoc d", "e f", "g h"],
    }[keys]
    editor.expect_lua(KEYS_AFTER, ["n", left])
