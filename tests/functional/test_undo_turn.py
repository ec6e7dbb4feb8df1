"""`:Acp undo turn` where the turn has changed pending lines of an earlier turn: those are as they were before it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import delete_file, on_prompt, run_command, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import (
    LINES,
    NOTES,
    call_edit,
    join_lines,
    open_notes,
    read,
    read_and_edit,
    read_disk,
    write,
)
from tests.steps.review import PENDING, TEN, list_hunks
from tests.steps.trees import commit

Open = Callable[..., Editor]
FIRST = [*TEN[:4], "first", "added", *TEN[5:]]  # line 5 is changed, one line added behind it
SECOND = [*TEN[:4], "second", "added", "SIX", *TEN[6:]]  # that line again, and line 6
NEWEST = "return require('acp_nvim.review').newest_turn(1)"


def take_turns(open_editor: Open, tmp_path: Path, *turns: Any, **options: Any) -> Editor:
    """An agent takes these steps, one list each turn; notes.txt is open."""
    steps = (on_prompt(f"turn {n}", *each) for n, each in enumerate(turns, 1))
    options = {"init": "vim.g.maplocalleader = ','\n", "size": (160, 40), **options}
    editor = open_notes(open_editor, script(tmp_path, *steps), **{"text": join_lines(TEN), **options})
    for n in range(1, len(turns) + 1):
        prompt(editor, n)
    return editor


def prompt(editor: Editor, turn: int) -> None:
    """Wait until the turn is over and the review knows what it has changed on disk."""
    editor.acp("prompt", f"turn {turn}")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(NEWEST, turn)


def twice(open_editor: Open, tmp_path: Path, **options: Any) -> Editor:
    return take_turns(
        open_editor,
        tmp_path,
        [write(NOTES, join_lines(FIRST))],
        [write(NOTES, join_lines(SECOND))],
        **options,
    )


def describe(editor: Editor) -> list[tuple[int, list[str], list[str]]]:
    """The turn of each pending hunk, and its lines."""
    return [
        (each["turn"], each["old"], each["new"]) for each in list_hunks(editor) if each["state"] == "pending"
    ]


def test_the_earlier_turn_s_lines_come_back_and_stay_pending(open_editor: Open, tmp_path: Path) -> None:
    editor = twice(open_editor, tmp_path)
    editor.expect_lua(LINES, SECOND)
    both = describe(editor)
    assert both == [(2, ["line 5", "line 6"], ["second", "added", "SIX"])]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 2 changes in ")
    editor.expect_lua(LINES, FIRST)
    assert read_disk(editor) == join_lines(FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]
    editor.type("u")
    editor.expect_lua(LINES, SECOND)
    assert describe(editor) == both
    editor.type("<C-r>")
    editor.expect_lua(LINES, FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in ")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)


def test_the_earlier_turn_goes_and_the_later_one_stays(open_editor: Open, tmp_path: Path) -> None:
    """What the later turn has made of the earlier one's lines is its own."""
    editor = twice(open_editor, tmp_path)
    editor.type(":Acp<CR><Esc><C-w>k")
    editor.screen.expect("± notes.txt +2 −1 · ,k keep")
    editor.type("gg/+2 −1<CR>,u")
    editor.screen.expect("undone: 1 change in notes.txt (turn 1)")
    editor.expect_lua(LINES, [*TEN[:4], "second", "SIX", *TEN[6:]])
    assert describe(editor) == [(2, ["line 5", "line 6"], ["second", "SIX"])]
    editor.type("<C-w>h:Acp undo turn<CR>")
    editor.screen.expect("(turn 2)")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)
    editor.expect_lua(PENDING, 0)


