"""Lines that another program has put into a loaded file, and Neovim has not read: no write of an agent drops them."""

import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import ask, on_prompt, say, script, touch, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, join_lines, read, read_disk
from tests.steps.processes import find_backend, stopped
from tests.steps.turns import Play

Open = Callable[..., Editor]
OLD = [f"line {n}" for n in range(1, 31)]
PULLED = [*OLD[:10], "pulled", *OLD[10:]]  # by another program
AGENTS = ["agent's 1", *PULLED[1:]]  # the agent edits the disk as it is
TOLD = "vim.cmd('autocmd BufModifiedSet * let g:told = 1')"  # after the plugin's own, if it has one
WHENS = ["before the session", "before the prompt", "in the turn"]


def edited(
    open_editor: Open, tmp_path: Path, pulled: bool, named: bool = True, begin: bool = True
) -> tuple[Editor, Path]:
    """The session has begun, and the agent is about to edit the disk in its first turn; has it `named` the file?"""
    go = tmp_path / "go"
    edit = write_file(NOTES, join_lines(AGENTS))
    if named:
        steps = call_edit(NOTES, wait_file(str(go)), edit)
    else:  # what Neovim has said so far is heard before the answer to the read
        look = [wait_file(str(tmp_path / "look")), read("{cwd}/other.txt"), touch(str(tmp_path / "looked"))]
        steps = [*look, wait_file(str(go)), *call_edit(NOTES, edit)]
    agent = script(
        tmp_path, on_prompt("edit", touch(str(tmp_path / "begun")), *steps), on_prompt("", say("fine"))
    )
    setup = {"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}}
    editor = open_editor(setup=setup, init="vim.o.autoread = false")
    (editor.project / "notes.txt").write_text(join_lines(OLD))
    editor.type(":edit notes.txt<CR>")
    editor.expect_lua(LINES, OLD)
    if pulled:
        (editor.project / "notes.txt").write_text(join_lines(PULLED))
    if begin:
        editor.acp("new_session")
        editor.wait_event("AcpSessionStarted")
    return editor, go


def all_is_kept(editor: Editor) -> None:
    """The turn ends, and another one, so that nothing is left to be done; then all lines are there, or the user is
    asked."""
    editor.wait_event("AcpTurnEnded", turn=1)
    editor.acp("prompt", "and now?")
    editor.wait_event("AcpTurnEnded", turn=2)
    asked = [question["kind"] for question in editor.acp("questions")]
    assert asked == ["conflict"] or editor.lua(LINES) == [*AGENTS, "mine"], (asked, editor.lua(LINES))


@pytest.mark.parametrize(("pulled", "typed"), itertools.combinations_with_replacement(WHENS, 2))
def test_unsaved_lines_beside_pulled_ones(open_editor: Open, tmp_path: Path, pulled: str, typed: str) -> None:
    editor, go = edited(open_editor, tmp_path, pulled == WHENS[0])
    for when in WHENS:
        if when == pulled:
            (editor.project / "notes.txt").write_text(join_lines(PULLED))
        if when == typed:
            editor.type("Gomine<Esc>")
            editor.expect_lua("return vim.bo.modified")
        if when == "before the prompt":
            editor.acp("prompt", "edit")
            wait_until((tmp_path / "begun").exists)
    go.touch()
    all_is_kept(editor)
    assert read_disk(editor) == join_lines(AGENTS)


@pytest.mark.cold
def test_lines_pulled_just_after_the_first_unsaved_one(open_editor: Open, tmp_path: Path) -> None:
    """Neovim knows of the unsaved line, and the backend has had no time to hear of it."""
    editor, go = edited(open_editor, tmp_path, pulled=False, named=False)
    editor.acp("prompt", "edit")
    wait_until((tmp_path / "begun").exists)
    editor.lua(TOLD)
    with stopped(find_backend(editor)):
        editor.type("Gomine<Esc>")
        editor.expect_lua("return vim.g.told", 1)
        (editor.project / "notes.txt").write_text(join_lines(PULLED))
    (tmp_path / "look").touch()
    wait_until((tmp_path / "looked").exists)
    go.touch()
    all_is_kept(editor)


def begin_again(editor: Editor, go: Path) -> None:
    """A new session, in whose first turn the agent edits the disk; all lines are there then, or the user is asked."""
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "edit")
    go.touch()
    all_is_kept(editor)
    assert read_disk(editor) == join_lines(AGENTS)


@pytest.mark.cold
def test_lines_pulled_while_no_backend_runs(open_editor: Open, tmp_path: Path) -> None:
    editor, go = edited(open_editor, tmp_path, pulled=False)
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.wait_event("AcpSessionEnded")
    (editor.project / "notes.txt").write_text(join_lines(PULLED))
    begin_again(editor, go)


def test_unsaved_lines_of_which_the_user_saves_a_copy(open_editor: Open, tmp_path: Path) -> None:
    editor, go = edited(open_editor, tmp_path, pulled=False)
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    (editor.project / "notes.txt").write_text(join_lines(PULLED))
    editor.type(":write copy.txt<CR>")
    wait_until((editor.project / "copy.txt").exists)
    editor.acp("prompt", "edit")
    go.touch()
    all_is_kept(editor)
    assert read_disk(editor) == join_lines(AGENTS)


def test_lines_pulled_and_typed_before_the_plugin_is_used(open_editor: Open, tmp_path: Path) -> None:
    editor, go = edited(open_editor, tmp_path, pulled=False, begin=False)
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    (editor.project / "notes.txt").write_text(join_lines(PULLED))
    begin_again(editor, go)


def test_a_hidden_buffer_that_a_language_server_has_changed(open_editor: Open, tmp_path: Path) -> None:
    play = Play(open_editor, tmp_path, join_lines(OLD))
    play.turn()
    assert play.read() == join_lines(OLD)
    play.do("set hidden noautoread | enew")
    play.editor.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('notes.txt'), 29, 30, true, { 'renamed' })")
    play.path.write_text(join_lines(PULLED))
    content = {"path": str(play.path), "content": join_lines(["agent's 1", *OLD[1:]])}
    play.order(ask("fs/write_text_file", {"sessionId": "{session}", **content}))
    wait_until(lambda: play.editor.events("AcpFileWritten") or play.editor.acp("questions"))
    assert "pulled" in read_disk(play.editor).splitlines()
    assert "renamed" in play.lines()
