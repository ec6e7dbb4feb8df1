"""What a proposal would replace of the user's own, unsaved lines is marked as such."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import open_notes
from tests.steps.proposals import DIFFS, NEW, OLD, ask_edit, make_diff

Open = Callable[..., Editor]
YOURS = "yours, unsaved"


def proposed(open_editor: Open, tmp_path: Path, keys: str, *, new: str = NEW, columns: int = 120) -> Editor:
    """The user has typed in the file, then the agent proposes a change of all of it."""
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(new=new)), say("Done.")))
    editor = open_notes(open_editor, agent, OLD, size=(columns, 40))
    editor.type(keys)
    editor.expect_lua("return vim.bo.modified and vim.fn.mode() == 'n'")
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    return editor


def test_only_lines_of_the_users_that_are_replaced_are_marked(open_editor: Open, tmp_path: Path) -> None:
    """Line 3 is the user's and the agent's, line 14 the user's alone, line 10 the agent's alone."""
    editor = proposed(open_editor, tmp_path, "3Gccmine<Esc>14Gccalso mine<Esc>")
    editor.screen.expect(f"mine  {YOURS}")
    marked = {line.split("  yours")[0].strip() for line in editor.screen.lines() if YOURS in line}
    assert marked == {"mine"}
    assert editor.lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified") is True
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.expect_lua(DIFFS, 0)
    editor.screen.expect_gone(YOURS)


def test_a_long_line_is_marked_within_the_window(open_editor: Open, tmp_path: Path) -> None:
    editor = proposed(open_editor, tmp_path, "3Gcc" + "mine " * 40 + "<Esc>")
    editor.screen.expect(YOURS)


def test_lines_that_are_taken_away_are_marked_until_they_are_saved(open_editor: Open, tmp_path: Path) -> None:
    new = OLD.replace("line 9\nline 10\n", "")
    editor = proposed(open_editor, tmp_path, "9Gccnine<Esc>jccten<Esc>", new=new)
    editor.screen.expect(f"nine  {YOURS}")
    editor.screen.expect(f"ten  {YOURS}")
    editor.type(":write<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    editor.screen.expect_gone(YOURS)