def test_each_turn_has_its_own_numbers(open_editor: Open, tmp_path: Path) -> None:
    editor = twice(open_editor, tmp_path)
    editor.type(":Acp<CR><Esc><C-w>h")
    editor.screen.expect("± notes.txt +2 −1 · ,k keep ,u undo · :Acp review")
    editor.screen.expect("± notes.txt +2 −2 · ,k keep ,u undo · :Acp review")
    editor.type(":Acp review<CR>")
    editor.expect_lua("return vim.fn.getqflist({ title = 0 }).title", "turn 2: notes.txt +2 −2")
    editor.type(":Acp review session<CR>")
    editor.expect_lua("return vim.fn.getqflist({ title = 0 }).title", "session 1: notes.txt +3 −2")
    editor.type("<C-w>l<C-w>kgg/+2 −1<CR>")
    editor.type("<CR>")
    editor.screen.expect("change 1 of 1 · ")
    editor.expect_lua("return vim.fn.getqflist({ title = 0 }).title", "turn 1: notes.txt +2 −1")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("± undone 2")
    editor.screen.expect("± notes.txt +2 −1 · ,k keep ,u undo · :Acp review")
    editor.type(":Acp keep turn<CR>")
    editor.screen.expect("± kept 1")


def test_an_earlier_turn_is_kept_below_a_later_one(open_editor: Open, tmp_path: Path) -> None:
    """What the later turn has made of its lines waits, over these; and u does not bring it back as pending."""
    editor = twice(open_editor, tmp_path)
    editor.expect_lua(LINES, SECOND)
    editor.type(":Acp keep turn 1<CR>")
    editor.screen.expect("kept: 1 change in notes.txt (turn 1)")
    editor.expect_lua(LINES, SECOND)
    assert describe(editor) == [(2, ["first"], ["second"]), (2, ["line 6"], ["SIX"])]
    editor.type("u")
    editor.expect_lua(LINES, FIRST)
    assert describe(editor) == []
    editor.type("<C-r>")
    editor.expect_lua(LINES, SECOND)
    assert describe(editor) == [(2, ["first"], ["second"]), (2, ["line 6"], ["SIX"])]
    editor.type(":write<CR>:Acp undo turn<CR>")
    editor.screen.expect("undone: 2 changes in notes.txt (turn 2)")
    editor.expect_lua(LINES, FIRST)
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(FIRST)


def test_a_mode_is_kept_with_the_earlier_turn(open_editor: Open, tmp_path: Path) -> None:
    second = [write(NOTES, join_lines(SECOND))]
    first = [*run_command("chmod 600 b.txt"), write(NOTES, join_lines(FIRST))]
    agent = script(tmp_path, on_prompt("turn 1", *first), on_prompt("turn 2", *second))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(160, 40))
    (editor.project / "b.txt").write_text("b\n")
    (editor.project / "b.txt").chmod(0o644)
    commit(editor.project)
    prompt(editor, 1)
    editor.expect_lua(PENDING, 2)
    prompt(editor, 2)
    editor.type(":Acp keep turn 1<CR>")
    editor.screen.expect("kept: 2 changes in 2 files (turn 1)")
    editor.expect_lua(PENDING, 2)
    assert {
        each["turn"] for file in editor.acp("changes") for each in file["hunks"] if each["state"] == "pending"
    } == {2}


def test_unsaved_lines_stay_unsaved(open_editor: Open, tmp_path: Path) -> None:
    editor = twice(open_editor, tmp_path)
    editor.type("ggOmine<Esc>:Acp undo turn<CR>")
    editor.expect_lua(LINES, ["mine", *FIRST])
    assert read_disk(editor) == join_lines(FIRST)
    assert editor.lua("return vim.bo.modified")
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]


def test_a_line_that_the_user_types_between_the_turns_stays(open_editor: Open, tmp_path: Path) -> None:
    between = [*FIRST[:5], "mine", *FIRST[5:]]
    later = [*FIRST[:4], "second", "MINE", "added", "SIX", *TEN[6:]]  # which changes that line, too
    steps = [write(NOTES, join_lines(FIRST))], [read(NOTES), write(NOTES, join_lines(later))]
    agent = script(tmp_path, *(on_prompt(f"turn {n}", *each) for n, each in enumerate(steps, 1)))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    prompt(editor, 1)
    editor.type("5Gomine<Esc>:w<CR>")
    editor.expect_lua(LINES, between)
    prompt(editor, 2)
    editor.expect_lua(LINES, later)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, between)
    assert describe(editor) == [(1, ["line 5"], ["first"]), (1, [], ["added"])]
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, [*TEN[:5], "mine", *TEN[5:]])


