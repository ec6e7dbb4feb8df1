"""The plugin among other settings and plugins: nothing of theirs breaks, and nothing of ours."""

import os
import re
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, say, script, tool
from tests.functional.editor import ROOT, Editor
from tests.functional.packages import plugin
from tests.functional.screen import Screen
from tests.steps.conversation import expect_answerable, look

Open = Callable[..., Editor]
HELP = (ROOT / "doc" / "acp_nvim.txt").read_text()
BUFFERS = """
return vim.iter(vim.api.nvim_list_bufs()):map(function(buf)
  return vim.api.nvim_buf_get_name(buf)
end):filter(function(name) return name ~= "" end):totable()
"""


def example(word: str) -> str:
    """The snippet of the help with this word in it."""
    (found,) = (
        code for code in re.findall(r">lua\n(.*?)^(?=\S)", HELP, re.DOTALL | re.MULTILINE) if word in code
    )
    return found


@pytest.fixture
def talk(open_editor: Open, tmp_path: Path) -> Callable[..., Editor]:
    """The chat after a turn, under these settings."""

    def start(init: str = "", *rules: Any, opened: str = "", **options: Any) -> Editor:
        agent = script(tmp_path, *rules, on_prompt("", say("# Said\n\nYes, so it is.")))
        mine = {"command": agent.argv[0], "args": agent.argv[1:]}
        editor = open_editor(setup={"agents": {"mine": mine}}, init=init, **options)
        if opened:
            editor.type(opened)
        editor.type(":Acp<CR>")
        editor.wait_event("AcpSessionStarted")
        editor.type("ihello<C-s><Esc>")
        return editor

    return start


def answered(editor: Editor) -> None:
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("so it is.")
    assert editor.mode()["blocking"] is False
    assert editor.lua("return vim.v.errmsg") == ""
    assert editor.stderr() == ""


# --- settings


WINDOWS = """
vim.o.hidden, vim.o.more, vim.o.cmdheight = false, true, 0
vim.o.equalalways, vim.o.splitbelow, vim.o.splitright = true, true, true
vim.o.virtualedit, vim.o.selection, vim.o.startofline = "all", "exclusive", true
vim.o.termguicolors, vim.o.background = false, "light"
"""
FILES = """
vim.o.autowriteall, vim.o.autochdir, vim.o.shell = true, true, "/nowhere/fish"
vim.o.wildignore, vim.o.isfname = "*", "@"
vim.o.ignorecase, vim.o.magic, vim.o.gdefault = true, false, true
vim.o.backupcopy, vim.o.writebackup, vim.o.undofile = "yes", true, true
"""


@pytest.mark.parametrize("init", [WINDOWS, FILES], ids=["windows", "files"])
def test_a_turn_under_unusual_settings(talk: Callable[..., Editor], init: str) -> None:
    answered(talk(f"{init}\n"))


