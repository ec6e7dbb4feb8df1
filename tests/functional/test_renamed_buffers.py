"""A buffer that is renamed to where its file was moved, by `:file` or by a plugin that follows `git mv`."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, run_command, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import call_edit, join_lines, open_notes, read, read_disk
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
CHANGED = [*TEN[:4], "FIVE", *TEN[5:]]
# as gitsigns does it
FOLLOW = """local old = vim.api.nvim_buf_get_name(0)
vim.api.nvim_buf_set_name(0, ...)
vim.cmd.bwipeout(vim.fn.bufnr(old))"""
NAMES = (
    "return vim.tbl_map(function(each) return vim.fs.basename(each.path) end, require('acp_nvim').changes())"
)


def follow(editor: Editor, name: str) -> None:
    editor.lua(FOLLOW, str(editor.project / name))


@pytest.mark.parametrize("is_early", [True, False])
def test_a_move_of_the_agent_s_is_undone_as_a_whole(
    open_editor: Open, tmp_path: Path, is_early: bool
) -> None:
    """Early: the buffer has its new name before the command has ended."""
    go = tmp_path / "go"
    steps = [read("{cwd}/notes.txt"), mark("begun"), wait_file(str(go))]
    command = f"mv notes.txt bill.txt; while [ ! -e {tmp_path}/end ]; do sleep 0.01; done"
    agent = script(tmp_path, on_prompt("", *run_command(command, *steps)))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(100, 20))
    editor.acp("prompt", "go")
    wait_until(lambda: agent.logged("mark"))
    go.touch()
    wait_until(lambda: (editor.project / "bill.txt").exists())
    if is_early:
        follow(editor, "bill.txt")
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
    if not is_early:
        editor.screen.expect("deleted by the agent: :Acp undo brings it back")
        follow(editor, "bill.txt")
    editor.expect_lua(NAMES, ["bill.txt", "notes.txt"])
    editor.screen.expect_gone("deleted by the agent")
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in notes.txt (turn 1)")
    assert not (editor.project / "bill.txt").exists()
    assert read_disk(editor) == join_lines(TEN)


@pytest.mark.parametrize("unsaved", ["", "1Gccmine<Esc>"])
def test_pending_hunks_go_along(open_editor: Open, tmp_path: Path, unsaved: str) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            *call_edit(
                "{cwd}/notes.txt", read("{cwd}/notes.txt"), write_file("{cwd}/notes.txt", join_lines(CHANGED))
            ),
        ),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(100, 20))
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(unsaved)
    editor.expect_lua("return vim.bo.modified", unsaved != "")
    os.rename(editor.project / "notes.txt", editor.project / "bill.txt")
    follow(editor, "bill.txt")
    assert editor.lua(NAMES) == ["bill.txt"]
    assert editor.lua(PENDING) == 1
    wanted = ["mine", *TEN[1:]] if unsaved else TEN
    editor.type(":w!<CR>:Acp undo all<CR>")
    editor.expect_lua("return vim.fn.getline(1, '$')", wanted)
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, "bill.txt") == join_lines(wanted)
    assert not (editor.project / "notes.txt").exists()
