"""Autocommands of the user that fail: our windows come and go whole, and the user hears in one line what failed.
One that takes the chat's buffer away, of which Neovim tells nobody, breaks no turn.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, permission, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send
from tests.steps.proposals import DIFFS, open_old, write_through

Open = Callable[..., Editor]
EVENTS = ["BufWinEnter", "WinEnter", "BufEnter", "WinNew", "FileType", "WinLeave", "WinClosed", "BufAdd"]
LUA = """
local events = vim.fn.split('%s')
vim.api.nvim_create_autocmd(events, { callback = function(args)
  if vim.g.boom == 1 or vim.g.boom == args.event then
    error("no luck with " .. args.event)
  end
end })
"""
SHAPE = """
local types = vim.tbl_map(function(win)
  return vim.bo[vim.api.nvim_win_get_buf(win)].filetype
end, vim.api.nvim_list_wins())
return { vim.bo.filetype, #vim.api.nvim_list_tabpages(), types }
"""
MODE = "return vim.api.nvim_get_mode()"


def started(open_editor: Open, tmp_path: Path, init: str, position: str = "right") -> Editor:
    agent = script(tmp_path, on_prompt("", say("So.")))
    agents = {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}
    setup = {"agents": agents, "chat": {"position": position}}
    return open_editor(setup=setup, init=init, size=(80, 24))


@pytest.mark.parametrize("position", ["right", "tab"])
def test_the_chat_opens_and_closes_whole(open_editor: Open, tmp_path: Path, position: str) -> None:
    editor = started(open_editor, tmp_path, LUA % " ".join(EVENTS), position)
    for event in EVENTS:
        editor.lua("vim.g.boom = ...", event)
        editor.type(":Acp new<CR>")
        editor.wait_event("AcpSessionStarted")
        focus, tabs, types = editor.lua(SHAPE)
        assert (focus, tabs) == ("acp_prompt", 2 if position == "tab" else 1), event
        assert sorted(types) == ["", "acp_chat", "acp_prompt"], event
        editor.type(":Acp close<CR>")
        editor.expect_lua(SHAPE, ["", 1, [""]])
        assert editor.lua(MODE) == {"mode": "n", "blocking": False}


def test_all_of_them_fail_and_the_user_hears_it_in_one_line(open_editor: Open, tmp_path: Path) -> None:
    editor = started(open_editor, tmp_path, LUA % "BufWinEnter WinEnter BufEnter WinNew WinLeave")
    editor.lua("vim.g.boom = 1")
    editor.type(":Acp<CR>")
    editor.screen.expect("acp_nvim: an autocommand of yours failed: no luck with")
    assert editor.lua(MODE) == {"mode": "n", "blocking": False}
    assert editor.lua(SHAPE)[0] == "acp_prompt"
    said = editor.lua("return vim.fn.execute('messages')")
    assert "stack traceback" not in said
    assert "lua:" not in said
    editor.type(":Acp sessions<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_sessions")
    assert sorted(editor.lua(SHAPE)[2]) == ["", "acp_chat", "acp_prompt", "acp_sessions"]
    editor.type("g?")
    editor.screen.expect("ask the agents again")
    editor.lua("vim.g.boom = nil")  # what the user closes fails as it would anywhere
    editor.type("q")
    editor.screen.expect_gone("ask the agents again")
    editor.type("q:Acp close<CR>")
    editor.expect_lua(SHAPE, ["", 1, [""]])


def test_an_autocommand_that_fails_with_each_window_is_told_once(open_editor: Open, tmp_path: Path) -> None:
    editor = started(open_editor, tmp_path, "vim.cmd([[autocmd BufEnter * silent! lcd %:p:h/none]])\n")
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("an autocommand of yours failed: E")
    editor.type("q:messages clear<CR>:Acp agents<CR>")
    editor.screen.expect("shows what an agent can do")
    editor.type("q:Acp log<CR>")
    failed = "an autocommand failed while a window opened or closed: "
    editor.screen.expect(lambda screen: screen.text().count(failed) >= 2, what="both in the log")
    assert "of yours failed" not in editor.lua("return vim.fn.execute('messages')")


@pytest.mark.parametrize(
    ("name", "code", "failed"),
    [
        ("text.lua", "local x = nil\nprint(x.field)\n", "ftplugin/text.lua:2: attempt to index local 'x'"),
        ("text.vim", "let a = 1\nlet b = nothing\n", "E121: Undefined variable: nothing"),
    ],
)
def test_a_diff_is_shown_although_an_ftplugin_fails(
    open_editor: Open, tmp_path: Path, name: str, code: str, failed: str
) -> None:
    folder = tmp_path / "config/ftplugin"
    folder.mkdir(parents=True)
    init = f"vim.opt.runtimepath:prepend({str(folder.parent)!r})"
    editor = open_old(open_editor, script(tmp_path, on_prompt("", *write_through())), init=init)
    (folder / name).write_text(code)
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    editor.screen.expect(f"your ftplugin for text failed: {failed}")
    assert editor.lua(MODE) == {"mode": "n", "blocking": False}
    assert "traceback" not in editor.lua("return vim.fn.execute('messages')")


@pytest.mark.parametrize("event", ["BufNew", "BufWinEnter", "WinNew"])
def test_a_diff_opens_whole(open_editor: Open, tmp_path: Path, event: str) -> None:
    editor = open_old(open_editor, script(tmp_path, on_prompt("", *write_through())), init=LUA % event)
    editor.lua("vim.g.boom = 1")
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    editor.screen.expect(f"acp_nvim: an autocommand of yours failed: no luck with {event}")
    assert editor.lua(MODE) == {"mode": "n", "blocking": False}


WIPE = """
vim.api.nvim_create_autocmd("User", { pattern = "%s", once = true, callback = function()
  vim.cmd("bwipeout! " .. vim.fn.bufnr("^acp://1/chat$"))
end })
"""


@pytest.mark.parametrize("event", ["AcpTurnStarted", "AcpQuestion", "AcpTurnEnded"])
def test_a_chat_that_an_autocommand_wipes_comes_back(open_editor: Open, tmp_path: Path, event: str) -> None:
    agent = script(tmp_path, on_prompt("", permission("Go on?"), say("hello there")))
    editor = open_chat(open_editor, agent, init=WIPE % event)
    send(editor, "hi")
    question = editor.wait_event("AcpQuestion")["id"]
    assert editor.acp("answer", question, "yes") is True
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.type("<Esc>:Acp close<CR>:Acp<CR>")
    editor.screen.expect("hello there")
    assert editor.mode()["blocking"] is False
    assert "E5108" not in editor.lua("return vim.fn.execute('messages')")
    assert "Invalid buffer" not in editor.lua("return vim.fn.execute('messages')")
