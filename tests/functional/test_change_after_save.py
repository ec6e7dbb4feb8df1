"""Another program changes a file just after our own save: its lines come into the buffer when the user looks at it, or
with the turn's end."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import Editor
from tests.steps.files import join_lines, read_disk
from tests.steps.processes import find_backend
from tests.steps.review import TEN
from tests.steps.turns import Play

Open = Callable[..., Editor]
# It comes before the backend has heard that we have saved, or after that.
ANOTHER_PROGRAM = """
local backend = ... ~= vim.NIL and ... or nil
vim.api.nvim_create_autocmd('BufWritePost', { pattern = 'notes.txt', callback = function()
  if backend then vim.uv.kill(backend, 'sigstop') end
  vim.defer_fn(function()
    local text = table.concat(vim.fn.readfile('notes.txt'), '\\n') .. '\\n'
    local file = vim.uv.fs_open('notes.txt', 'r+', 420)
    vim.uv.fs_write(file, (text:gsub('line 5', 'LINE 5')), 0) -- as many bytes, in the same file
    vim.uv.fs_close(file)
    if backend then vim.uv.kill(backend, 'sigcont') end
  end, backend and 0 or 100)
end })
"""
AGENTS = ["agent's", *TEN[1:]]
BOTH = [*AGENTS[:4], "LINE 5", *AGENTS[5:]]


def saved(open_editor: Open, tmp_path: Path, is_early: bool) -> Play:
    """The agent has written notes.txt through us, and the other program has changed a line of it."""
    play = Play(open_editor, tmp_path, init="vim.o.autoread = false")
    play.editor.lua(ANOTHER_PROGRAM, find_backend(play.editor) if is_early else None)
    play.turn()
    play.read()
    play.write(AGENTS)
    wait_until(lambda: read_disk(play.editor) == join_lines(BOTH))
    return play


@pytest.mark.cold
@pytest.mark.parametrize("is_early", [True, False])
def test_it_is_taken_up_in_the_turn(open_editor: Open, tmp_path: Path, is_early: bool) -> None:
    play = saved(open_editor, tmp_path, is_early)
    play.editor.type(":checktime<CR>")
    play.editor.expect_lua("return vim.fn.getline(5)", "LINE 5", timeout=4)
    assert play.lines() == BOTH
    assert play.editor.lua("return vim.bo.modified") is False
    assert play.read() == join_lines(BOTH)


@pytest.mark.cold
@pytest.mark.parametrize("is_early", [True, False])
def test_it_is_taken_up_when_the_turn_ends(open_editor: Open, tmp_path: Path, is_early: bool) -> None:
    play = saved(open_editor, tmp_path, is_early)
    play.end()
    play.editor.expect_lua("return vim.fn.getline(5)", "LINE 5")
    assert play.lines() == BOTH
