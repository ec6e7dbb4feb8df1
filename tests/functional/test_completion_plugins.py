"""Completion plugins in the prompt: what our sources give, and what the real plugins make of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on, on_prompt, say, script, update
from tests.functional.editor import Editor
from tests.functional.packages import plugin

Open = Callable[..., Editor]
BLINK = """
vim.opt.runtimepath:prepend("{folder}")
require("blink.cmp").setup({{
  fuzzy = {{ implementation = "lua" }},
  keymap = {{ preset = "default" }},
  sources = {{
    per_filetype = {{ acp_prompt = {{ "acp" }} }},
    providers = {{ acp = {{ name = "acp", module = "acp_nvim.sources.blink" }} }},
  }},
}})
"""
CMP = """
vim.opt.runtimepath:prepend("{folder}")
local cmp = require("cmp")
cmp.register_source("acp_nvim", require("acp_nvim.sources.cmp").new())
cmp.setup({{
  mapping = cmp.mapping.preset.insert({{ ["<C-y>"] = cmp.mapping.confirm({{ select = true }}) }}),
}})
cmp.setup.filetype("acp_prompt", {{ sources = {{ {{ name = "acp_nvim" }} }} }})
vim.cmd.runtime("plugin/cmp.lua")
"""
# nvim-cmp looks at nothing that is typed while it still inserts what was chosen
AT_REST = "return not (package.loaded.cmp and package.loaded.cmp.core.suspending)"
SHAPE = """
local items = require("acp_nvim.sources.lsp_items").at(vim.api.nvim_get_current_buf(), ...)
return vim.tbl_map(function(item)
  return { item.label, item.kind, item.labelDetails.description, item.textEdit.range, item.textEdit.newText }
end, items)
"""
BOTH = """
local buf, got = vim.api.nvim_get_current_buf(), {}
local blink = require("acp_nvim.sources.blink").new({}, {})
local context = { bufnr = buf, cursor = { 1, 3 }, line = "/re and more" }
blink:get_completions(context, function(answer) got.blink = answer end)
local cmp = require("acp_nvim.sources.cmp").new()
local before = { context = { bufnr = buf, cursor = { row = 1 }, cursor_before_line = "/re", cursor_after_line = "" } }
cmp:complete(before, function(answer) got.cmp = answer end)
return { got.blink.items[1].label, got.cmp.items[1].label, #got.blink.items, #got.cmp.items,
  blink:enabled(), cmp:is_available(), blink:get_trigger_characters(), cmp:get_trigger_characters() }
"""


@pytest.fixture
def prompt(open_editor: Open, tmp_path: Path) -> Callable[..., Editor]:
    def start(init: str = "") -> Editor:
        known = {"review": "looks at it again", "research": "reads on", "tour": ""}
        offered = [{"name": name, "description": text} for name, text in known.items()]
        tells = update({"sessionUpdate": "available_commands_update", "availableCommands": offered})
        agent = script(tmp_path, on("session/new", tells), on_prompt("", say("So be it.")))
        mine = {"command": agent.argv[0], "args": agent.argv[1:]}
        editor = open_editor(setup={"agents": {"mine": mine}}, init=init)
        (editor.project / "a file.txt").write_text("")
        (editor.project / "größe.txt").write_text("")
        editor.type(":Acp<CR>")
        editor.wait_event("AcpSessionStarted")
        editor.expect_lua("return #require('acp_nvim').commands()", 3)
        return editor

    return start


def test_what_the_sources_give(prompt: Callable[..., Editor]) -> None:
    editor = prompt()
    range_ = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    wanted = [
        ["/review", 14, "looks at it again", range_, "/review"],
        ["/research", 14, "reads on", range_, "/research"],
    ]
    assert editor.lua(SHAPE, 1, "/re", "") == wanted
    (found,) = editor.expect_lua(SHAPE, lambda got: got, 1, "see ö @a", " too")
    assert found[4] == "@a\\ file.txt", "the blank behind it is enough"
    (found,) = editor.lua(SHAPE, 1, "see ö @a", "")
    assert found[4] == "@a\\ file.txt "
    assert found[:3] == ["@a\\ file.txt", 17, "file"]
    assert found[3] == {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 9}}
    assert editor.lua(SHAPE, 1, "nothing", "") == []
    triggers = ["/", "@"]
    assert editor.lua(BOTH) == ["/review", "/review", 2, 2, True, True, triggers, triggers]
    editor.type("<C-w>p")
    assert editor.lua(SHAPE, 1, "/re", "") == [], "elsewhere they are silent"


@pytest.mark.parametrize(("name", "init"), [("blink.cmp", BLINK), ("nvim-cmp", CMP)])
def test_the_real_plugin_completes_a_command_and_a_file(
    prompt: Callable[..., Editor], name: str, init: str
) -> None:
    editor = prompt(init.format(folder=plugin(name)))
    editor.type("i/re")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "/re")
    editor.type("v")
    editor.screen.expect("looks at it again")
    editor.type("<C-y>")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "/review")
    editor.expect_lua(AT_REST)
    editor.type(" ö @gr")
    editor.screen.expect("@größe.txt")
    editor.type("<C-y>")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "/review ö @größe.txt ")
    editor.type("<C-s>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert editor.stderr() == ""
