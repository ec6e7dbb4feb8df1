"""The keys of the review, where they are used: told beside the hunk, there beside other plugins, repeated by `.`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, write_file
from tests.functional.editor import Editor
from tests.functional.packages import plugin
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read_and_edit
from tests.steps.review import CHANGED, PENDING, TEN, start_review

Open = Callable[..., Editor]
EDIT = read_and_edit(NOTES, write_file(NOTES, join_lines(CHANGED)))
HINT = (
    "return #vim.tbl_filter(function(m) return (m[4].virt_text or { { '' } })[1][1]:find('^ %d+/%d+') ~= nil "
)
HINT += "end, vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true }))"
COMMA = "vim.g.maplocalleader = ','\n"
# What which-key v3 sets in each buffer: see lua/which-key/triggers.lua.
TRIGGERS = """
local function trigger(keys)
  vim.keymap.set('n', keys, function()
    local more = vim.fn.getcharstr()
    vim.api.nvim_feedkeys(keys .. more, 'mt', false)
  end, { buffer = true, nowait = true, desc = 'which-key-trigger' })
end
vim.api.nvim_create_autocmd('BufEnter', { callback = function()
  for _, keys in ipairs({ ']', '[', '%s' }) do trigger(keys) end
end })
"""
TIME_OF_UNDOING = """_G.took = {}
vim.on_key(function(_, typed)
  _G.pressed = typed ~= '' and vim.uv.hrtime() or _G.pressed
end)
vim.api.nvim_create_autocmd('User', { pattern = 'AcpChanges', callback = function()
  table.insert(_G.took, (vim.uv.hrtime() - _G.pressed) / 1e6)
end })"""


def key_maps(editor: Editor) -> list[str]:
    """Those of ours in the buffer."""
    code = "local own = {} for _, m in ipairs(vim.api.nvim_buf_get_keymap(0, 'n')) do "
    code += "if (m.rhs or ''):find('^<Plug>%(acp%-') then own[#own + 1] = m.lhs end end table.sort(own) return own"
    return list(editor.lua(code))


def test_the_keys_are_told_beside_the_hunk_under_the_cursor(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *EDIT, init=COMMA)
    editor.type("gg")
    editor.expect_lua(HINT, 0)
    editor.type("j")
    editor.screen.expect("┃ LINE 2  1/3  ,k keep  ,u undo  ]h next\n")
    editor.type("]h")
    editor.screen.expect("┃ new  2/3  ,k keep  ,u undo  ]h next\n")
    editor.screen.expect("┃ LINE 2\n")
    editor.type("A")
    editor.screen.expect("┃ new\n")
    editor.type("<Esc>")
    editor.screen.expect("┃ new  2/3  ,k keep  ,u undo  ]h next\n")
    editor.type(":split<CR><C-w>j:enew<CR>")
    editor.screen.expect("┃ new\n")
    editor.type(":quit<CR>]h")
    editor.screen.expect("▁ line 9  3/3  ,k keep  ,u undo  [h previous\n")
    editor.type(",k")
    editor.expect_lua(PENDING, 2)
    editor.screen.expect("  line 9\n~")
    editor.type("[h,k")
    editor.expect_lua(PENDING, 1)
    editor.type("[h")
    editor.screen.expect("┃ LINE 2  1/1  ,k keep  ,u undo\n")
    editor.type(",u")
    editor.expect_lua(PENDING, 0)
    editor.expect_lua(HINT, 0)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["x" * 95, "y" * 70, "z" * 84], "y" * 70 + "  1/1  ,k keep  ,u undo\n"),
        (["x" * 95, "z" * 76], "z" * 76 + "  1/1 ,k keep ,u undo\n"),
        (["x" * 95, "z" * 90], "z" * 90 + "  1/1\n"),
        (["x" * 95, "x" * 196], "x" * 98 + "\n  line 4\n"),
    ],
)
def test_the_hint_stands_where_there_is_room(
    open_editor: Open, tmp_path: Path, lines: list[str], shown: str
) -> None:
    """In the last row of a line that wraps; never cut, and never over the text."""
    wrote = read_and_edit(NOTES, write_file(NOTES, join_lines([*TEN[:1], *lines, *TEN[3:]])))
    editor = start_review(open_editor, tmp_path, *wrote, pending=1, init=COMMA)
    editor.type("2G")
    editor.expect_lua(HINT, 1 if "1/1" in shown else 0)
    editor.screen.expect(lambda screen: screen.cursor[0] > 0 and shown in screen.text(), what=shown)


def test_the_hint_is_shortened_as_the_window_becomes_narrow(open_editor: Open, tmp_path: Path) -> None:
    wrote = read_and_edit(NOTES, write_file(NOTES, join_lines([TEN[0], "z" * 30, *TEN[2:]])))
    editor = start_review(open_editor, tmp_path, *wrote, pending=1, init=COMMA)
    editor.type("2G")
    editor.screen.expect("zz  1/1  ,k keep  ,u undo")
    editor.type(":set columns=54<CR>")
    editor.screen.expect("zz  1/1 ,k keep ,u undo")


def test_keys_of_others_are_left_alone_and_told_of(open_editor: Open, tmp_path: Path) -> None:
    init = """
    vim.g.maplocalleader = ','
    vim.keymap.set('n', ']h', '<Cmd>Gitsigns next_hunk<CR>')
    vim.keymap.set('n', '[h', '<Cmd>GitGutterPrevHunk<CR>')
    vim.keymap.set('n', ',k', 'k', { desc = 'Kindly go up' })
    vim.keymap.set('n', '<Space>u', '<Plug>(acp-undo-hunk)')
    """
    editor = start_review(open_editor, tmp_path, *EDIT, init=init, size=(140, 30))
    assert key_maps(editor) == [",u", "<Space>u"] or key_maps(editor) == [",u"]
    editor.type(":2<CR>")
    hint = """1/3  :Acp keep (,k is "Kindly go up")  <Space>u undo  :Acp hunk next (]h is ":Gitsigns next_hunk")"""
    editor.screen.expect(hint)
    editor.type(":Acp review<CR>")
    editor.screen.expect(
        """change 1 of 3 · ,k is "Kindly go up", :Acp keep · <Space>u undo · ]h is ":Gitsigns ne"""
    )
    editor.type(":Acp hunk next<CR>:Acp keep<CR>")
    editor.expect_lua(PENDING, 2)
    editor.type("G<Space>u")
    editor.expect_lua(PENDING, 1)
    assert editor.lua("return vim.fn.maparg(',k', 'n')") == "k"


