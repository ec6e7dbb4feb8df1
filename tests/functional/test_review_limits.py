"""Review where less is known: an earlier text that nobody has seen, moved files, odd files, and the other backend."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import delete_file, mark, on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read_and_edit, read_disk, write
from tests.steps.messages import expect_no_prompt
from tests.steps.review import CHANGED, PENDING, TEN, WAYS, list_hunks, start_review

Open = Callable[..., Editor]
OLD, NEW = "{cwd}/old.txt", "{cwd}/new.txt"
LISTED = """return vim.tbl_map(function(item)
  return { vim.fs.basename(vim.fn.bufname(item.bufnr)), item.text }
end, vim.fn.getqflist())"""


def test_a_text_that_nobody_knows_is_listed_and_left(open_editor: Open, tmp_path: Path) -> None:
    """The call names the file when it has been written already: there is nothing to go back to."""
    done = {"status": "completed", "locations": [{"path": "{cwd}/late.txt"}]}
    call = [
        "update",
        {"sessionUpdate": "tool_call", "toolCallId": "l", "title": "Write", "kind": "edit", **done},
    ]
    agent = script(tmp_path, on_prompt("", write_file("{cwd}/late.txt", "x\n"), call))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(140, 30))
    (editor.project / "late.txt").write_text("before\n")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 1)
    found = editor.acp("changes", {"all": True})[0]
    assert (Path(found["path"]).name, found["unknown"], found["hunks"]) == ("late.txt", True, [])
    editor.type(":Acp review<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "late.txt")
    assert editor.lua(LISTED) == [["late.txt", "changed: earlier text unknown, no undo"]]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("earlier text unknown: late.txt")
    assert read_disk(editor, "late.txt") == "x\n"
    editor.type(":Acp keep all<CR>")
    editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 0)
    expect_no_prompt(editor)


@pytest.mark.parametrize("loaded", [True, False])
def test_a_moved_file_is_a_deletion_and_a_creation(open_editor: Open, tmp_path: Path, loaded: bool) -> None:
    moved = [*read_and_edit(NEW, write_file(NEW, join_lines(TEN))), *read_and_edit(OLD, delete_file(OLD))]
    agent = script(tmp_path, on_prompt("", *moved))
    editor = open_notes(open_editor, agent, "other\n")
    (editor.project / "old.txt").write_text(join_lines(TEN))
    if loaded:
        editor.type(":edit old.txt<CR>")
        editor.expect_lua("return vim.fn.getline(1)", TEN[0])
    editor.acp("prompt", "move it")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    found = {Path(file["path"]).name: file for file in editor.acp("changes", {"all": True})}
    assert (found["new.txt"]["created"], found["old.txt"]["deleted"]) == (True, True)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, "old.txt") == join_lines(TEN)
    assert not (editor.project / "new.txt").exists()
    if loaded:
        editor.type(":edit! old.txt<CR>")
        editor.expect_lua("return vim.fn.getline(1, '$')", TEN)
    expect_no_prompt(editor)


def test_a_moved_file_is_kept_as_it_is(open_editor: Open, tmp_path: Path) -> None:
    moved = [*read_and_edit(NEW, write_file(NEW, join_lines(TEN))), *read_and_edit(OLD, delete_file(OLD))]
    agent = script(tmp_path, on_prompt("", *moved))
    editor = open_notes(open_editor, agent, "other\n")
    (editor.project / "old.txt").write_text(join_lines(TEN))
    editor.acp("prompt", "move it")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp keep all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, "new.txt") == join_lines(TEN)
    assert not (editor.project / "old.txt").exists()


@pytest.mark.backends
def test_review_with_either_backend(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type("gg]h\\k]h\\u")
    editor.expect_lua(PENDING, 1)
    assert {hunk["state"] for hunk in list_hunks(editor)} == {"kept", "undone", "pending"}
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines([TEN[0], "LINE 2", *TEN[2:]])
    assert editor.lua(LINES) == [TEN[0], "LINE 2", *TEN[2:]]


@pytest.mark.parametrize("is_known", [False, True])
def test_a_file_that_vanishes_under_review_is_said_and_nothing_hangs(
    open_editor: Open, tmp_path: Path, is_known: bool
) -> None:
    """Before or after it was read once more, as its buffer went."""
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    notes = editor.project / "notes.txt"
    if is_known:
        notes.unlink()
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    if is_known:
        editor.expect_lua(PENDING, 1)  # the line that the agent has taken away
    else:
        notes.unlink()
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("no longer there")
    editor.expect_lua(PENDING, 0)
    assert not notes.exists()
    editor.acp("prompt", "again")
    editor.wait_event("AcpTurnEnded")
    expect_no_prompt(editor)


def test_a_folder_in_the_place_of_the_file_is_left_alone(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, write(NOTES, join_lines(CHANGED)))
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    (editor.project / "notes.txt").unlink()
    (editor.project / "notes.txt").mkdir()
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("nothing undone (turn 1) · left: a folder now: notes.txt")
    assert (editor.project / "notes.txt").is_dir()
    expect_no_prompt(editor)


@pytest.mark.parametrize("windows", ["", ":vsplit<CR>", ":Acp<CR><Esc>:Acp close<CR>", ":Acp<CR><Esc><C-w>t"])
def test_the_first_change_is_shown_in_a_window_that_is_there(
    open_editor: Open, tmp_path: Path, windows: str
) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type(windows)
    shown = "return { vim.fn.winnr('$'), vim.fn.expand('%:t'), vim.fn.line('.') }"
    if "<C-w>t" in windows:
        editor.expect_lua("return vim.fn.winnr('$')", 3)
        editor.expect_lua("return vim.fn.expand('%:t')", "notes.txt")
    before = editor.lua("return vim.fn.winnr('$')")
    editor.type(":Acp review<CR>")
    editor.expect_lua(shown, [before, "notes.txt", 2])


def test_the_first_change_needs_no_new_window_from_a_list(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type(":copen<CR>:Acp review<CR>")
    editor.expect_lua("return { vim.fn.winnr('$'), vim.fn.expand('%:t') }", [2, "notes.txt"])


EMPTY = {"through us": [write(NOTES, "")], "on disk": read_and_edit(NOTES, write_file(NOTES, ""))}


@pytest.mark.parametrize("way", list(EMPTY))
def test_a_file_that_was_emptied_is_empty_and_comes_back(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor = start_review(open_editor, tmp_path, *EMPTY[way], before="a\nb\n", pending=1)
    assert [(h["old"], h["new"]) for h in list_hunks(editor)] == [(["a", "b"], [])]
    assert editor.lua("return { vim.bo.modified, vim.fn.wordcount().bytes }") == [False, 0]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert (read_disk(editor), editor.lua(LINES)) == ("a\nb\n", ["a", "b"])
    editor.type("u")
    editor.expect_lua(PENDING, 1)
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor) in ("", "\n")
    editor.type("u")
    editor.expect_lua(LINES, ["a", "b"])
    expect_no_prompt(editor)


SIGNS = """return #vim.tbl_filter(function(mark) return mark[4].sign_text end, vim.api.nvim_buf_get_extmarks(
  0, vim.api.nvim_create_namespace('acp_nvim.hunks.beside'), 0, -1, { details = true }))"""


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize(
    "keys", [":edit notes.txt<CR>", ":Acp review<CR>", ":bwipeout<CR>:edit notes.txt<CR>"]
)
def test_hunks_come_back_with_a_file_that_was_wiped_out(
    open_editor: Open, tmp_path: Path, way: str, keys: str
) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS[way])
    editor.expect_lua(SIGNS, 3)
    editor.type("Gonew<Esc>u:bwipeout!<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.type(keys)
    editor.expect_lua("return vim.fn.expand('%:t')", "notes.txt")
    editor.expect_lua(SIGNS, 3)
    editor.expect_lua("return vim.fn.maparg(']h', 'n', false, true).buffer", 1)
    editor.type("gg]h\\u")
    editor.expect_lua(PENDING, 2)
    assert read_disk(editor) == join_lines([TEN[0], "line 2", *CHANGED[2:]])
    assert editor.lua(LINES) == [TEN[0], "line 2", *CHANGED[2:]]


DELETED = "deleted by the agent: :Acp undo brings it back"
GONE = read_and_edit(NOTES, delete_file(NOTES))


@pytest.mark.parametrize("keys", [":Acp undo<CR>", "G\\u", ":bwipeout!|edit notes.txt<CR>:Acp undo<CR>"])
def test_a_deleted_file_says_so_in_the_buffer_that_has_its_text(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    editor = start_review(open_editor, tmp_path, *GONE, pending=1)
    editor.screen.expect(f"▁ line 1 {DELETED}")
    editor.expect_lua("return vim.fn.maparg(']h', 'n', false, true).buffer", 1)
    if "edit" in keys:
        editor.type(keys.partition(":Acp")[0] + ":let g:is_over = 1<CR>")
        editor.expect_lua("return vim.g.is_over", 1)
        editor.screen.expect(DELETED)
        keys = ":Acp undo<CR>"
    editor.type(keys)
    editor.expect_lua(PENDING, 0)
    editor.screen.expect_gone(DELETED)
    assert read_disk(editor) == join_lines(TEN)
    editor.expect_lua(LINES, TEN)
    editor.expect_lua("return vim.tbl_isempty(vim.fn.maparg(']h', 'n', false, true))", True)
    expect_no_prompt(editor)


def test_a_deletion_that_is_kept_is_marked_no_more(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *GONE, pending=1)
    editor.screen.expect(DELETED)
    editor.type("\\k")
    editor.expect_lua(PENDING, 0)
    editor.screen.expect_gone(DELETED)
    assert not (editor.project / "notes.txt").exists()
    editor.expect_lua("return vim.tbl_isempty(vim.fn.maparg(']h', 'n', false, true))", True)
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    expect_no_prompt(editor)


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize("by", ["through us", "on disk"])
@pytest.mark.parametrize(("before", "after"), [("a\nb\n", "a\nb"), ("a\nb", "a\nb\n")])
def test_a_change_of_the_last_newline_alone_is_a_hunk(
    open_editor: Open, tmp_path: Path, before: str, after: str, by: str, loaded: bool
) -> None:
    steps = [write(NOTES, after)] if by == "through us" else read_and_edit(NOTES, write_file(NOTES, after))
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, before)
    if not loaded:
        editor.type(":enew|bwipeout notes.txt<CR>")
        editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor) == after
    found = [(h["first"], h["last"], h["old"], h["new"]) for h in list_hunks(editor)]
    assert found == [(2, 2, ["b"], ["b"])]
    editor.type(":Acp review<CR>")
    note = f"no newline at end {'now' if before.endswith(chr(10)) else 'before'}"
    editor.screen.expect(f"  a\n  {note}\n┃ b")
    editor.expect_lua(LISTED, [["notes.txt", f"+1 -1 {note}"]])
    editor.type(":Acp undo<CR>")
    editor.expect_lua(PENDING, 0)
    assert (read_disk(editor), editor.lua(LINES)) == (before, ["a", "b"])
    assert [hunk["state"] for hunk in list_hunks(editor)] == ["undone"]
    assert editor.lua("return vim.bo.modified") is False
    expect_no_prompt(editor)


def test_a_line_with_a_nul_byte_comes_back(open_editor: Open, tmp_path: Path) -> None:
    """Of a file without a buffer its lines are read from the disk: they are those that a buffer would have."""
    before, after = "a\nb\0c\nd\n", "a\nd\n"
    editor = open_notes(
        open_editor, script(tmp_path, on_prompt("", *read_and_edit(NOTES, write_file(NOTES, after)))), before
    )
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == before


def test_a_last_newline_is_kept_and_a_changed_last_line_takes_it_along(
    open_editor: Open, tmp_path: Path
) -> None:
    rules = on_prompt("first", write(NOTES, "a\nb")), on_prompt("", write(NOTES, "A\nb"))
    editor = open_notes(open_editor, script(tmp_path, *rules), "a\nb\n")
    editor.acp("prompt", "first")
    editor.expect_lua(PENDING, 1)
    editor.type("Gcc!<Esc>")
    editor.expect_lua(PENDING, 0)
    editor.type("u")
    editor.expect_lua(PENDING, 1)
    editor.type("G\\k")
    editor.expect_lua(PENDING, 0)
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "second")
    editor.expect_lua(PENDING, 1)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == "a\nb"


def test_a_bom_that_the_agent_has_dropped_comes_back(open_editor: Open, tmp_path: Path) -> None:
    steps = read_and_edit(NOTES, write_file(NOTES, "A\nb\n"))
    editor = start_review(open_editor, tmp_path, *steps, before="\ufeffa\nb\n", pending=1)
    assert (read_disk(editor), editor.lua("return vim.bo.bomb")) == ("A\nb\n", False)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert (read_disk(editor), editor.lua("return vim.bo.bomb")) == ("\ufeffa\nb\n", True)


@pytest.mark.parametrize(
    ("after", "encoding"),
    [("thé\nb\n".encode(), "utf-8"), (b"th\xe9\nb\n", "latin1"), (b"the\nb\n", "latin1")],
)
def test_a_file_that_the_agent_writes_in_another_encoding_is_read_in_it(
    open_editor: Open, tmp_path: Path, after: bytes, encoding: str
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", *read_and_edit(NOTES, mark("named"), wait_file(str(go)))))
    editor = open_notes(open_editor, agent, "x\n")
    before = b"caf\xe9\nb\n"
    (editor.project / "notes.txt").write_bytes(before)
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.bo.fileencoding", "latin1")
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    (editor.project / "notes.txt").write_bytes(after)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    shown = after.decode(encoding).split("\n")[0]
    assert editor.lua("return { vim.fn.getline(1), vim.bo.fenc, vim.bo.modified }") == [
        shown,
        encoding,
        False,
    ]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert (editor.project / "notes.txt").read_bytes() == before
    assert editor.lua("return { vim.fn.getline(1), vim.bo.fenc, vim.bo.modified }") == [
        "café",
        "latin1",
        False,
    ]
    expect_no_prompt(editor)


@pytest.mark.parametrize("loaded", [True, False])
def test_a_deleted_file_comes_back_with_its_mode(open_editor: Open, tmp_path: Path, loaded: bool) -> None:
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", *GONE)), "#!/bin/sh\n")
    (editor.project / "notes.txt").chmod(0o750)
    if not loaded:
        editor.type(":enew|bwipeout notes.txt<CR>")
        editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.acp("prompt", "tidy up")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == "#!/bin/sh\n"
    assert (editor.project / "notes.txt").stat().st_mode & 0o777 == 0o750


def test_undo_all_takes_back_ten_thousand_hunks(open_editor: Open, tmp_path: Path) -> None:
    before = [f"line {n}" for n in range(20_000)]
    after = [line.upper() if n % 2 else line for n, line in enumerate(before)]
    editor = start_review(
        open_editor,
        tmp_path,
        *read_and_edit(NOTES, write_file(NOTES, join_lines(after))),
        before=join_lines(before),
        pending=10_000,
    )
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("undone: 10000 changes in ")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(before)
    editor.type("u")
    editor.expect_lua(PENDING, 10_000)


def test_more_changes_than_can_be_shown_are_one_and_said(open_editor: Open, tmp_path: Path) -> None:
    before = [f"line {n}" for n in range(200_000)]
    after = [line.upper() if n % 2 else line for n, line in enumerate(before)]
    steps = read_and_edit(NOTES, write_file(NOTES, join_lines(after)))
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, join_lines(before))
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.acp("prompt", "edit")
    editor.expect_lua(PENDING, 1)
    editor.screen.expect("notes.txt: too many changes to show one by one")
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(before)
