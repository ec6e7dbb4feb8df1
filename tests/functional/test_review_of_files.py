"""Review of files that are created, deleted, not loaded, or may not be written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    delete_file,
    mark,
    on_prompt,
    script,
    wait_file,
    wait_until,
    write_file,
)
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
)
from tests.steps.messages import expect_no_prompt
from tests.steps.review import CHANGED, PENDING, TEN, WAYS, list_hunks, start_review

Open = Callable[..., Editor]


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> list[Any]:
    return WAYS[request.param]


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.statement(124)
def test_a_created_file_is_deleted_by_undo(open_editor: Open, tmp_path: Path, loaded: bool) -> None:
    new = "{cwd}/new.txt"
    for_both = [*read_and_edit(new, write_file(new, "a\nb\n"))]
    editor = start_review(open_editor, tmp_path, *for_both, pending=1)
    found = editor.acp("changes", {"all": True})[0]
    assert (found["created"], found["hunks"][0]["new"]) == (True, ["a", "b"])
    if loaded:
        editor.type(":edit new.txt<CR>")
        editor.expect_lua("return vim.b.changedtick and vim.fn.maparg(']h') ~= ''")
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("undone: 1 change in ")
    assert [hunk["state"] for hunk in list_hunks(editor)] == ["undone"]
    assert not (editor.project / "new.txt").exists()
    if loaded:
        assert editor.lua("return {vim.fn.getline(1, '$'), vim.bo.modified}") == [[""], False]
        editor.type("u:w<CR>")
        editor.expect_lua(PENDING, 1)
        editor.expect_lua("return vim.bo.modified", False)
        assert read_disk(editor, "new.txt") == "a\nb\n"
    expect_no_prompt(editor)


@pytest.mark.statement(124)
def test_a_created_file_that_nobody_opened_comes_back_by_u(open_editor: Open, tmp_path: Path) -> None:
    """Its undo loads it, and shows it to nobody."""
    new = "{cwd}/new.py"
    steps = read_and_edit(new, write_file(new, "a = 1\n# vim: set tw=17:\n"))
    editor = start_review(open_editor, tmp_path, *steps, pending=1)
    listed = editor.lua("return vim.fn.execute('ls')")
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("undone: 1 change in ")
    editor.expect_lua(PENDING, 0)
    assert not (editor.project / "new.py").exists()
    assert editor.lua("return vim.fn.execute('ls')") == listed
    assert editor.lua("return vim.fn.expand('%:t')") == "notes.txt"
    editor.type(":e new.py<CR>")
    assert editor.lua("return {vim.fn.getline(1, '$'), vim.bo.modified, vim.bo.filetype}") == [
        [""],
        False,
        "python",
    ]
    editor.type("u")
    editor.expect_lua(PENDING, 1)
    editor.type(":w<CR>")
    editor.expect_lua(
        "return { vim.bo.modified, vim.bo.textwidth ~= 17, vim.bo.buflisted }", [False, True, True]
    )
    assert read_disk(editor, "new.py") == "a = 1\n# vim: set tw=17:\n"
    editor.expect_lua("return vim.fn.maparg(']h', 'n', false, true).buffer", 1)
    expect_no_prompt(editor)


@pytest.mark.statement(124)
def test_a_file_that_is_created_under_its_open_buffer_is_followed(open_editor: Open, tmp_path: Path) -> None:
    """Unsaved lines are never saved by its undo, whether the file is there or gone."""
    go, new = tmp_path / "go", "{cwd}/new.txt"
    agent = script(
        tmp_path,
        on_prompt("", *read_and_edit(new, mark("named"), wait_file(str(go)), write_file(new, "a\nb\n"))),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.type(":edit new.txt<CR>")
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.fn.getline(1, '$')", ["a", "b", "mine"])
    for is_back in (False, True):
        if is_back:
            editor.type("u")
            editor.expect_lua(PENDING, 1)
            editor.type("Gomore<Esc>")
        editor.type(":Acp undo all<CR>")
        editor.expect_lua(PENDING, 0)
        editor.screen.expect("gone, and the rest is unsaved")
        left = ["mine", "more"] if is_back else ["mine"]
        assert editor.lua("return { vim.fn.getline(1, '$'), vim.bo.modified }") == [left, True]
        assert not (editor.project / "new.txt").exists()
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor, "new.txt") == "mine\nmore\n"
    expect_no_prompt(editor)


@pytest.mark.statement(124)
def test_a_created_file_with_lines_of_the_user_s_stays(open_editor: Open, tmp_path: Path) -> None:
    new = "{cwd}/new.txt"
    editor = start_review(open_editor, tmp_path, *read_and_edit(new, write_file(new, "a\nb\n")), pending=1)
    editor.type(":edit new.txt<CR>")
    editor.expect_lua("return vim.fn.maparg(']h') ~= ''")
    editor.type("Gomine<Esc>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, "new.txt") == "mine\n"


def test_a_deleted_file_comes_back(open_editor: Open, tmp_path: Path) -> None:
    old = "{cwd}/old.txt"
    agent = script(
        tmp_path,
        on_prompt("", *read_and_edit(old, delete_file(old)), *read_and_edit(NOTES, delete_file(NOTES))),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    (editor.project / "old.txt").write_text("x\ny")
    editor.acp("prompt", "tidy up")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    assert [file["deleted"] for file in editor.acp("changes", {"all": True})] == [True, True]
    editor.type(":Acp undo<CR>")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor) == join_lines(TEN)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, "old.txt") == "x\ny"
    assert editor.lua(LINES) == TEN
    editor.type("ccz<Esc>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    expect_no_prompt(editor)


def test_a_deleted_file_that_the_user_saves_in_the_same_turn_is_the_user_s(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", *read_and_edit(NOTES, delete_file(NOTES)), wait_file(str(go))))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "tidy up")
    editor.expect_lua(PENDING, 1)
    editor.type(":write<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.lua("require('acp_nvim.review').wait_for_disk()")
    assert editor.acp("changes", {"all": True}) == []


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize("before", ["a\r\nb\r\nc\r\n", "a\nb\nc", "a\r\nb\r\nc"])
def test_line_ends_are_as_before(open_editor: Open, tmp_path: Path, before: str, loaded: bool) -> None:
    after = before.replace("b", "B").replace("c", "C") + ("" if before.endswith("\n") else "\n")
    editor = start_review(
        open_editor, tmp_path, *read_and_edit(NOTES, write_file(NOTES, after)), before=before, pending=1
    )
    assert read_disk(editor) == after
    if not loaded:
        editor.type(":enew<CR>:bwipeout notes.txt<CR>")
        editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == before


def test_what_is_not_loaded_is_undone_on_disk(open_editor: Open, tmp_path: Path, way: list[Any]) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    (editor.project / "notes.txt").chmod(0o755)
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    found = list_hunks(editor)
    assert found[1]["new"] == ["new"]
    editor.acp("undo", found[1]["id"])
    editor.expect_lua(PENDING, 2)
    assert read_disk(editor) == join_lines([line for line in CHANGED if line != "new"])
    assert (editor.project / "notes.txt").stat().st_mode & 0o777 == 0o755


def test_a_file_that_may_not_be_written_stays_and_a_line_says_so(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type(":set readonly<CR>7G\\u")
    editor.screen.expect("not undone")
    assert editor.lua(PENDING) == 3
    assert read_disk(editor) == join_lines(CHANGED)
    editor.type(":set noreadonly<CR>7G\\u")
    editor.expect_lua(PENDING, 2)


def test_what_nobody_knows_or_announced_is_left_and_said(open_editor: Open, tmp_path: Path) -> None:
    """A call that names the file when it has been written; and a loaded file that nobody names."""
    late = call_edit("{cwd}/late.txt", id="late")
    agent = script(
        tmp_path,
        on_prompt(
            "",
            read(NOTES),
            write_file("{cwd}/late.txt", "x\n"),
            write_file(NOTES, join_lines(CHANGED)),
            late[-1],
        ),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(140, 30))
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3)
    assert {file["by"] for file in editor.acp("changes", {"all": True})} == {"unknown"}
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("left: 3 that may not be the agent's: :Acp undo! turn")
    assert editor.lua(PENDING) == 3
    editor.type(":Acp undo! turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)


def test_a_buffer_that_takes_another_name_leaves_the_review(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type(":saveas other.txt<CR>:bwipeout! notes.txt<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "other.txt")
    editor.expect_lua("return vim.fn.maparg(']h')", "")
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)
    assert read_disk(editor, "other.txt") == join_lines(CHANGED)
