"""Where Neovim opens no further window: on a screen of a few lines, and in the command-line window."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import Step, on_prompt, say, script, update, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat
from tests.steps.messages import expect_message, expect_no_prompt
from tests.steps.terminals import OPEN_TERMINALS

Open = Callable[..., Editor]
TABS = "return { vim.fn.tabpagenr(), vim.fn.tabpagenr('$'), vim.fn.bufname(), vim.o.cmdheight }"
HERE = "return vim.fn.bufname()"
LISTS = {
    "sessions": "acp://sessions",
    "log": "acp://log",
    "trace": "acp://trace",
    "queue": "acp://1/queue",
    "terminals": "acp://terminals",
    "agents": "acp://agents",
    "forget": "acp://forget",
    "doctor agent0": "acp://doctor",
}


def open_small_chat(open_editor: Open, folder: Path, *steps: Step) -> Editor:
    """A chat with its prompt takes all that a screen of 24 columns and 8 lines has."""
    agent = script(folder, on_prompt("", *steps, say("hello"), wait_file(str(folder / "go"))))
    editor = open_chat(open_editor, agent, size=(24, 8))
    editor.lua(OPEN_TERMINALS)
    editor.acp("prompt", "do it")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.acp("prompt", "later")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.type("<Esc>")
    return editor


@pytest.mark.parametrize(("command", "buffer"), LISTS.items(), ids=LISTS)
def test_a_window_without_room_gets_a_tabpage(
    open_editor: Open, tmp_path: Path, command: str, buffer: str
) -> None:
    editor = open_small_chat(open_editor, tmp_path)
    before = editor.lua(TABS)
    editor.type(f":Acp {command}<CR>")
    editor.expect_lua(HERE, buffer)
    expect_no_prompt(editor)
    editor.type(":q<CR>")
    editor.expect_lua(TABS, before)


def test_a_terminal_without_room_gets_a_tabpage(open_editor: Open, tmp_path: Path) -> None:
    editor = open_small_chat(open_editor, tmp_path)
    editor.type(":Acp terminals<CR>")
    editor.screen.expect("pytest -q")
    editor.lua("vim.cmd('split')")
    editor.type("<CR>")
    editor.expect_lua(HERE, "acp://1/terminal/1")
    expect_no_prompt(editor)


def test_a_plan_without_room_stays_in_the_chat(open_editor: Open, tmp_path: Path) -> None:
    entries = [{"content": f"step {n}", "status": "pending", "priority": "high"} for n in range(3)]
    plan = update({"sessionUpdate": "plan", "entries": entries})
    editor = open_small_chat(open_editor, tmp_path, plan)
    editor.expect_lua("return #require('acp_nvim').status().plans", 1)
    editor.type(":Acp plan<CR>")
    editor.expect_lua("return vim.fn.execute('messages'):find('acp_nvim') ~= nil")
    expect_no_prompt(editor)
    assert "no room for the plan here" in str(editor.lua("return require('acp_nvim.ui.log').lines()"))
    assert "stack traceback" not in str(editor.lua("return require('acp_nvim.ui.log').lines()"))


@pytest.mark.parametrize("command", ["log", "switch", "sessions", "history"])
def test_the_command_line_window_is_named_in_one_line(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent)
    editor.acp("prompt", "do it")
    editor.wait_event("AcpTurnEnded")
    editor.acp("new_session")
    editor.lua("vim.keymap.set('n', '<F2>', ...)", f"<Cmd>Acp {command}<CR>")
    editor.type("<Esc>q:")
    editor.expect_lua("return vim.fn.getcmdwintype()", ":")
    editor.type("<F2>")
    expect_message(editor, "acp_nvim: close the command-line window first")
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"


@pytest.mark.parametrize("columns", [120, 80, 48])
def test_the_bar_of_a_list_drops_keys_rather_than_cut_one(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    """Neovim would put its own mark where it cuts a bar."""
    editor = open_chat(open_editor, script(tmp_path), size=(columns, 30))
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("Sessions   <CR> go to")
    (bar,) = [line for line in editor.screen.lines() if "<CR> go to" in line]
    assert bar.rstrip().endswith("  g? keys")