def test_unsaved_lines_stay_loaded_where_hidden_is_off(talk: Callable[..., Editor]) -> None:
    editor = talk("vim.o.hidden = false\n", opened="iunsaved<Esc>")
    answered(editor)
    editor.type(":Acp close<CR>:Acp<CR>")
    shows_the_log(editor)
    editor.type(":Acp close<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.screen.expect("unsaved")
    assert editor.lua("return vim.v.errmsg") == ""


def test_autowriteall_writes_nothing_of_ours(talk: Callable[..., Editor]) -> None:
    editor = talk("vim.o.autowriteall = true\n")
    answered(editor)
    editor.type("iwords not sent<Esc><C-w>k<C-w>j:Acp close<CR>:Acp<CR>:edit other.txt<CR>:Acp close<CR>")
    editor.type(":qa<CR>")
    editor.wait_exit()
    assert not [path.name for path in editor.project.iterdir()]


@pytest.mark.parametrize("place", ["home", "root"])
def test_a_folder_that_is_no_project(talk: Callable[..., Editor], place: str) -> None:
    where = "vim.env.HOME" if place == "home" else "'/'"
    editor = talk(f"vim.fn.chdir({where})\n")
    answered(editor)
    folder = "/" if place == "root" else str(editor.home)
    assert editor.acp("status")["cwd"] == folder
    editor.type(":Acp prompt see @")
    editor.type("<Esc>i@<C-x><C-u>")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    editor.type("<C-e><Esc>")
    assert editor.lua("return vim.v.errmsg") == ""


def test_a_shell_that_is_no_sh_runs_nothing_of_ours(talk: Callable[..., Editor], tmp_path: Path) -> None:
    shell, said = tmp_path / "fish", tmp_path / "said"
    shell.write_text('#!/bin/sh\necho "$@" >>"$ACP_FISH"\nexit 127\n')
    shell.chmod(0o755)
    editor = talk(
        f"vim.o.shell = '{shell}'\nvim.env.SHELL = '{shell}'\n",
        on_prompt("hello", tool("t", title="Run", kind="execute"), say("so it is.")),
        env={"ACP_FISH": str(said)},
    )
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.type(":Acp terminals<CR>:Acp agents<CR>:checkhealth acp_nvim<CR>")
    editor.expect_lua("return vim.bo.filetype", "checkhealth")
    assert not said.exists(), said.read_text()


def test_commands_of_the_demo_agent_run_whatever_the_shell(open_editor: Open, tmp_path: Path) -> None:
    fish = shutil.which("fish") or "/nowhere/fish"
    init = f"vim.o.shell = '{fish}'\nvim.env.SHELL = '{fish}'\n"
    editor = open_editor(setup={"default_agent": "demo"}, init=init)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("i/run echo $((40 + 2)) && echo done<C-s><Esc>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.type(":Acp terminals<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_terminals")
    editor.type("<CR>")
    editor.expect_lua("return vim.bo.buftype .. ' ' .. vim.fn.getline(1)", "terminal 42")


# --- windows and tabs


def shows_the_log(editor: Editor) -> None:
    editor.type(":Acp log<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_log")  # the backend is asked for its part
    editor.type(":close<CR>")


def test_a_window_that_keeps_its_buffer_is_left_alone(talk: Callable[..., Editor]) -> None:
    editor = talk("", opened=":edit kept.txt<CR>:setlocal winfixbuf<CR>")
    answered(editor)
    editor.type(":Acp close<CR>:Acp follow<CR>")
    shows_the_log(editor)
    editor.type(":Acp<CR>:Acp close<CR>")
    editor.expect_lua("return vim.wo.winfixbuf and vim.fn.bufname('%') or ''", "kept.txt")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    assert "E1513" not in editor.lua("return vim.fn.execute('messages')")


def test_each_tab_has_its_pair(talk: Callable[..., Editor]) -> None:
    editor = talk()
    answered(editor)
    editor.type(":tabnew<CR>:Acp<CR>")
    editor.expect_lua("return #vim.api.nvim_tabpage_list_wins(0)", 3)
    editor.type(":tabclose<CR>")
    editor.expect_lua("return #vim.api.nvim_list_tabpages()", 1)
    editor.screen.expect("so it is.")
    editor.type(":Acp close<CR>:tabonly<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.type(":Acp<CR>:tab split<CR>:Acp close<CR>")
    assert editor.lua("return vim.v.errmsg") == ""
    assert editor.acp("status")["state"] == "idle"


# --- sessions


@pytest.mark.parametrize("options", ["", "set sessionoptions+=localoptions,options,globals"])
def test_a_saved_session_has_nothing_of_ours(
    talk: Callable[..., Editor], open_editor: Open, tmp_path: Path, options: str
) -> None:
    file = tmp_path / "Session.vim"
    before = talk("", opened=":edit mine.txt<CR>")
    answered(before)
    before.type(f":{options}<CR>:Acp log<CR>:Acp sessions<CR>:mksession! {file}<CR>")
    before.expect_lua("return vim.fn.filereadable(...)", 1, str(file))
    editor = open_editor(init="")
    editor.type(f":silent source {file}<CR>")
    editor.expect_lua("return vim.fn.bufexists('mine.txt')", 1)
    editor.expect_lua(BUFFERS, lambda names: not [name for name in names if "acp:" in name])
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    assert editor.lua("return vim.v.errmsg") == ""


# --- colours

GROUPS = """
local bad = {}
for name in pairs(require("acp_nvim.ui.highlight").groups) do
  if vim.fn.hlexists(name) == 0 then bad[#bad + 1] = name end
end
for _, name in ipairs({ "AcpUser", "AcpCode" }) do
  local ground, normal = vim.api.nvim_get_hl(0, { name = name }), vim.api.nvim_get_hl(0, { name = "Normal" })
  if not ground.bg or ground.bg == normal.bg then bad[#bad + 1] = name end
end
for _, name in ipairs({ "AcpDone", "AcpRunning", "AcpQuestion" }) do -- all but white on white in "morning"
  local link = vim.api.nvim_get_hl(0, { name = name }).link
  local scheme = vim.g.colors_name
  if scheme == "morning" and link or scheme == "habamax" and not link then bad[#bad + 1] = name end
end
return bad
"""


@pytest.mark.parametrize(
    ("scheme", "background"), [("habamax", "dark"), ("morning", "light"), ("default", "dark")]
)
def test_the_groups_follow_the_colour_scheme(
    talk: Callable[..., Editor], scheme: str, background: str
) -> None:
    editor = talk("vim.o.termguicolors = true\n")
    answered(editor)
    before = editor.lua("return vim.api.nvim_get_hl(0, { name = 'AcpUser' }).bg")
    editor.type(f":set background={background}<CR>:colorscheme {scheme}<CR>")
    assert editor.lua(GROUPS) == []
    if scheme != "default":
        assert editor.lua("return vim.api.nvim_get_hl(0, { name = 'AcpUser' }).bg") != before
    editor.type(":hi AcpUser guibg=#123456<CR>:hi link AcpTool Search<CR>")
    assert editor.lua("return vim.api.nvim_get_hl(0, { name = 'AcpUser' }).bg") == 0x123456


# --- treesitter and renderers

TREESITTER = """
vim.api.nvim_create_autocmd("FileType", { callback = function(args) vim.treesitter.start(args.buf) end })
"""
BRAVE = """
vim.api.nvim_create_autocmd("FileType", { callback = function(args)
  pcall(vim.treesitter.start, args.buf)
  vim.wo.foldmethod, vim.wo.foldexpr = "expr", "v:lua.vim.treesitter.foldexpr()"
end })
"""
ACTIVE = """
return vim.iter(vim.api.nvim_list_bufs()):any(function(buf) return vim.treesitter.highlighter.active[buf] ~= nil end)
"""


@pytest.mark.parametrize("init", [TREESITTER, BRAVE], ids=["bare", "guarded"])
def test_who_starts_treesitter_everywhere_gets_a_chat(talk: Callable[..., Editor], init: str) -> None:
    editor = talk(init)
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("so it is.")
    assert editor.lua(ACTIVE) is False
    assert editor.lua("return vim.wo.foldenable") is False


def test_render_markdown_leaves_the_chat_alone(talk: Callable[..., Editor]) -> None:
    folder = plugin("render-markdown.nvim")
    editor = talk(f"vim.opt.runtimepath:prepend('{folder}')\nrequire('render-markdown').setup({{}})\n")
    answered(editor)


# --- maps and pickers


def test_every_map_says_what_it_does(talk: Callable[..., Editor]) -> None:
    editor = talk()
    answered(editor)
    undescribed = """
    local none = {}
    for _, mode in ipairs({ "n", "x", "o", "i" }) do
      local all = vim.list_extend(vim.api.nvim_get_keymap(mode), vim.api.nvim_buf_get_keymap(0, mode))
      for _, map in ipairs(all) do
        local ours = map.buffer ~= 0 or map.lhs:find("<Plug>(acp", 1, true)
        if ours and (map.desc or "") == "" then none[#none + 1] = mode .. " " .. map.lhs end
      end
    end
    return none
    """
    assert editor.lua(undescribed) == []
    editor.type("<C-w>k")
    assert editor.lua(undescribed) == []


PICKER = """
vim.ui.select = function(items, options, choose)
  _G.offered = items
  vim.schedule(function() choose(items[#items], #items) end)
end
"""


@pytest.mark.every_nvim
def test_a_picker_of_the_users_gets_the_lists(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("so it is.")))
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"one": mine, "other": mine}}, init=PICKER)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert len(editor.lua("return _G.offered")) >= 2