@pytest.mark.parametrize("leader", [",", " "])
def test_triggers_of_a_plugin_that_lists_keys_are_no_maps(
    open_editor: Open, tmp_path: Path, leader: str
) -> None:
    init = f"vim.g.maplocalleader = '{leader}'\n" + TRIGGERS % leader
    editor = start_review(open_editor, tmp_path, *EDIT, init=init)
    shown = leader.replace(" ", "<Space>")
    editor.expect_lua("return vim.fn.maparg(']h') ~= ''")
    editor.type("gg]h")
    editor.screen.expect(f"1/3  {shown}k keep  {shown}u undo  ]h next")
    editor.type(f"{shown}u]h{shown}k")
    editor.expect_lua(PENDING, 1)
    assert editor.lua(LINES) == [*TEN[:6], "new", *TEN[6:9]]
    editor.type(f"G{shown}k")
    editor.expect_lua(PENDING, 0)
    editor.screen.expect(lambda _: key_maps(editor) == [], what="our keys are gone")
    assert editor.lua("return vim.fn.maparg(']', 'n', false, true).desc") == "which-key-trigger"


@pytest.mark.parametrize("key", ["u", "k"])
def test_a_key_pressed_once_too_often_is_not_neovims_own(open_editor: Open, tmp_path: Path, key: str) -> None:
    """Without our map `\\u` would be `u`, which takes back what the user has typed last."""
    editor = start_review(open_editor, tmp_path, *EDIT)
    editor.type("ggAmine<Esc>")
    for left in (2, 1, 0):
        editor.type(f"gg]h\\{key}")
        editor.expect_lua(PENDING, left)
    decided = editor.lua(LINES)
    editor.type(f"\\{key}")
    editor.screen.expect("no pending change under the cursor")
    assert editor.lua(LINES) == decided
    assert decided[0] == "line 1mine"
    editor.screen.expect(lambda _: key_maps(editor) == [], what="our keys are gone")


