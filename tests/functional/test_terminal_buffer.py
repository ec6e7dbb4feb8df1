"""The agents' terminals in a real Neovim: the list, the buffer with its colours, its keys, its end."""

import pytest

from tests.functional.editor import Editor
from tests.steps.terminals import OPEN_TERMINALS

LINES = "return vim.api.nvim_buf_get_lines(0, 0, -1, true)"
FEED = "return require('acp_nvim.terminal.buffer').feed(1, 't2', ..., vim.api.nvim_get_current_buf())"
VERBS = """
    _G.verbs = {}
    local backend = require("acp_nvim.backend.process")
    backend.notify = function(verb, payload)
      table.insert(_G.verbs, { verb, payload })
      return true
    end
    backend.is_running = function()
      return true
    end
"""


@pytest.fixture
def told(editor: Editor) -> Editor:
    editor.lua(VERBS + OPEN_TERMINALS)
    return editor


def open_second(editor: Editor) -> int:
    assert editor.lua("return require('acp_nvim.terminal.buffer').open(2)")
    return editor.lua("return vim.api.nvim_get_current_buf()")


def test_the_list_names_every_terminal_and_opens_them(told):
    assert told.lua("return require('acp_nvim.terminal.buffer').open_list()")
    assert told.lua(LINES) == ["  1  running   make ^[[2J%d", "  2  running   pytest -q", "  3  running   ls"]
    told.lua("require('acp_nvim.terminal.buffer').exited(1, 't2', 'exit 1')")
    assert told.lua(LINES)[1] == "  2  exit 1    pytest -q"
    told.type("j<CR>")
    told.expect_lua("return vim.b.acp_terminal", "t2")


def test_only_a_command_that_runs_offers_to_be_stopped(told):
    open_second(told)
    told.screen.expect("<C-c> stop   q close")
    told.type("i")
    told.expect_lua("return vim.fn.mode()", "t")
    told.lua("require('acp_nvim.terminal.buffer').exited(1, 't2', 'exit 0')")
    told.type("q")  # meant for the command: no key of the window
    told.expect_lua("return { vim.fn.mode(), vim.b.acp_terminal }", ["t", "t2"])
    told.screen.expect(lambda screen: "<C-c> stop" not in screen.text() and "q close" in screen.text())


def test_a_terminal_is_opened_live_with_its_colours(told):
    buffer = open_second(told)
    verb, payload = told.lua("return _G.verbs[1]")
    assert (verb, payload) == ("terminal_watch", {"session": 1, "id": "t2", "buffer": buffer})
    assert told.lua("return { vim.bo.filetype, vim.bo.buftype, vim.b.acp_terminal, vim.bo.scrollback }") == [
        "acp_terminal",
        "terminal",
        "t2",
        10000,
    ]
    assert told.lua(FEED, "\x1b[31mred\x1b[0m plain\r\n" + "more\r\n" * 100 + "é last\r\n")
    told.screen.expect("é last")  # the window follows the output
    told.type("gg")
    told.expect_lua("return vim.fn.getline('.')", "red plain")
    colours = [told.screen.attrs(word).get("foreground") for word in ("red", "plain")]
    assert colours[0] != colours[1]


def test_its_keys_stop_the_command_and_close_the_window(told):
    open_second(told)
    told.type("<C-c>")
    told.expect_lua("return _G.verbs[2]", ["terminal_kill", {"session": 1, "id": "t2"}])
    told.lua("require('acp_nvim.terminal.buffer').exited(1, 't2', 'SIGTERM')")
    assert "SIGTERM" in told.lua("return vim.wo.winbar")
    told.type("<C-c>")
    told.expect_lua("return #_G.verbs", 2)
    told.type("q")
    told.expect_lua("return #vim.api.nvim_list_wins()", 1)
    open_second(told)
    assert told.lua("return #_G.verbs") == 2, "what is in the buffer is not asked for again"


@pytest.mark.parametrize("wipe", ["bwipeout!", "noautocmd bwipeout!"])
def test_a_wiped_buffer_takes_no_more_and_is_filled_anew(told, wipe):
    first = open_second(told)
    told.lua("vim.cmd(...)", wipe)
    feed = "return require('acp_nvim.terminal.buffer').feed(1, 't2', 'x', ...)"
    assert told.lua(feed, first) is False
    second = open_second(told)
    assert told.lua("return _G.verbs[2][2].buffer") == second != first
    assert told.lua(feed, first) is False
    assert told.lua(feed, second) is True


def test_what_is_not_there_is_said(told):
    message = told.lua("return select(2, require('acp_nvim.terminal.buffer').open(9))")
    assert message == "there is no terminal 9: :Acp terminals shows them"
    open_second(told)
    told.lua("require('acp_nvim.terminal.buffer').ended(1)")
    assert told.lua("return #require('acp_nvim.terminal.buffer').list()") == 1
    assert told.lua("return vim.b.acp_terminal") == "t2", "what the user looks at stays"
