"""Agents that write through the editor and the disk at once (opencode): unsaved lines never pass for saved ones."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import ask, on_prompt, script, touch, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, open_notes, read_disk, write

Open = Callable[..., Editor]
OLD = "one\ntwo\nthree\n"
NEW = "ONE\ntwo\nthree\n"
# The plugin's own autocommand comes after it: by then the agent has written the file, and its stamp is no young one.
WHILE_IT_IS_SAVED = """
local folder = %r
vim.api.nvim_create_autocmd("BufWritePost", { once = true, callback = function(event)
  vim.fn.writefile({}, folder .. "/saved")
  local deadline = vim.uv.hrtime() + 5e9
  local function is_over()
    local stat = vim.uv.fs_stat(folder .. "/done") and vim.uv.fs_stat(event.match)
    local sec, usec = vim.uv.gettimeofday()
    return stat and (sec - stat.mtime.sec) * 1e3 + usec / 1e3 - stat.mtime.nsec / 1e6 > 100
  end
  while not is_over() and vim.uv.hrtime() < deadline do end
end })
"""


def test_the_disk_is_written_while_the_editor_saves(open_editor: Open, tmp_path: Path) -> None:
    through = ask("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": NEW})
    saved, done = str(tmp_path / "saved"), str(tmp_path / "done")
    edit = [through, wait_file(saved), write_file(NOTES, NEW), touch(done)]
    agent = script(tmp_path, on_prompt("", *call_edit(NOTES, *edit)))
    editor = open_notes(open_editor, agent, OLD, init=WHILE_IT_IS_SAVED % str(tmp_path))
    editor.type("Gomine<Esc>")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, ["ONE", "two", "three", "mine"])
    assert read_disk(editor) == NEW
    editor.expect_lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified")
    editor.type(":write<CR>")
    wait_until(lambda: read_disk(editor) == NEW + "mine\n")


def test_a_file_that_was_empty_for_a_moment(open_editor: Open, tmp_path: Path) -> None:
    """What the user had before it was emptied is no deletion of the text that comes afterwards."""
    empties = call_edit(NOTES, write(NOTES, NEW), write_file(NOTES, ""), id="a")
    writes = call_edit(NOTES, wait_file(str(tmp_path / "go")), write_file(NOTES, NEW), id="b")
    agent = script(tmp_path, on_prompt("", *empties, *writes))
    editor = open_notes(open_editor, agent, OLD)
    editor.type("Gomine<Esc>")
    editor.acp("prompt", "edit")
    editor.expect_lua(LINES, [""])
    (tmp_path / "go").touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, NEW.splitlines())
