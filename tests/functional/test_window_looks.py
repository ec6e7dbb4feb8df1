"""Windows of ours look the same whatever the user has set for windows on files."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, on_prompt, say, script, tool, update, wait
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send
from tests.steps.forms import NAME, ask_form, open_form
from tests.steps.proposals import ask_edit, expect_closed, open_diff, open_old
from tests.steps.terminals import create_terminal

Open = Callable[..., Editor]
SETTINGS = (
    "number relativenumber signcolumn=yes:3 foldcolumn=4 list spell cursorcolumn cursorline colorcolumn=20,80"
    r" nowrap scrolloff=999 statuscolumn=%l%s%C showbreak=>>> foldmethod=indent foldlevel=0 conceallevel=3"
    " breakindentopt=shift:6 scrollbind fillchars=eob:@"
)
OURS = """
local found = {}
for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local kind = vim.bo[vim.api.nvim_win_get_buf(win)].filetype
  if vim.startswith(kind, "acp") then
    local place = vim.fn.getwininfo(win)[1]
    local border = vim.api.nvim_win_get_config(win).relative ~= "" and 2 or 0
    found[#found + 1] = { kind, place.winrow - 1, place.wincol - 1, place.height + border, place.width + border }
  end
end
return found
"""
PLAN = {
    "sessionUpdate": "plan",
    "entries": [
        {"content": f"{word} step", "status": status, "priority": "high"}
        for word, status in (("First", "completed"), ("Second", "in_progress"), ("Third", "pending"))
    ],
}
LONG = "A line with misspeld words that is far too long for the window, so that it is wrapped more than once."
FILE = "<Esc><C-w>t"  # to the window on a file


def talker(tmp_path: Path) -> ScriptedAgent:
    call = tool("t", title="Look around", kind="execute", status="completed", rawInput={"command": "ls"})
    steps = [
        say(f"# Said\n\n{LONG}\n\n- a list\n    - deeper\n"),
        create_terminal("echo out; sleep 1000"),
        call,
    ]
    return script(
        tmp_path, on_prompt("plan", update(PLAN), wait(60)), on_prompt("", *steps, say("\nThat is all."))
    )


def cells_of(editor: Editor, kind: str) -> list[Any]:
    """What stands in the windows of this filetype, with its highlights."""
    places = [place for name, *place in editor.lua(OURS) if name == kind]
    cells = editor.screen.cells()
    return [
        [row[left : left + width] for row in cells[top : top + height]] for top, left, height, width in places
    ]


def expect_same_looks(editor: Editor, kinds: list[str], show: str, marker: str, hide: str) -> None:
    """Show windows, hide them, and show them again under the user's settings."""
    editor.type(FILE + show)
    editor.screen.expect(lambda screen: marker in text_of(editor, kinds), what=f"{marker} in {kinds}")
    editor.settle()
    before = {kind: cells_of(editor, kind) for kind in kinds}
    editor.type(hide)
    editor.screen.expect(
        lambda screen: not any(cells_of(editor, kind) for kind in kinds), what="no such window"
    )
    editor.type(f"{FILE}:set {SETTINGS}<CR>")
    editor.expect_lua("return vim.wo.relativenumber")
    editor.type(show)
    editor.screen.expect(
        lambda screen: {kind: cells_of(editor, kind) for kind in kinds} == before, what="the same as before"
    )


def text_of(editor: Editor, kinds: list[str]) -> str:
    rows = [row for kind in kinds for window in cells_of(editor, kind) for row in window]
    return "\n".join("".join(text for text, _ in row) for row in rows)


@pytest.mark.parametrize(
    ("kinds", "show", "marker", "hide"),
    [
        (["acp_chat", "acp_prompt"], ":Acp open<CR><Esc>", "That is all.", ":Acp close<CR>"),
        (["acp_sessions"], ":Acp sessions<CR>", "lists no earlier sessions", "q"),
        (["acp_log"], ":Acp log<CR>", "nothing has been logged", "q"),
        (["acp_pick"], ":Acp switch<CR>", "agent0", "q"),
        (["acp_help"], ":Acp<CR><Esc>g?", "this help", "q"),
        (["acp_terminal"], ":Acp terminals 1<CR>", "\nout", "<C-\\><C-n>:close<CR>"),
    ],
    ids=["chat", "sessions", "log", "pick", "help", "terminal"],
)
def test_a_window_of_ours_has_none_of_the_users_columns(
    open_editor: Open, tmp_path: Path, kinds: list[str], show: str, marker: str, hide: str
) -> None:
    editor = open_chat(open_editor, talker(tmp_path), size=(120, 40))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    expect_same_looks(editor, kinds, show, marker, hide)


def test_the_queue_and_the_plan_have_none_of_the_users_columns(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, talker(tmp_path), size=(120, 40))
    send(editor, "plan")
    editor.screen.expect("Second step")
    send(editor, LONG)
    editor.screen.expect("1 queued")
    editor.type("<Esc>:Acp plan<CR>")
    expect_same_looks(editor, ["acp_plan"], ":Acp open<CR><Esc>", "Second step", ":Acp close<CR>")
    expect_same_looks(editor, ["acp_queue"], ":set all&<CR>:Acp queue<CR>", "wrapped", ":close<CR>")


def test_a_form_has_none_of_the_users_columns(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, ask_form(tmp_path, {"name": NAME}), size=(120, 40))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Fill in the form")
    expect_same_looks(editor, ["acp_form"], ":Acp accept<CR>", "Your name", ":close<CR>")


def statuslines(editor: Editor) -> list[str]:
    """The lower edges of the windows of this tabpage, as on the screen."""
    places = editor.lua(
        """return vim.tbl_map(function(win)
          local place = vim.fn.getwininfo(win)[1]
          return { place.winrow + place.height + place.winbar - 1, place.wincol - 1, place.width }
        end, vim.api.nvim_tabpage_list_wins(0))"""
    )
    return [editor.screen.lines()[row].ljust(200)[left : left + width] for row, left, width in places]


def expect_statusline(editor: Editor, name: str) -> None:
    """Wait until a window is named so, with its position at the right."""
    pattern = rf" {name} .*\d+,\d+(-\d+)? +(All|Top|Bot|\d+%) *"
    editor.screen.expect(
        lambda screen: any(re.fullmatch(pattern, line) for line in statuslines(editor)),
        what=f"{name} below it",
    )


@pytest.mark.parametrize(
    ("show", "name"),
    [
        (":Acp sessions<CR>", "Sessions"),
        (":Acp log<CR>", "Log"),
        (":Acp terminals<CR>", "Terminals"),
        (":Acp terminals 1<CR><C-\\><C-n>", "Terminal 1"),
    ],
)
def test_a_window_of_ours_has_a_name_in_its_statusline(
    open_editor: Open, tmp_path: Path, show: str, name: str
) -> None:
    editor = open_chat(open_editor, talker(tmp_path), size=(120, 40))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.type(f"<Esc>{show}")
    expect_statusline(editor, name)
    assert "acp://" not in "".join(statuslines(editor))
    editor.type(":enew<CR>")
    editor.screen.expect(lambda screen: name not in "".join(statuslines(editor)), what="the name has gone")


def test_a_queue_and_a_form_have_a_name_in_their_statusline(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, {"name": NAME})
    expect_statusline(editor, "Form")
    send(editor, "later")
    editor.screen.expect("1 queued")
    editor.type(":Acp queue<CR>")
    expect_statusline(editor, "Queue")
    assert "acp://" not in "".join(statuslines(editor))


def test_the_sides_of_a_proposal_have_names_in_their_statuslines(open_editor: Open, tmp_path: Path) -> None:
    editor = open_old(open_editor, script(tmp_path, on_prompt("", ask_edit())))
    open_diff(editor)
    expect_statusline(editor, "now · notes.txt")
    expect_statusline(editor, "proposed · notes.txt")
    assert "acp://" not in "".join(statuslines(editor))
    editor.type(":q<CR>")
    expect_closed(editor)
    assert " · notes.txt" not in "".join(statuslines(editor))


def test_a_statusline_of_the_users_stays_in_windows_of_ours(open_editor: Open, tmp_path: Path) -> None:
    init = "vim.o.statusline = 'MINE %t'"
    editor = open_old(open_editor, script(tmp_path, on_prompt("", ask_edit())), init=init)
    open_diff(editor)
    editor.type(":Acp log<CR>")
    editor.screen.expect("MINE log")
    assert sum(line.startswith("MINE") for line in statuslines(editor)) >= 4
