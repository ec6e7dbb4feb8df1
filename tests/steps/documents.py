"""Steps with a file in a buffer, by the calls of the backend: look at it, edit and save it, take up the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.functional.editor import Editor

Edits = list[list[Any]]
TEN = [f"line {n}" for n in range(1, 11)]
LOOK = """local buf = require("acp_nvim.documents.find").find(...)
if not buf then return nil end
local bo, text = vim.bo[buf], require("acp_nvim.documents.text").of_buffer(buf)
return {
  buf = buf, modified = bo.modified, count = vim.api.nvim_buf_line_count(buf), bomb = text.bom, ff = text.ff,
  fenc = bo.fileencoding, final = text.final and #text.lines > 0, lines = text.lines,
  plain = require("acp_nvim.documents.read").read(...).plain or false,
}"""
WRITE = """local path, edits, options = ...
local buf = require("acp_nvim.documents.find").find(path)
return require("acp_nvim.documents.edit_and_save").run(buf, edits, options)"""


def look_at(editor: Editor, path: Path) -> Any:
    """Return what a loaded file holds and how it is written; None: no buffer has it."""
    return editor.lua(LOOK, str(path))


def edit_and_save(editor: Editor, path: Path, edits: Edits, **options: Any) -> Any:
    """Carry out line edits in the buffer of a file as one undo step, and save it; return the answer."""
    return editor.lua(WRITE, str(path), edits, {"autocmds": True, **options})


def sync_disk(editor: Editor, path: Path) -> Any:
    """Let the buffer take up what its file holds; return the answer."""
    return editor.lua("return require('acp_nvim.documents.disk_into_buffer').sync({ path = ... })", str(path))


def open_text(editor: Editor, text: bytes | str, name: str = "a.txt", command: str = "edit") -> Path:
    """Open a new file of the project with this text, by a command such as :split."""
    path = editor.project / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    editor.lua("require('acp_nvim.documents.origin').watch()")
    editor.lua("vim.cmd[select(1, ...)](vim.fn.fnameescape(select(2, ...)))", command, str(path))
    return path


def open_ten(editor: Editor) -> Path:
    """Open a file of ten lines."""
    return open_text(editor, "\n".join(TEN) + "\n")


def read_lines(editor: Editor, path: Path) -> list[str]:
    """Return the lines of the buffer of a file."""
    return list(editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", str(path)))


def read_state(editor: Editor, path: Path) -> Any:
    """Return what a failure must leave as it was: lines, undo, format, view."""
    code = """local buf = vim.fn.bufnr(...)
    return vim.api.nvim_buf_call(buf, function()
      local tree, bo = vim.fn.undotree(), vim.bo[buf]
      local undo = { tree.seq_cur, #tree.entries }
      local format = { bo.endofline, bo.fixendofline, bo.fileformat, bo.bomb, bo.modified, vim.o.shortmess }
      return { vim.api.nvim_buf_get_lines(buf, 0, -1, false), undo, format, vim.fn.winsaveview() }
    end)"""
    return editor.lua(code, str(path))


def expect_rest(editor: Editor) -> None:
    """Neovim waits at no prompt."""
    assert editor.mode()["blocking"] is False
    assert "Press ENTER" not in editor.screen.text()


PLACES = """
local path = ...
local first = vim.api.nvim_get_current_win()
local buf = vim.api.nvim_get_current_buf()
vim.cmd("keepalt split")
local second = vim.api.nvim_get_current_win()
for _, win in ipairs({ first, second }) do
  vim.api.nvim_win_call(win, function()
    vim.wo.foldmethod = "manual"
    vim.cmd("30,35fold")
    vim.cmd("50,52fold")
  end)
end
vim.api.nvim_win_call(first, function() vim.cmd("normal! 10Gm'40G40Gzt3l") end)
vim.api.nvim_win_call(second, function() vim.cmd("normal! 60Gzz4l") end)
for mark, line in pairs({ a = 20, b = 41, C = 60, d = 2 }) do
  vim.api.nvim_buf_set_mark(buf, mark, line, 2, {})
end
local ns = vim.api.nvim_create_namespace("another plugin")
for _, row in ipairs({ 1, 19, 39, 59 }) do
  vim.api.nvim_buf_set_extmark(buf, ns, row, 2, { end_row = row, end_col = 4 })
end
vim.api.nvim_win_call(first, function() vim.cmd("redraw") end)
"""


KEPT = """
local path = ...
local buf = vim.fn.bufnr(path)
local function text(row) return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] end
local kept = { mode = vim.api.nvim_get_mode().mode, current = vim.api.nvim_get_current_win(), alt = vim.fn.bufnr("#") }
for _, win in ipairs(vim.fn.win_findbuf(buf)) do
  vim.api.nvim_win_call(win, function()
    local folds = {}
    for line = 1, vim.fn.line("$") do
      if vim.fn.foldclosed(line) == line then
        folds[#folds + 1] = text(line - 1) .. " - " .. text(vim.fn.foldclosedend(line) - 1)
      end
    end
    local jumps = {}
    for _, jump in ipairs(vim.fn.getjumplist()[1]) do
      jumps[#jumps + 1] = jump.bufnr == buf and text(jump.lnum - 1) or nil
    end
    local cursor = vim.api.nvim_win_get_cursor(0)
    local top = text(vim.fn.line("w0") - 1)
    kept["window " .. win] = { text(cursor[1] - 1), cursor[2], top, vim.fn.winline(), folds, jumps }
  end)
end
for _, mark in ipairs({ "a", "b", "C", "d", "." }) do
  local at = vim.api.nvim_buf_get_mark(buf, mark)
  kept["mark " .. mark] = { text(at[1] - 1) or "none", at[2] }
end
local ns = vim.api.nvim_create_namespace("another plugin")
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
  kept["extmark " .. mark[1]] = { text(mark[2]), mark[3], text(mark[4].end_row), mark[4].end_col }
end
return kept
"""