def test_a_map_that_swallows_the_first_key_is_told_of(open_editor: Open, tmp_path: Path) -> None:
    init = COMMA + "vim.keymap.set('n', ']', 'j', { nowait = true, desc = 'down' })\n"
    editor = start_review(open_editor, tmp_path, *EDIT, init=init)
    editor.type(":2<CR>")
    editor.screen.expect('1/3  ,k keep  ,u undo  :Acp hunk next (]h is "down")')


def test_which_key_lists_and_runs_the_keys(open_editor: Open, tmp_path: Path) -> None:
    folder = plugin("which-key.nvim")
    init = COMMA + f"vim.opt.runtimepath:prepend('{folder}')\nrequire('which-key').setup({{ delay = 0 }})\n"
    init += "vim.keymap.set('n', ']q', '<Cmd>cnext<CR>')\nvim.keymap.set('n', '[q', '<Cmd>cprevious<CR>')\n"
    init += "vim.keymap.set('n', ',x', 'x')\n"
    editor = start_review(open_editor, tmp_path, *EDIT, init=init, size=(120, 30))
    editor.expect_lua("return vim.fn.maparg(']', 'n', false, true).desc", "which-key-trigger")
    editor.expect_lua("return vim.fn.maparg(']h') ~= ''")
    editor.type("]")
    editor.screen.expect("next change by the agent")
    editor.type("h")
    editor.expect_lua("return vim.fn.line('.')", 2)
    editor.screen.expect("1/3  ,k keep  ,u undo  ]h next")
    editor.expect_lua("return vim.fn.maparg(',', 'n', false, true).desc", "which-key-trigger")
    editor.type(",")
    editor.screen.expect("undo the change")
    editor.type("u")
    editor.expect_lua(PENDING, 2)


def test_gitsigns_keeps_its_keys(open_editor: Open, tmp_path: Path) -> None:
    folder = plugin("gitsigns.nvim")
    init = (
        COMMA
        + f"""
    vim.opt.runtimepath:prepend('{folder}')
    require('gitsigns').setup({{ on_attach = function(buf)
      local gitsigns = require('gitsigns')
      vim.keymap.set('n', ']h', function() gitsigns.nav_hunk('next') end, {{ buffer = buf }})
      vim.keymap.set('n', '[h', '<Cmd>Gitsigns prev_hunk<CR>', {{ buffer = buf }})
      vim.b[buf].attached = true
    end }})
    """
    )
    agent = script(tmp_path, on_prompt("", *EDIT))
    editor = open_notes(open_editor, agent, join_lines(TEN), init=init, size=(120, 30))
    run = "git init -q && git add notes.txt && git -c user.name=a -c user.email=a@b commit -qm one"
    assert editor.lua("return vim.fn.system(...) .. vim.v.shell_error", run) == "0"
    editor.type(":edit<CR>")
    editor.expect_lua("return vim.b.attached == true")
    editor.acp("prompt", "edit")
    editor.expect_lua(PENDING, 3)
    assert key_maps(editor) == [",k", ",u"]
    editor.type(":2<CR>")
    editor.screen.expect("1/3  ,k keep  ,u undo  :Acp hunk next (]h is mapped)")
    editor.type(":Acp hunk next<CR>:Acp hunk next<CR>")
    editor.screen.expect(':Acp hunk previous ([h is ":Gitsigns prev_hunk")')
    editor.type(",u")
    editor.expect_lua(PENDING, 2)