def test_what_the_user_types_over_the_newer_turn_is_the_user_s(open_editor: Open, tmp_path: Path) -> None:
    editor = twice(open_editor, tmp_path)
    editor.type("7Gccmine<Esc>:w<CR>:Acp undo turn<CR>")
    editor.expect_lua(LINES, [*FIRST[:6], "mine", *TEN[6:]])
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]


def test_a_turn_that_took_back_an_earlier_one_is_undone(open_editor: Open, tmp_path: Path) -> None:
    """The text is what it was before both, and no hunk says that the newer turn has done anything there."""
    editor = take_turns(
        open_editor,
        tmp_path,
        [write(NOTES, join_lines(FIRST))],
        [write(NOTES, join_lines([*TEN[:5], *TEN[5:9], "TEN"]))],
    )
    assert describe(editor) == [(2, ["line 10"], ["TEN"])]
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]


def test_a_file_that_no_buffer_holds(open_editor: Open, tmp_path: Path) -> None:
    """And one that the earlier turn has created: it is deleted with the earlier turn only."""
    made = NOTES.replace("notes", "made")
    editor = take_turns(
        open_editor, tmp_path, [write(made, "one\ntwo\n")], [write(made, "ONE\ntwo\nthree\n")]
    )
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 2 changes in ")
    assert read_disk(editor, "made.txt") == "one\ntwo\n"
    assert describe(editor) == [(1, [], ["one", "two"])]
    assert editor.acp("changes", {"all": True})[0]["created"]
    editor.type(":Acp undo turn<CR>")
    wait_until(lambda: not (editor.project / "made.txt").exists())


@pytest.mark.parametrize("is_open", [True, False])
def test_a_file_that_the_newer_turn_deletes_is_back(open_editor: Open, tmp_path: Path, is_open: bool) -> None:
    editor = take_turns(
        open_editor,
        tmp_path,
        read_and_edit(NOTES, write_file(NOTES, join_lines(FIRST))),
        call_edit(NOTES, delete_file(NOTES)),
    )
    assert not (editor.project / "notes.txt").exists()
    if not is_open:
        editor.type(":enew | bwipeout! notes.txt<CR>")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in ")
    assert read_disk(editor) == join_lines(FIRST)
    assert describe(editor) == [(1, ["line 5"], ["first", "added"])]
    editor.type(":Acp undo turn<CR>")
    wait_until(lambda: read_disk(editor) == join_lines(TEN))


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize(
    "texts",
    [
        ["a\nb\nc\n", "a\nb\nC", "a\nb\nsee\n"],  # the last line's end goes, and comes back
        ["a\nb\nc", "a\nb\nC\n", "a\nb\nsee"],
        ["a\nb\nc\n", "a\nb\nc", "a\nb\nC\n"],  # only its end goes
        ["a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", "a\nbee\nc\n"],  # the newer turn makes another file of it
        ["a\nb\nc\n", "A\r\nb\r\nc\r\n", "aye\nb\nc\n"],
        ["a\nb\nc\n", "", "a\nB\n"],
    ],
)
def test_line_ends_are_as_before_the_turn(
    open_editor: Open, tmp_path: Path, way: str, texts: list[str]
) -> None:
    before, first, second = texts
    turns = [
        [write(NOTES, text)] if way == "through us" else read_and_edit(NOTES, write_file(NOTES, text))
        for text in (first, second)
    ]
    editor = take_turns(open_editor, tmp_path, *turns, text=before)
    editor.expect_lua(LINES, second.splitlines())
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone")
    assert read_disk(editor) == first
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == before
