"""What is read again, undone and redone at once, or not saved after all leaves everybody's lines theirs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read, read_and_edit, read_disk, write
from tests.steps.review import PENDING, TEN, list_hunks

Open = Callable[..., Editor]


def test_a_line_that_the_user_has_made_another_one_stays_the_users(open_editor: Open, tmp_path: Path) -> None:
    """Whatever is read again in between: the agent's last line, changed and saved by the user, then lines before it."""
    first, mine = [*TEN, "eleven"], [*TEN, "mine"]
    later = [*TEN[:9], "nine", "and a half", *mine[9:]]
    agent = script(
        tmp_path,
        on_prompt("one", *read_and_edit(NOTES, write_file(NOTES, join_lines(first)))),
        on_prompt("two", *read_and_edit(NOTES, write_file(NOTES, join_lines(later)))),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(":edit!<CR>")
    editor.expect_lua(PENDING, 1)
    editor.type("Gccmine<Esc>:w<CR>:edit!<CR>")
    editor.expect_lua(PENDING, 0)
    editor.acp("prompt", "two")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, later)
    assert [each["new"] for each in list_hunks(editor) if each["state"] == "pending"] == [
        ["nine", "and a half"]
    ]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(LINES, mine)
    assert read_disk(editor) == join_lines(mine)


def test_undo_and_redo_at_once_leave_what_waits(open_editor: Open, tmp_path: Path) -> None:
    changed = [*TEN[:4], "agent", *TEN[5:]]
    agent = script(tmp_path, on_prompt("", *read_and_edit(NOTES, write_file(NOTES, join_lines(changed)))))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    for keys in (
        ":lua vim.cmd('silent undo') vim.cmd('silent redo')<CR>",
        ':exe "normal! u\\<lt>C-r>"<CR>',
        ":silent earlier 1f | silent later 1f<CR>",
    ):
        editor.type(keys)
        editor.expect_lua(LINES, changed)
        editor.expect_lua(PENDING, 1)
        assert [each["new"] for each in list_hunks(editor)] == [["agent"]]


def test_a_no_to_a_changed_file_is_no_save(open_editor: Open, tmp_path: Path) -> None:
    """Another program has written the file, the user types, `:w`, and says no to W12: an agent's write keeps both."""
    wanted = [*TEN[:9], "agent"]
    agent = script(
        tmp_path, on_prompt("one", read(NOTES)), on_prompt("two", write(NOTES, join_lines(wanted)))
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), init="vim.o.autoread = false\n")
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.type("2Gccmine<Esc>")
    mine = [TEN[0], "mine", *TEN[2:]]
    editor.expect_lua(LINES, mine)
    pulled = [*TEN[:5], "pulled", *TEN[5:]]
    (editor.project / "notes.txt").write_text(join_lines(pulled))
    editor.type(":w<CR>")
    editor.screen.expect("really want to write")
    editor.type("n")

    def is_over() -> bool:  # Neovim may ask for a key behind its warning
        if "Press ENTER" in editor.screen.text():
            editor.type("<CR>")
        return "really want to write" not in editor.screen.text()

    wait_until(is_over)
    editor.expect_lua("return vim.bo.modified")
    assert read_disk(editor) == join_lines(pulled)
    editor.acp("prompt", "two")
    editor.wait_event("AcpTurnEnded")
    assert read_disk(editor) == join_lines([*mine[:5], "pulled", *mine[5:9], "agent"])


@pytest.mark.parametrize("keys", ["dd", "ccmine<Esc>"])
def test_what_unsaved_lines_have_replaced_waits_again_once_they_are_given_up(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    """Also if the agent has written the disk meanwhile, under these lines."""
    first = [TEN[0], "two", *TEN[2:]]
    second = [*first[:8], "nine", *first[9:]]
    agent = script(
        tmp_path,
        on_prompt("one", *read_and_edit(NOTES, write_file(NOTES, join_lines(first)))),
        on_prompt("two", *read_and_edit(NOTES, write_file(NOTES, join_lines(second)))),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(f"2G{keys}")
    editor.expect_lua(PENDING, 0)
    editor.acp("prompt", "two")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(":edit!<CR>")
    editor.expect_lua(LINES, second)
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)