MANY = [line.upper() if n % 3 == 1 else line for n, line in enumerate(f"line {n}" for n in range(20))]


def many(open_editor: Open, tmp_path: Path) -> Editor:
    """Seven hunks of one line each, on lines 2, 5, 8, …"""
    wrote = read_and_edit(NOTES, write_file(NOTES, join_lines([line or " " for line in MANY])))
    before = join_lines([f"line {n}" for n in range(20)])
    return start_review(open_editor, tmp_path, *wrote, before=before, pending=7, init=COMMA)


def test_keep_and_undo_repeat_with_a_dot(open_editor: Open, tmp_path: Path) -> None:
    editor = many(open_editor, tmp_path)
    editor.type("2Gl,u")
    editor.expect_lua(PENDING, 6)
    assert editor.lua("return { vim.fn.line('.'), vim.fn.col('.') }") == [2, 2]
    editor.type("]h.")
    editor.expect_lua(PENDING, 5)
    editor.type("]hyy.")
    editor.expect_lua(PENDING, 4)
    assert editor.lua(LINES)[:8] == [f"line {n}" for n in range(8)]
    editor.type("]h,k]h.")
    editor.expect_lua(PENDING, 2)
    editor.type("u:2<CR>.")
    editor.screen.expect("no pending change under the cursor")
    states = [h["state"] for h in editor.acp("changes", {"all": True})[0]["hunks"]]
    assert states.count("kept") == 2


def test_counts_and_ranges_are_lines_and_repeat_too(open_editor: Open, tmp_path: Path) -> None:
    editor = many(open_editor, tmp_path)
    editor.type("2G4,u")
    editor.expect_lua(PENDING, 5)
    editor.type("8G.")
    editor.expect_lua(PENDING, 3)
    editor.type("14GVjjj,k")
    editor.expect_lua(PENDING, 1)
    assert editor.mode()["mode"] == "n"
    editor.type("19G99,k")
    editor.expect_lua(PENDING, 0)


@pytest.mark.alone
def test_the_hint_costs_next_to_nothing(open_editor: Open, tmp_path: Path) -> None:
    """A thousand hunks, and the cursor goes from line to line."""
    before = [f"line {n}" for n in range(10_000)]
    after = [line if n % 10 else line.upper() for n, line in enumerate(before)]
    wrote = read_and_edit(NOTES, write_file(NOTES, join_lines(after)))
    editor = start_review(open_editor, tmp_path, *wrote, before=join_lines(before), pending=1000)
    timed = """local function moved(from)
      local start = vim.uv.hrtime()
      for row = from, from + 99 do
        vim.api.nvim_win_set_cursor(0, { row, 0 })
        vim.api.nvim_exec_autocmds('CursorMoved', { buffer = 0 })
      end
      return (vim.uv.hrtime() - start) / 100 / 1e6
    end
    return math.min(moved(100), moved(4000), moved(8000), moved(200))"""
    assert editor.lua(timed) < 1
    editor.type("5001G")
    editor.screen.expect("┃ LINE 5000  501/1000")


def test_the_key_undoes_at_once(open_editor: Open, tmp_path: Path) -> None:
    """An operator runs in the middle of a command, where a buffer takes no edits; no pause is added to that."""
    editor = start_review(open_editor, tmp_path, *EDIT)
    editor.lua(TIME_OF_UNDOING)
    editor.type("gg")
    for left in (2, 1, 0):
        editor.type("]h\\u")
        editor.expect_lua(PENDING, left)
    assert min(editor.lua("return _G.took")) < 40
    assert editor.lua(LINES) == TEN
