"""After the last change of a file is decided by hand the cursor goes to the first one of the next file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat
from tests.steps.files import join_lines, write
from tests.steps.review import CHANGED, PENDING, TEN

Open = Callable[..., Editor]
COMMA = "vim.g.maplocalleader = ','\n"
HERE = "return { vim.fn.expand('%:t'), vim.fn.line('.') }"


def start(open_editor: Open, tmp_path: Path, *names: str, **options: Any) -> Editor:
    """An agent changes line 2, adds one and deletes the last in each file; the first is in the window."""
    writes = [write(f"{{cwd}}/{name}", join_lines(CHANGED)) for name in names]
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", *writes)), init=COMMA, **options)
    for name in names:
        (editor.project / name).write_text(join_lines(TEN))
    editor.type(f"<C-w>t:edit {names[0]}<CR>")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3 * len(names))
    return editor


@pytest.mark.every_nvim
def test_the_last_decision_in_a_file_leads_to_the_next_one(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path, "b.txt", "c.txt", "a.txt")
    editor.type("2G,k]h,u")
    editor.expect_lua(PENDING, 7)
    assert editor.lua(HERE) == ["b.txt", 7]
    editor.type("]h,k")
    editor.expect_lua(HERE, ["c.txt", 2])
    editor.screen.expect("LINE 2  1/3  ,k keep  ,u undo  ]h next")
    editor.type("VG,u")
    editor.expect_lua(HERE, ["a.txt", 2])
    editor.type("..:Acp undo<CR>")
    editor.expect_lua(PENDING, 0)
    assert editor.lua("return vim.fn.expand('%:t')") == "a.txt"
    editor.type("<C-o>")
    editor.expect_lua("return vim.fn.expand('%:t')", "c.txt")


def test_a_changed_buffer_is_left_as_nohidden_allows(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path, "a.txt", "b.txt")
    editor.type(":set nohidden<CR>5Gomine<Esc>")
    editor.type("gg:1,$Acp keep<CR>")
    editor.expect_lua(HERE, ["b.txt", 2])
    shown = "return #vim.fn.win_findbuf(vim.fn.bufnr('a.txt'))"
    assert editor.lua(shown) == 1
    assert editor.lua("return vim.fn.getbufline('a.txt', 6)") == ["mine"]


def test_accept_goes_on_and_next_stays(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path, "a.txt", "b.txt")
    editor.type("G]h")
    editor.screen.expect("no change below")
    assert editor.lua("return vim.fn.expand('%:t')") == "a.txt"
    editor.type("gg:2,8Acp keep<CR>G:Acp reject<CR>")
    editor.expect_lua(HERE, ["b.txt", 2])


def test_it_can_be_turned_off(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path, "a.txt", "b.txt", setup={"review": {"next_file": False}})
    editor.type("gg:1,$Acp undo<CR>")
    editor.expect_lua(PENDING, 3)
    assert editor.lua("return vim.fn.expand('%:t')") == "a.txt"


def test_what_a_script_decides_moves_nobody(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path, "a.txt", "b.txt")
    for hunk in editor.acp("changes")[0]["hunks"]:
        editor.acp("keep", hunk["id"])
    editor.expect_lua(PENDING, 3)
    assert editor.lua("return vim.fn.expand('%:t')") == "a.txt"
