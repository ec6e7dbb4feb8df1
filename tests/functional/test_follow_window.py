"""One window shows where the agent is, and the user's focus, mode and typing stay as they are; in a real Neovim."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor

NAMES = ["a.txt", "b 'x|!%#`$HOME`.txt", "*.txt", "--cmd q", "[a-z]\n.txt"]
START = """
local store = require("acp_nvim.backend.session_store")
store.new({ agent = "one", cwd = vim.fn.getcwd() })
told = {}
store.patch = function(n, patch)
  told[#told + 1] = { n, patch.paused and "paused" or patch.following and "following" or "off" }
end
vim.cmd.edit("start.txt")
vim.cmd("keepalt vsplit user.txt")
pinned, user = vim.fn.win_getid(2), vim.fn.win_getid(1)
"""
PLACE = """return vim.api.nvim_win_call(pinned, function()
  local file = vim.fs.basename(vim.api.nvim_buf_get_name(0))
  return { file, vim.fn.line("."), vim.fn.line("w0"), vim.fn.line("w$") }
end)"""
PROPOSAL = """local buf = vim.api.nvim_create_buf
local hooks = { on_closed = function() end, is_ours = function() return true end }
sides = require("acp_nvim.proposal.diff_windows").open(buf(false, true), buf(false, true), { focus = false }, hooks)"""


@pytest.fixture
def following(editor: Editor) -> Editor:
    """Two windows: the pinned one, and that of the user, who has just come into it."""
    for name in NAMES:
        (editor.project / name).write_text("".join(f"line {n}\n" for n in range(1, 201)))
    (editor.project / "start.txt").write_text("start\n" * 30)
    editor.lua(START)
    editor.lua("vim.api.nvim_set_current_win(pinned)")
    assert follow(editor, "on", 1) is True
    editor.lua("vim.api.nvim_set_current_win(user)")
    return editor


def follow(editor: Editor, function: str, *arguments: Any) -> Any:
    code = "local f = ... return (require('acp_nvim.follow.pinned_window')[f](select(2, ...)))"
    return editor.lua(code, function, *arguments)


def show(editor: Editor, name: str, line: int | None = None, session: int = 1) -> Any:
    return follow(editor, "show", session, str(editor.project / name), *([] if line is None else [line]))


def told(editor: Editor) -> list[str]:
    """What was told of session 1, in its order."""
    return [what for session, what in editor.lua("return told") if session == 1]


def place(editor: Editor) -> tuple[str, int]:
    name, line, first, last = editor.lua(PLACE)
    assert first <= line <= last
    return name, line


@pytest.mark.statement(119, 120)
def test_the_pinned_window_shows_file_and_line(following: Editor) -> None:
    assert show(following, "a.txt", 100)
    assert (
        following.lua("return vim.api.nvim_win_call(pinned, function() return vim.fn.expand('%') end)")
        == "a.txt"
    )
    assert place(following) == ("a.txt", 100)
    following.screen.expect("line 100")
    assert following.lua("return vim.api.nvim_get_current_win() == user")
    assert following.lua("return vim.bo[vim.fn.winbufnr(pinned)].buflisted") is False
    assert told(following) == ["following"]


@pytest.mark.statement(118)
def test_lines_are_clamped_and_missing_ones_leave_the_cursor(following: Editor) -> None:
    for line, wanted in ((0, 1), (10**9, 200), (-5, 1), (150, 150), (None, 150)):
        assert show(following, "a.txt", line)
        assert place(following) == ("a.txt", wanted)


def test_a_line_that_is_to_be_seen_moves_no_text(following: Editor) -> None:
    show(following, "a.txt", 100)
    top = following.lua(PLACE)[2]
    show(following, "a.txt", 103)
    assert following.lua(PLACE)[1:3] == [103, top]


def test_hostile_names_are_names(following: Editor) -> None:
    for name in NAMES:
        assert show(following, name, 7), name
        assert place(following) == (name, 7)


@pytest.mark.statement(118)
def test_what_is_no_file_moves_nothing(following: Editor) -> None:
    show(following, "a.txt", 7)
    for name in ("missing.txt", ".", "/dev/null"):
        show(following, name, 3)
        assert place(following) == ("a.txt", 7)
    assert told(following) == ["following"]


def test_no_traces_in_jumps_and_alternate_files(following: Editor) -> None:
    code = """return { vim.fn.getjumplist(pinned)[1], vim.fn.bufnr("#"), vim.fn.getjumplist(user)[1],
      vim.api.nvim_win_call(pinned, function() return vim.fn.bufnr("#") end), vim.o.eventignore, vim.o.shortmess }"""
    before = following.lua(code)
    for name in ("a.txt", "*.txt", "a.txt"):
        show(following, name, 50)
    assert following.lua(code) == before


@pytest.mark.statement(121)
def test_while_off_nothing_moves(following: Editor) -> None:
    follow(following, "off", 1)
    assert not show(following, "a.txt", 5)
    assert place(following)[0] == "start.txt"
    assert told(following) == ["following", "off"]


def test_a_session_in_the_background_moves_nothing(following: Editor) -> None:
    following.lua("require('acp_nvim.backend.session_store').new({ agent = 'two', cwd = '/' })")
    assert not show(following, "a.txt", 5)
    assert place(following)[0] == "start.txt"


def test_the_current_window_never_moves_but_does_once_it_is_left(following: Editor) -> None:
    following.lua("vim.api.nvim_set_current_win(pinned)")
    assert not show(following, "a.txt", 5)
    assert place(following)[0] == "start.txt"
    following.type("<C-w>h")
    following.screen.expect("line 5")
    assert place(following) == ("a.txt", 5)


def scroll(editor: Editor) -> None:
    row, column = editor.screen.find("line 100")
    editor.ask("nvim_input_mouse", "wheel", "down", "", 0, row, column)


def move_the_cursor(editor: Editor) -> None:
    editor.type("<C-w>lj<C-w>h")


def open_another(editor: Editor) -> None:
    editor.type("<C-w>l:edit start.txt<CR><C-w>h")


def use_it_for_a_diff(editor: Editor) -> None:
    editor.lua("vim.wo[pinned].diff = true")
    editor.type("l")
    show(editor, "a.txt", 3)


@pytest.mark.statement(120)
@pytest.mark.parametrize("act", [scroll, move_the_cursor, open_another, use_it_for_a_diff])
def test_what_the_user_does_there_pauses_it(following: Editor, act: Callable[[Editor], None]) -> None:
    following.type("ia line<Esc>")
    show(following, "a.txt", 100)
    following.screen.expect("line 100")
    act(following)
    following.expect_lua("return #told == 2 and told[2][2]", "paused")
    before = following.lua(PLACE)
    assert not show(following, "a.txt", 30)
    assert following.lua(PLACE) == before
    following.lua("vim.wo[pinned].diff = false vim.wo[user].diff = true")
    assert follow(following, "on", 1) is True
    assert place(following) == ("a.txt", 30)
    assert told(following) == ["following", "paused", "following"]
    assert show(following, "a.txt", 60)


@pytest.mark.statement(121)
def test_closing_the_window_ends_it(following: Editor) -> None:
    show(following, "a.txt", 3)
    following.lua("vim.api.nvim_win_close(pinned, false)")
    assert told(following) == ["following", "off"]
    assert not show(following, "a.txt", 4)


@pytest.mark.statement(120)
def test_edits_and_sizes_are_not_the_user_s_moves(following: Editor) -> None:
    following.lua("vim.o.scrolloff = 4")
    show(following, "a.txt", 100)
    change = """local first, last, lines = ...
    vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(pinned), first, last, false, lines) vim.cmd.redraw()"""
    for first, last, lines in (
        (0, 0, ["new"] * 7),
        (20, 30, []),
        (99, 99, ["x"]),
        (94, 99, ["the cursor's"]),
        (120, 300, []),
        (50, 60, ["y"] * 40),
    ):
        following.lua(change, first, last, lines)
        following.lua("vim.api.nvim_exec_autocmds('CursorMoved', {})")
        assert told(following) == ["following"], (first, last)
    following.lua("vim.cmd('botright 8split') vim.cmd.redraw()")
    following.lua("vim.api.nvim_win_set_height(0, 3) vim.cmd.redraw()")
    following.lua("vim.cmd('close') vim.cmd.redraw()")
    assert show(following, "a.txt", 10)
    following.lua("vim.o.scrolloff = 0")
    assert show(following, "start.txt", 16)
    following.lua(PROPOSAL)
    following.lua("vim.cmd.redraw() vim.api.nvim_exec_autocmds('CursorMoved', {})")
    following.lua("require('acp_nvim.proposal.diff_windows').close(sides) vim.cmd.redraw()")
    assert show(following, "a.txt", 10)
    assert told(following) == ["following"]
    following.lua(
        "vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(pinned), 0, -1, false, {}) vim.cmd.redraw()"
    )
    assert show(following, "*.txt", 10)
    assert told(following) == ["following"]


@pytest.mark.parametrize(
    "spoil",
    [
        "vim.wo[pinned].winfixbuf = true",
        "vim.wo[pinned].diff = true",
        "vim.wo[pinned].previewwindow = true",
        "vim.bo[vim.fn.winbufnr(pinned)].buftype = 'nofile'",
        "vim.api.nvim_win_set_config(pinned, { relative = 'editor', row = 1, col = 1, width = 9, height = 9 })",
    ],
)
def test_what_is_never_pinned(editor: Editor, spoil: str) -> None:
    editor.lua(START + "vim.api.nvim_set_current_win(pinned) " + spoil)
    (editor.project / "a.txt").write_text("here\n")
    assert follow(editor, "on", 1) is True
    assert show(editor, "a.txt", 1)
    assert editor.lua("return vim.fs.basename(vim.api.nvim_buf_get_name(vim.fn.winbufnr(user)))") == "a.txt"
    editor.lua("vim.wo[user].diff = true")
    follow(editor, "off", 1)
    assert editor.lua("return { require('acp_nvim.follow.pinned_window').on(1) }") == [
        None,
        "no window here shows a file",
    ]


def test_a_modified_buffer_is_no_hindrance_and_is_not_lost(following: Editor) -> None:
    following.lua(
        "vim.o.hidden = false vim.api.nvim_buf_set_lines(vim.fn.winbufnr(pinned), 0, 1, false, {'mine'})"
    )
    assert show(following, "a.txt", 9)
    assert place(following) == ("a.txt", 9)
    assert following.lua("return vim.fn.getbufline('start.txt', 1)") == ["mine"]


def test_a_stale_swap_file_asks_nothing(following: Editor) -> None:
    following.lua("vim.o.updatecount = 200 vim.o.directory = '.'")
    (following.project / ".a.txt.swp").write_bytes(b"b0nano" + b"\0" * 4090)
    assert show(following, "a.txt", 9)
    assert following.mode()["blocking"] is False
    assert place(following) == ("a.txt", 9)


def test_a_closed_fold_opens(following: Editor) -> None:
    show(following, "a.txt", 1)
    following.lua("vim.api.nvim_win_call(pinned, function() vim.cmd('40,60fold') end)")
    assert show(following, "a.txt", 50)
    following.screen.expect("line 50")


MODES = {"i": "iabc", "v": "v$", "V": "VG", "R": "Rx", "c": ":echo 1", "no": "d", "niI": "iabc<C-o>"}


@pytest.mark.statement(119)
@pytest.mark.parametrize("mode", MODES)
def test_the_user_s_mode_stays(following: Editor, mode: str) -> None:
    following.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'some text', 'more' })")
    following.type(MODES[mode])
    code = (
        "return { vim.api.nvim_get_mode().mode, vim.fn.getpos('.'), vim.fn.getpos('v'), vim.fn.getcmdline() }"
    )
    before = following.expect_lua(code, lambda got: got[0] == mode)
    following.lua(
        "modes = {} vim.cmd([[au ModeChanged * lua table.insert(modes, vim.fn.expand('<amatch>'))]])"
    )
    for line in (10, 100):
        for name in ("a.txt", "*.txt"):
            assert show(following, name, line)
            assert following.lua(code) == before
    assert following.lua("return modes") == []


@pytest.mark.statement(119)
def test_five_hundred_places_while_the_user_types(following: Editor) -> None:
    """Not one character lost or moved, and one `u` takes back what was typed in one go."""
    following.lua('vim.cmd([[au BufReadPost,BufWinEnter *.txt silent! normal! g`\\"zz]])')
    words = [f"word{n} " for n in range(500)]
    following.type("i")
    for n, word in enumerate(words):
        following.type(word + ("<CR>" if n % 10 == 9 else ""))
        assert show(following, NAMES[n % len(NAMES)], n % 200 + 1)
    typed = ["".join(words[n : n + 10]) for n in range(0, 500, 10)] + [""]
    following.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", typed)
    assert following.mode() == {"mode": "i", "blocking": False}
    assert place(following) == (NAMES[499 % len(NAMES)], 100)
    assert told(following) == ["following"]
    following.type("<Esc>u")
    following.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", [""])


@pytest.mark.alone
def test_a_move_is_quick(following: Editor) -> None:
    show(following, "a.txt", 1)
    began = time.perf_counter()
    for n in range(100):
        show(following, "a.txt", n * 2 + 1)
    assert time.perf_counter() - began < 1


def test_two_sessions_do_not_share_a_window(following: Editor) -> None:
    following.lua("require('acp_nvim.backend.session_store').new({ agent = 'two', cwd = '/' })")
    following.lua("vim.api.nvim_set_current_win(pinned)")
    follow(following, "on", 2)
    following.lua("vim.api.nvim_set_current_win(user)")
    assert following.lua("return told") == [[1, "following"], [1, "off"], [2, "following"]]
    assert show(following, "a.txt", 5, session=2)
    assert place(following) == ("a.txt", 5)


def test_where_the_path_leads_is_where_it_is_opened(following: Editor) -> None:
    """A file that is loaded under its own name is shown in that buffer."""
    (following.project / "link.txt").symlink_to(Path("a.txt"))
    show(following, "a.txt", 5)
    before = following.lua("return vim.fn.winbufnr(pinned)")
    show(following, "link.txt", 9)
    assert following.lua("return vim.fn.winbufnr(pinned)") == before


@pytest.mark.parametrize("event", ["BufEnter", "BufReadPost", "BufWinEnter", "FileType"])
def test_a_failing_autocommand_is_said_once_and_the_place_is_shown(following: Editor, event: str) -> None:
    following.lua("vim.api.nvim_create_autocmd(..., { command = 'throw \"boom\"' })", event)
    for line in (100, 150):
        show(following, "a.txt", line)
        assert place(following) == ("a.txt", line)
    said = following.lua("return vim.fn.execute('messages')").count("boom")
    assert said <= 1
    assert following.mode()["blocking"] is False


@pytest.mark.statement(120)
def test_moving_there_before_the_first_place_pauses(following: Editor) -> None:
    following.lua("vim.api.nvim_set_current_win(pinned)")
    following.type("G")
    following.expect_lua("return told[#told][2]", "paused")
    following.lua("vim.api.nvim_set_current_win(user)")
    show(following, "a.txt", 100)
    assert place(following)[0] == "start.txt"


@pytest.mark.statement(120)
def test_going_about_in_the_window_while_it_is_pinned_pauses_nothing(following: Editor) -> None:
    follow(following, "off", 1)
    following.lua("vim.api.nvim_set_current_win(pinned)")
    follow(following, "on", 1)
    following.type("G")
    following.lua("vim.api.nvim_set_current_win(user)")
    assert show(following, "a.txt", 100)
    assert place(following) == ("a.txt", 100)


def test_what_is_large_or_no_text_is_said_and_not_shown(following: Editor) -> None:
    (following.project / "large.txt").write_text("a" * 6_000_000)
    (following.project / "image.bin").write_bytes(b"\x89\0\0" * 100)
    for name in ("large.txt", "image.bin", "large.txt"):
        show(following, name, 1)
        assert place(following)[0] == "start.txt"
        assert following.lua("return vim.fn.bufexists(...)", name) == 0
    messages = following.lua("return vim.fn.execute('messages')")
    assert (messages.count("large.txt"), messages.count("image.bin")) == (1, 1)
    show(following, "a.txt", 100)
    assert place(following) == ("a.txt", 100)


def test_what_becomes_a_pipe_once_it_was_looked_at_stops_nobody(following: Editor) -> None:
    (following.project / "turned.txt").write_text("text\n")
    os.mkfifo(following.project / "pipe")
    following.lua(
        """
        local stat = vim.uv.fs_stat
        vim.uv.fs_stat = function(path, ...)
          local found = { stat(path, ...) }
          if vim.fs.basename(path) == "turned.txt" then
            assert(os.rename("pipe", path))
            vim.uv.fs_stat = stat
          end
          return unpack(found)
        end
        """
    )
    show(following, "turned.txt", 1)
    assert place(following)[0] == "start.txt"
    assert "turned.txt: it is no longer a file" in following.lua("return vim.fn.execute('messages')")
    show(following, "a.txt", 7)
    assert place(following) == ("a.txt", 7)


def test_a_buffer_that_may_not_be_hidden_stays_and_that_is_said(following: Editor) -> None:
    following.lua(
        "vim.api.nvim_win_call(pinned, function() vim.cmd('setlocal bufhidden=wipe | 1delete') end)"
    )
    show(following, "a.txt", 100)
    lines = following.lua("return #vim.fn.getbufline('start.txt', 1, '$')")
    if place(following)[0] == "start.txt":
        assert "start.txt" in following.lua("return vim.fn.execute('messages')") or lines == 29
    assert lines == 29
