"""Neovim's `u` after a decision: a hunk is pending again, also once later turns have begun."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, say, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read, read_and_edit, read_disk, write
from tests.steps.review import PENDING, TEN, list_hunks

Open = Callable[..., Editor]
FIRST = [*TEN[:4], "first", *TEN[5:]]
MADE = NOTES.replace("notes", "made")
LATER = [*TEN[:8], "later", *TEN[9:]]
# Not what Neovim says: the announcement of the turn's end may stand where "written" stood.
SAVED = "return not vim.bo.modified"


def edit(way: str, lines: list[str]) -> list[list[Any]]:
    """Let the agent write the file through the editor, or the disk by itself."""
    text = join_lines(lines)
    return [write(NOTES, text)] if way == "through us" else read_and_edit(NOTES, write_file(NOTES, text))


def open_undone(open_editor: Open, tmp_path: Path, way: str, *later: Any) -> Editor:
    """A turn has changed line 5 and is undone; another turn has taken these steps."""
    agent = script(tmp_path, on_prompt("turn 1", *edit(way, FIRST)), on_prompt("turn 2", *later))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    take_turn(editor, "turn 1")
    editor.expect_lua(LINES, FIRST)
    editor.expect_lua(PENDING, 1)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, TEN)
    take_turn(editor, "turn 2")
    return editor


def take_turn(editor: Editor, prompt: str) -> None:
    editor.acp("prompt", prompt)
    editor.wait_event("AcpTurnEnded")


def describe(editor: Editor) -> list[tuple[int, list[str], list[str]]]:
    """The turn of each pending hunk, and its lines."""
    return [
        (each["turn"], each["old"], each["new"]) for each in list_hunks(editor) if each["state"] == "pending"
    ]


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_an_undone_turn_is_pending_again_after_another_turn(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    editor = open_undone(open_editor, tmp_path, way, *edit(way, LATER))
    editor.expect_lua(LINES, LATER)
    editor.expect_lua(PENDING, 1)
    editor.type("u")
    editor.expect_lua(LINES, TEN)
    editor.expect_lua(PENDING, 0)
    editor.type("u")
    editor.expect_lua(LINES, FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first"])]
    editor.type("<C-r><C-r>")
    editor.expect_lua(LINES, LATER)
    assert describe(editor) == [(2, ["line 9"], ["later"])]
    editor.type("2u:write<CR>")
    editor.expect_lua(SAVED)
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("undone: 1 change in ")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_an_undone_turn_is_pending_again_after_a_turn_without_changes(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    editor = open_undone(open_editor, tmp_path, way, say("nothing to do"))
    assert editor.acp("changes", {"all": True}) == []
    editor.type("u")
    editor.expect_lua(LINES, FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first"])]
    editor.type(":write<CR>")
    editor.expect_lua(SAVED)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)


MORE = on_prompt("turn 3", write(MADE, "made\nmore\n"))


def open_made(open_editor: Open, tmp_path: Path, *later: Any) -> Editor:
    """A turn has made a file, which is open, and is undone; the file is gone. The next turn takes these steps."""
    agent = script(tmp_path, on_prompt("turn 1", write(MADE, "made\n")), on_prompt("turn 2", *later), MORE)
    editor = open_notes(open_editor, agent)
    take_turn(editor, "turn 1")
    editor.type(":edit made.txt<CR>:Acp undo turn<CR>")
    wait_until(lambda: not (editor.project / "made.txt").exists())
    return editor


def test_undoing_a_created_file_once_more_deletes_it(open_editor: Open, tmp_path: Path) -> None:
    editor = open_made(open_editor, tmp_path, say("nothing to do"))
    take_turn(editor, "turn 2")
    editor.type("u:write<CR>")
    editor.expect_lua(SAVED)
    assert describe(editor) == [(1, [], ["made"])]
    take_turn(editor, "turn 3")
    assert describe(editor) == [(3, [], ["made", "more"])]
    editor.type(":Acp undo all<CR>")
    wait_until(lambda: not (editor.project / "made.txt").exists())


def test_a_file_that_the_user_has_made_in_the_meantime_stays(open_editor: Open, tmp_path: Path) -> None:
    editor = open_made(open_editor, tmp_path, read(MADE), write(MADE, "more\n"))
    (editor.project / "made.txt").touch()
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    take_turn(editor, "turn 2")
    assert describe(editor) == [(2, [], ["more"])]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in ")
    assert read_disk(editor, "made.txt") == ""


def test_nothing_of_an_ended_session_is_pending_again(open_editor: Open, tmp_path: Path) -> None:
    editor = open_undone(open_editor, tmp_path, "through us", say("nothing to do"))
    editor.type(":Acp sessions<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_sessions")
    editor.type("ggx")
    editor.wait_event("AcpSessionEnded", reason="closed")
    editor.type(":buffer notes.txt<CR>u")
    editor.expect_lua(LINES, FIRST)
    editor.expect_lua(PENDING, 0)


def test_what_is_kept_is_not_pending_again(open_editor: Open, tmp_path: Path) -> None:
    """The other change of the turn is."""
    both = [*FIRST[:8], "nine", *FIRST[9:]]
    agent = script(tmp_path, on_prompt("turn 1", *edit("through us", both)), on_prompt("turn 2", say("done")))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    take_turn(editor, "turn 1")
    editor.type("5G:Acp keep<CR>9G:Acp undo<CR>")
    editor.expect_lua(LINES, FIRST)
    take_turn(editor, "turn 2")
    editor.type("u")
    editor.expect_lua(LINES, both)
    assert describe(editor) == [(1, ["line 9"], ["nine"])]
