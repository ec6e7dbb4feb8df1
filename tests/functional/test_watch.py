"""Agents write to the disk themselves: what is loaded takes it up, what is unsaved stays, and nobody asks for a key."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    delete_file,
    mark,
    on_prompt,
    request,
    script,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key
from tests.steps.files import LINES, NOTES, call_edit, open_notes
from tests.steps.messages import expect_no_prompt

Open = Callable[..., Editor]


def changed(open_editor: Open, tmp_path: Path, keys: str, new: str, **options: Any) -> Editor:
    """The user has typed in notes.txt, then the agent writes it on disk."""
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt("", *call_edit(NOTES, mark("named"), wait_file(str(go)), write_file(NOTES, new))),
    )
    editor = open_notes(open_editor, agent, **options)
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    if keys:
        editor.type(keys)
        editor.expect_lua("return vim.bo.modified")
    go.touch()
    return editor


@pytest.mark.backends
@pytest.mark.statement(105)
def test_an_unmodified_buffer_takes_the_disk_s_text_up(open_editor: Open, tmp_path: Path) -> None:
    editor = changed(open_editor, tmp_path, "", "one\nTWO\nthree\nfour\n")
    editor.expect_lua(LINES, ["one", "TWO", "three", "four"])
    assert editor.lua("return vim.bo.modified") is False
    editor.type("u")
    editor.expect_lua(LINES, ["one", "two", "three"])
    editor.type("<C-r>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert (editor.project / "notes.txt").read_text() == "one\nTWO\nthree\nfour\n"
    expect_no_prompt(editor)


@pytest.mark.statement(104, 105)
def test_unsaved_lines_elsewhere_are_merged_and_saved_without_a_prompt(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = changed(open_editor, tmp_path, "ggccmine<Esc>", "one\ntwo\nTHREE\n")
    editor.expect_lua(LINES, ["mine", "two", "THREE"])
    assert editor.lua("return vim.bo.modified") is True
    editor.wait_event("AcpTurnEnded")
    assert editor.acp("questions") == []
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert (editor.project / "notes.txt").read_text() == "mine\ntwo\nTHREE\n"
    expect_no_prompt(editor)


@pytest.mark.statement(104)
@pytest.mark.parametrize(("command", "line"), [("accept", "agent's"), ("reject", "user's")])
def test_only_the_user_decides_an_overlap(open_editor: Open, tmp_path: Path, command: str, line: str) -> None:
    editor = changed(open_editor, tmp_path, "ggjccuser's<Esc>", "one\nagent's\nthree\nfour\n", size=(140, 40))
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert editor.lua(LINES) == ["one", "user's", "three"]
    editor.type(":Acp<CR>")
    expect_key(editor, "g1")
    editor.type(f":Acp {command}<CR>")
    editor.expect_lua(LINES, ["one", line, "three", "four"])
    editor.type("<C-w>t:w<CR>")
    editor.expect_lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified", False)
    assert (editor.project / "notes.txt").read_text() == f"one\n{line}\nthree\nfour\n"
    expect_no_prompt(editor)


@pytest.mark.statement(104)
def test_an_overlap_is_merged_by_hand_and_cancelling_the_turn_decides_nothing(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt("more", write_file(NOTES, "ONE\nagent's\nthree\n")),
        on_prompt(
            "",
            *call_edit(NOTES, mark("named"), wait_file(str(go)), write_file(NOTES, "one\nagent's\nthree\n")),
            ["wait", "session/cancel"],
        ),
    )
    editor = open_notes(open_editor, agent, size=(140, 40))
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.type("ggjccuser's<Esc>")
    editor.expect_lua("return vim.bo.modified")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR><C-w>t")
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("your buffer, unsaved")
    editor.screen.expect(":w merge")
    (question,) = editor.acp("questions")
    editor.type(":%s/agent's/both'<CR>")
    right = "return vim.api.nvim_buf_get_lines(0, 0, -1, false)"
    editor.expect_lua(right, ["one", "both'", "three"])
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "more")  # the disk changes once more
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("ONE")
    assert [each["id"] for each in editor.acp("questions")] == [question["id"]]
    editor.expect_lua(right, ["ONE", "both'", "three"])
    assert editor.lua(LINES) == ["one", "user's", "three"]
    editor.type(":w<CR>")
    editor.expect_lua(LINES, ["ONE", "both'", "three"])
    editor.expect_lua("return #require('acp_nvim').questions()", 0)
    assert editor.lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified") is True  # as the bar has said
    assert editor.lua("return vim.fn.bufnr('yours')") == -1  # nothing was kept aside
    expect_no_prompt(editor)


def test_files_that_come_and_go_raise_nothing(open_editor: Open, tmp_path: Path) -> None:
    new, old = "{cwd}/new.txt", "{cwd}/old.txt"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            *call_edit(new, write_file(new, "made\n"), id="a"),
            *call_edit(old, delete_file(old), id="b"),
            *call_edit(NOTES, delete_file(NOTES), id="c"),
        ),
    )
    editor = open_notes(open_editor, agent)
    (editor.project / "old.txt").write_text("old\n")
    editor.type(":split new.txt<CR>")
    editor.expect_lua("return vim.fn.bufname()", "new.txt")
    editor.acp("prompt", "tidy up")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.getbufline('new.txt', 1, '$')", ["made"])
    assert editor.lua(LINES) == ["one", "two", "three"]
    assert editor.lua("return vim.fn.bufnr('old.txt')") == -1
    assert editor.acp("questions") == []
    assert editor.lua("return vim.v.errmsg") == ""
    expect_no_prompt(editor)


def shell(line: str) -> list[list[Any]]:
    order = {"sessionId": "{session}", "command": "sh", "args": ["-c", line]}
    return [request("terminal/create", order)]


@pytest.mark.statement(105)
def test_what_a_command_changes_is_taken_up(open_editor: Open, tmp_path: Path) -> None:
    """Nobody names the file: it is loaded, and the command has ended."""
    over = tmp_path / "over"
    agent = script(tmp_path, on_prompt("", *shell("echo four >> notes.txt"), wait_file(str(over))))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "run")
    editor.expect_lua(LINES, ["one", "two", "three", "four"])
    over.touch()
    editor.wait_event("AcpTurnEnded")
    expect_no_prompt(editor)


@pytest.mark.statement(105)
def test_what_only_git_knows_of_is_taken_up_when_the_turn_ends(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent: ScriptedAgent = script(
        tmp_path, on_prompt("", mark("begun"), wait_file(str(go)), write_file("{cwd}/late.txt", "b\n"))
    )
    editor = open_notes(open_editor, agent)
    late = editor.project / "late.txt"
    late.write_text("a\n")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(editor.project)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    editor.acp("prompt", "run")
    wait_until(lambda: agent.logged("mark"))
    editor.type(":split late.txt<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "a")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.getline(1)", "b")
    expect_no_prompt(editor)


@pytest.mark.statement(104)
def test_a_new_file_that_both_have_begun_is_saved_without_a_prompt(open_editor: Open, tmp_path: Path) -> None:
    new = "{cwd}/new.txt"
    agent = script(tmp_path, on_prompt("", *call_edit(new, write_file(new, "agent's\n"))))
    editor = open_notes(open_editor, agent, size=(140, 40))
    editor.type(":edit! new.txt<CR>iuser's<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.acp("prompt", "make it")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp<CR><C-w>t")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.expect_lua("return #require('acp_nvim').questions()", 0)
    editor.expect_lua("return vim.fn.execute('file'):find('[New]', 1, true) == nil")
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert (editor.project / "new.txt").read_text() == "user's\n"
    expect_no_prompt(editor)


def test_what_is_being_typed_stays_where_it_is_typed(open_editor: Open, tmp_path: Path) -> None:
    editor = changed(open_editor, tmp_path, "2GoINS", "zero\none\ntwo\nTHREE\n")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.getline(1)", "zero")
    editor.type("ERTED")
    editor.expect_lua(LINES, ["zero", "one", "two", "INSERTED", "THREE"])


@pytest.mark.parametrize("command", ["accept", "reject"])
def test_while_we_ask_neovim_does_not_ask_as_well(open_editor: Open, tmp_path: Path, command: str) -> None:
    """At a glance elsewhere and at :checktime; and once it is settled the user can save."""
    editor = changed(open_editor, tmp_path, "ggjccuser's<Esc>", "one\nagent's\nthree\n", size=(140, 40))
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    editor.type(":Acp<CR><C-w>t")
    editor.type(":checktime | doautocmd FocusGained | let g:done = 1<CR>")
    editor.expect_lua("return vim.g.done", 1)
    expect_no_prompt(editor)
    assert editor.lua(LINES) == ["one", "user's", "three"]
    editor.screen.expect("conflict in notes.txt")
    expect_answerable(editor)
    tick = editor.lua("return vim.b[vim.fn.bufnr('notes.txt')].changedtick")
    editor.type(f":Acp {command}<CR>")
    editor.expect_lua("return #require('acp_nvim').questions()", 0)
    editor.expect_lua("return vim.b[vim.fn.bufnr('notes.txt')].changedtick", lambda now: now > tick)
    editor.expect_lua("return vim.fn.exists('#FileChangedShell')", 0)
    line = "agent's" if command == "accept" else "user's"
    editor.expect_lua(LINES, ["one", line, "three"])
    editor.type("GAmore<Esc>:w<CR>")
    editor.expect_lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified", False)
    assert (editor.project / "notes.txt").read_text() == f"one\n{line}\nthreemore\n"
    expect_no_prompt(editor)


def test_another_file_is_asked_about_as_ever(open_editor: Open, tmp_path: Path) -> None:
    editor = changed(open_editor, tmp_path, "ggjccuser's<Esc>", "one\nagent's\nthree\n")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    other = editor.project / "other.txt"
    other.write_text("a\n")
    editor.type(":split other.txt<CR>imine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    other.write_text("outside\n")
    editor.type(":checktime<CR>")
    editor.screen.expect("W12")
    editor.ask("nvim_input", "o<CR>")


def test_a_change_while_the_command_line_window_is_open_comes_behind_it(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = changed(open_editor, tmp_path, "", "one\nTWO\nthree\n")
    editor.type("q:")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"
    assert editor.lua(LINES) == ["one", "two", "three"]
    editor.type(":q<CR>")
    editor.expect_lua(LINES, ["one", "TWO", "three"])
    editor.type("x:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert (editor.project / "notes.txt").read_text() == "ne\nTWO\nthree\n"
    expect_no_prompt(editor)


def test_a_file_that_is_no_text_any_more_is_told(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("", *call_edit(NOTES, *shell("printf 'h\\351\\n' > notes.txt"), mark("done")))
    )
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    # the word that the turn is done may come right behind it
    told = "return vim.fn.execute('messages'):find('notes.txt changed on disk, the buffer did not', 1, true) ~= nil"
    editor.expect_lua(told)
    assert editor.lua(LINES) == ["one", "two", "three"]
    expect_no_prompt(editor)


def test_a_loaded_file_that_is_deleted_is_told_and_its_text_stays(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *call_edit(NOTES, delete_file(NOTES))))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "tidy up")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("notes.txt was deleted or moved on disk")
    assert editor.lua(LINES) == ["one", "two", "three"]
    assert editor.acp("changes")[0]["deleted"] is True
    editor.type(":w<CR>")
    wait_until((editor.project / "notes.txt").exists)
    expect_no_prompt(editor)


def write_and_go_on(open_editor: Open, tmp_path: Path, keys: str = "", **options: Any) -> tuple[Editor, Path]:
    """The agent has written "new" in the place of "one", and its call goes on until the file comes."""
    over, typed = tmp_path / "over", tmp_path / "typed"
    new = write_file(NOTES, "new\ntwo\nthree\n")
    steps = call_edit(
        NOTES, mark("named"), wait_file(str(typed)), new, mark("written"), wait_file(str(over)), id="c"
    )
    agent = script(tmp_path, on_prompt("", *steps, mark("done"), wait_file(str(tmp_path / "end"))))
    editor = open_notes(open_editor, agent, **options)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnStarted")
    wait_until(lambda: agent.logged("mark"))
    if keys:
        editor.type(keys)
        editor.expect_lua("return vim.bo.modified")
    typed.touch()
    wait_until(lambda: len(agent.logged("mark")) == 2)
    return editor, over


@pytest.mark.statement(105)
@pytest.mark.parametrize("is_entered", [False, True])
def test_a_change_in_the_middle_of_a_call_comes_with_its_end_or_where_the_user_goes(
    open_editor: Open, tmp_path: Path, is_entered: bool
) -> None:
    """The agent says nothing of it: the call goes on."""
    editor, over = write_and_go_on(open_editor, tmp_path)
    if is_entered:
        editor.type(":split | wincmd p<CR>:split other.txt<CR><C-w>p")
        editor.expect_lua(LINES, ["new", "two", "three"])
    over.touch()
    editor.expect_lua(LINES, ["new", "two", "three"])
    assert editor.acp("status")["state"] == "running"
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
    expect_no_prompt(editor)


@pytest.mark.parametrize("way", ["checktime", "doautocmd FocusGained"])
def test_unsaved_lines_and_a_change_in_the_middle_of_a_call_raise_no_prompt(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    editor, over = write_and_go_on(open_editor, tmp_path, "Gofour<Esc>")
    editor.type(f":{way}<CR>")
    editor.expect_lua(LINES, ["new", "two", "three", "four"])
    expect_no_prompt(editor)
    assert editor.lua("return vim.bo.modified") is True
    assert editor.acp("questions") == []
    over.touch()
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(LINES) == ["new", "two", "three", "four"]
    editor.expect_lua("return vim.fn.exists('#FileChangedShell')", 0)


def test_a_change_that_neovim_has_read_before_the_call_ends_is_the_agent_s(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, over = write_and_go_on(open_editor, tmp_path)
    editor.type(":checktime<CR>")
    editor.expect_lua(LINES, ["new", "two", "three"])
    over.touch()
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    (change,) = editor.acp("changes")
    assert [(hunk["old"], hunk["new"], hunk["state"]) for hunk in change["hunks"]] == [
        (["one"], ["new"], "pending")
    ]
    assert change["by"] == "agent"


def test_a_file_outside_of_the_turn_s_folders_is_asked_about_as_ever(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, _over = write_and_go_on(open_editor, tmp_path)
    other = tmp_path / "other.txt"
    other.write_text("a\n")
    editor.type(f":split {other}<CR>imine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    other.write_text("outside\n")
    editor.type(":checktime<CR>")
    editor.screen.expect("W12")
    editor.ask("nvim_input", "o<CR>")


def test_a_file_outside_of_the_turn_s_folders_is_left_to_the_user_s_own_autocommand(
    open_editor: Open, tmp_path: Path
) -> None:
    own = "autocmd FileChangedShell *other.txt let v:fcs_choice = 'reload'"
    editor, _over = write_and_go_on(open_editor, tmp_path, init=f"vim.cmd([[{own}]])")
    other = tmp_path / "other.txt"
    other.write_text("a\n")
    editor.type(f":split {other}<CR>imine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    other.write_text("outside\n")
    editor.type(":checktime<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "outside")
    expect_no_prompt(editor)