TELESCOPE = """
for _, name in ipairs({ "plenary.nvim", "telescope.nvim", "telescope-ui-select.nvim" }) do
  vim.opt.runtimepath:prepend(vim.env.ACP_PLUGIN .. "/../" .. name)
end
require("telescope").load_extension("ui-select")
"""
FZF = "require('fzf-lua').register_ui_select()\n"
SNACKS = "require('snacks').setup({ picker = { enabled = true, ui_select = true } })\n"
MINI = "require('mini.pick').setup()\nvim.ui.select = MiniPick.ui_select\n"


@pytest.mark.every_nvim
@pytest.mark.parametrize(
    ("name", "init"),
    [
        ("telescope-ui-select.nvim", TELESCOPE),
        ("fzf-lua", FZF),
        ("snacks.nvim", SNACKS),
        ("mini.nvim", MINI),
    ],
)
def test_the_pickers_of_others_choose_while_the_backend_goes_on(
    open_editor: Open, tmp_path: Path, name: str, init: str
) -> None:
    folder = plugin(name)
    if init == FZF and not shutil.which("fzf", path=f"{folder.parent / 'fzf'}:{os.environ['PATH']}"):
        pytest.skip(f"fzf-lua needs fzf, on PATH or in {folder.parent / 'fzf'}")
    if init == TELESCOPE:
        for other in ("telescope.nvim", "plenary.nvim"):
            plugin(other)
    agent = script(tmp_path, on_prompt("", say("so it is.")))
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(
        setup={"agents": {"one": mine, "other": mine}},
        init=f"vim.opt.runtimepath:prepend('{folder}')\n{init}",
        env={"ACP_PLUGIN": str(folder), "PATH": f"{folder.parent / 'fzf'}:{os.environ['PATH']}"},
    )
    if init == TELESCOPE and not editor.lua("return vim.fn.has('nvim-0.11') == 1"):
        pytest.skip("telescope wants Neovim 0.11")
    editor.type(":Acp<CR>")
    editor.screen.expect("other")
    editor.type("other")
    editor.screen.expect_gone("one")
    editor.type("<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "other"
    for prompt in ("first words", "second thing"):
        editor.acp("prompt", prompt)
        editor.wait_event("AcpTurnEnded")
    editor.type(":Acp close<CR>")
    editor.screen.expect_gone("second thing")
    editor.type(":Acp history<CR>")
    editor.screen.expect("second thing")
    editor.screen.expect("Earlier prompts")
    editor.type("<CR>")
    editor.expect_lua("return vim.bo.filetype .. vim.fn.getline(1)", "acp_promptsecond thing")
    editor.acp("new_session", {"agent": "one"})
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type("<Esc>:Acp switch<CR>")
    editor.screen.expect("session 2")
    editor.type("<CR>")
    editor.expect_lua("return vim.fn.bufname()", lambda name: name.endswith("/prompt"))


# --- statuslines


@pytest.mark.parametrize(
    ("name", "word"),
    [("lualine.nvim", "lualine_x"), ("mini.nvim", "combine_groups"), ("heirline.nvim", "heirline")],
)
def test_a_statusline_of_the_help_shows_the_session(
    talk: Callable[..., Editor], name: str, word: str
) -> None:
    init = f"vim.opt.runtimepath:prepend('{plugin(name)}')\nvim.o.laststatus = 3\n"
    editor = talk(init + example("is_used") + example(word), opened=":edit mine.txt<CR>")
    answered(editor)
    editor.screen.expect(lambda screen: "Scripted" in screen.lines()[-2], what="the agent in the statusline")


OTHERS = """local timer = vim.uv.new_timer()
timer:start(0, 20, vim.schedule_wrap(function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.fn.win_gettype(win) ~= 'popup' then -- as lualine has it
      vim.api.nvim_set_option_value('statusline', 'of another plugin', { win = win, scope = 'local' })
    end
  end
end))
"""
LUALINE = "vim.opt.runtimepath:prepend('{}')\nrequire('lualine').setup({{}})\n"


@pytest.mark.parametrize("with_lualine", [True, False])
def test_the_keys_are_shown_where_a_plugin_takes_every_statusline(
    talk: Callable[..., Editor], with_lualine: bool
) -> None:
    asks = on_prompt("hello", permission("May I?"), say("so it is."))
    editor = talk(LUALINE.format(plugin("lualine.nvim")) if with_lualine else OTHERS, asks)
    editor.screen.expect("May I?")
    editor.screen.expect("g1 yes")
    editor.type(":Acp prompt more<CR>")

    def is_above_the_keys(screen: Screen) -> bool:
        return any("1 queued  more" in one and "g1 yes" in below for one, below in pairwise(screen.lines()))

    editor.screen.expect(is_above_the_keys, what="the queue above the keys")
    look(editor)
    editor.type("g1")
    answered(editor)


def test_a_statusline_does_not_load_the_plugin(open_editor: Open) -> None:
    init = "vim.o.statusline = '%{%v:lua.acp()%}'\n" + example("is_used").replace(
        "local function", "function"
    )
    editor = open_editor(init=init)
    editor.type("ix<Esc>")
    editor.screen.expect(
        lambda screen: screen.lines()[0] == "x", what="the letter, and with it the statusline"
    )
    assert editor.lua("return package.loaded['acp_nvim'] == nil and acp()") == ""


def test_which_key_lists_our_maps(talk: Callable[..., Editor]) -> None:
    folder = plugin("which-key.nvim")
    editor = talk(f"vim.opt.runtimepath:prepend('{folder}')\nrequire('which-key').setup({{ delay = 0 }})\n")
    answered(editor)
    editor.type("<C-w>k")
    editor.expect_lua("return vim.bo.filetype", "acp_chat")
    editor.expect_lua("return next(require('which-key.buf').bufs) ~= nil")
    editor.type("]")
    editor.screen.expect("next turn")
    editor.type("t<Esc>")


def test_what_is_asked_is_seen_whatever_the_settings(talk: Callable[..., Editor]) -> None:
    asks = on_prompt("hello", permission("May I?"), say("so it is."))
    editor = talk("vim.o.hidden, vim.o.autowriteall = false, true\n", asks)
    editor.screen.expect("May I?")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    answered(editor)
