"""A proposal while its file goes on changing: the right side keeps abreast, and always decides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, say, script, tool, write_file
from tests.functional.editor import Editor
from tests.functional.packages import plugin
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, write
from tests.steps.proposals import (
    DIFFS,
    NEW,
    OLD,
    ask_edit,
    expect_closed,
    get_outcomes,
    make_diff,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]
SIDE = """
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if vim.bo[buf].buftype == "acwrite" then return vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
  end
"""
BARS = """
  local bars = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.wo[win].diff then
      table.insert(bars, { vim.api.nvim_win_get_width(win), vim.api.nvim_eval_statusline(vim.wo[win].winbar,
        { winid = win, use_winbar = true, maxwidth = 1000 }).str })
    end
  end
  return bars
"""


def steps(way: str) -> tuple[Any, ...]:
    done = tool("call", known=True, status="completed")
    return write_through() if way == "through us" else (ask_edit(), write_file(NOTES, NEW), done)


def begun(editor: Editor) -> None:
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)


def lines(**changed: str) -> list[str]:
    """The proposal's, with others in some places: n3="user three"."""
    found = NEW.splitlines()
    for key, text in changed.items():
        found[int(key[1:]) - 1] = text
    return found


def test_what_the_user_types_in_the_file_is_on_both_sides(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    begun(editor)
    editor.type("ggOuser top<Esc>Gouser bottom<Esc>12Gddu")
    editor.expect_lua(SIDE, ["user top", *NEW.splitlines(), "user bottom"])
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return vim.bo.modified", False)
    editor.type("4Gdo")  # THREE, one further down by now
    editor.expect_lua("return vim.fn.getline(4)", "line 3")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, ["user top", *lines(n3="line 3"), "user bottom"])


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize("again", ["", ":q<CR>:Acp diff<CR>"])
def test_the_right_side_decides_about_lines_that_both_have_changed(
    open_editor: Open, tmp_path: Path, way: str, again: str
) -> None:
    agent = script(tmp_path, on_prompt("", *steps(way)))
    editor = open_old(open_editor, agent)
    begun(editor)
    editor.type("3Gccuser three<Esc>1Gccuser one<Esc>")
    editor.expect_lua(SIDE, lines(n1="user one"))
    editor.type("<C-w>t<C-w>l10Gdo")
    editor.expect_lua("return vim.fn.getline(10)", "line 10")
    if again:
        editor.type(again)
        editor.expect_lua(SIDE, lambda now: now and now[0] == "user one" and now[9] == "line 10")
        editor.expect_lua("return vim.bo.buftype", "acwrite")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    wanted = lines(n1="user one", n10="line 10")
    editor.expect_lua(LINES, wanted)
    on_disk = wanted if way == "through us" else ["line 1", *wanted[1:]]
    assert (editor.project / "notes.txt").read_text().splitlines() == on_disk
    assert editor.acp("questions") == []


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_all_of_it_over_an_unsaved_line_asks_nothing_more(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    agent = script(tmp_path, on_prompt("", *steps(way)))
    editor = open_old(open_editor, agent)
    editor.type("3Gccuser three<Esc>")
    begun(editor)
    editor.expect_lua(SIDE, NEW.splitlines())
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    editor.expect_lua(LINES, NEW.splitlines())
    assert (editor.project / "notes.txt").read_text() == NEW
    assert editor.acp("questions") == []


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_refusal_keeps_the_users_own_line(open_editor: Open, tmp_path: Path, way: str) -> None:
    agent = script(tmp_path, on_prompt("", *steps(way)))
    editor = open_old(open_editor, agent)
    begun(editor)
    editor.type("3Gccuser three<Esc><C-w>t<C-w>l3Gdo")
    editor.expect_lua("return vim.fn.getline(3)", "user three")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, lines(n3="user three"))
    unsaved = "user three" if way == "through us" else "line 3"
    assert (editor.project / "notes.txt").read_text().splitlines() == lines(n3=unsaved)


def test_nothing_changes_under_an_insertion(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("5Gccmine")
    editor.expect_lua("return vim.fn.mode()", "i")
    editor.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('notes.txt'), 0, 0, false, { 'above' })")
    with editor.second_client():  # while others are served
        editor.type(" more")
        editor.expect_lua("return vim.fn.getline(5)", "mine more")
    editor.type("<Esc>")
    editor.expect_lua(SIDE, ["above", *lines(n5="mine more")])
    assert editor.lua("return vim.fn.line('.')") == 6


def test_undo_on_the_right_takes_no_line_of_the_file_away(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("5Gccmine<Esc><C-w>hggOabove<Esc>")
    editor.expect_lua(SIDE, ["above", *lines(n5="mine")])
    editor.type("<C-w>luu")
    editor.expect_lua("return vim.fn.getline(5)", "line 5")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, ["above", *NEW.splitlines()])


def test_a_file_that_is_opened_after_its_proposal_is_followed_too(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    editor.type(":enew<CR>:bwipeout notes.txt<CR>")
    begun(editor)
    editor.screen.expect("now · notes.txt")
    editor.type(":edit notes.txt<CR>ggOabove<Esc>3Gccuser two<Esc>")
    editor.expect_lua("return vim.fn.getline(3)", "user two")
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, ["above", *lines(n2="user two")])


# --- which writes decide


@pytest.mark.parametrize("where", ["on the right", "elsewhere"])
@pytest.mark.parametrize("command", ["wa", "windo w", "silent! wall", "bufdo update"])
def test_a_write_of_everything_decides_nothing(
    open_editor: Open, tmp_path: Path, command: str, where: str
) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent, init="vim.o.hidden = true\n")
    open_diff(editor)
    editor.type("ggccmine<Esc>" + ("<C-w>b" if where == "elsewhere" else ""))
    editor.type(f":{command}<CR>:let g:done = 1<CR>")
    editor.expect_lua("return vim.g.done", 1)
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    if command != "bufdo update":
        assert editor.lua(SIDE)[0] == "mine"


@pytest.mark.parametrize(
    "mapping",
    [
        "vim.keymap.set('n', 'gW', '<Cmd>wall<CR>')",
        "vim.keymap.set('n', 'gW', '<Esc><Cmd>silent! wall<CR>')",
        "vim.keymap.set('n', 'gW', vim.cmd.wall)",
        "vim.keymap.set('n', 'gW', '<Cmd>windo w<CR>')",
        "vim.keymap.set('n', 'gW', '<Cmd>nohlsearch<CR>')"
        " vim.api.nvim_create_autocmd('InsertLeave', { nested = true, command = 'silent! write' })",
        "vim.keymap.set('n', 'gW', function() end)"
        " vim.api.nvim_create_autocmd('TextChanged', { nested = true, callback = function() vim.cmd.write() end })",
        "vim.keymap.set('n', 'gW', function() vim.defer_fn(function()"
        " vim.cmd('silent! write') vim.g.tried = 1 end, 1) end)",
    ],
)
def test_a_write_that_no_key_or_command_in_its_window_stands_for_decides_nothing(
    open_editor: Open, tmp_path: Path, mapping: str
) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent, init=mapping + "\n")
    open_diff(editor)
    editor.type("ggccmine<Esc>gW" + ("" if "tried" in mapping else ":let g:tried = 1<CR>"))
    editor.expect_lua("return vim.g.tried", 1)
    if "silent" not in mapping:
        editor.expect_lua("return vim.fn.execute('messages')", lambda said: "proposal was not sent" in said)
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    assert editor.lua(SIDE)[0] == "mine"
    assert editor.lua("return vim.fn.bufexists('acp://written')") == 0
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


@pytest.mark.parametrize(
    "keys",
    [
        ":w<CR>",
        ":x<CR>",
        "ZZ",
        ":update<CR>",
        "gW",
        "gF",
        "gP",
        ":silent w | echo<CR>",
        ":lua vim.cmd.w()<CR>",
    ],
)
def test_a_write_of_its_own_decides(open_editor: Open, tmp_path: Path, keys: str) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    init = """
    vim.keymap.set('n', 'gW', '<Cmd>w<CR>')
    vim.keymap.set('n', 'gF', function() vim.cmd.write() end)
    vim.keymap.set('n', '<Plug>(save)', '<Cmd>w<CR>')
    vim.keymap.set('n', 'gP', '<Plug>(save)')
    """
    editor = open_old(open_editor, agent, init=init)
    open_diff(editor)
    editor.type("ggccmine<Esc>" + keys)
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == NEW.replace("line 1\n", "mine\n", 1)


@pytest.mark.parametrize("rhs", ["'<Cmd>w<CR>'", "function() vim.cmd.write() end", "'<Cmd>wall<CR>'"])
def test_a_key_behind_which_key_is_as_good_as_any(open_editor: Open, tmp_path: Path, rhs: str) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    init = f"""
    vim.g.mapleader = " "
    vim.opt.runtimepath:prepend({str(plugin("which-key.nvim"))!r})
    require("which-key").setup({{ delay = 0 }})
    vim.keymap.set("n", "<leader>w", {rhs})
    """
    editor = open_old(open_editor, agent, init=init)
    open_diff(editor)
    editor.type("ggccmine<Esc>")
    editor.expect_lua("return vim.fn.maparg(' ', 'n') ~= ''")
    editor.type(" ")
    editor.expect_lua("return #vim.api.nvim_list_wins() > 3")
    editor.type("w")
    if "wall" in rhs:
        editor.screen.expect("the proposal was not sent")
        assert get_outcomes(agent) == []
        return
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


@pytest.mark.parametrize("command", ["saveas copy.txt", "w copy.txt"])
def test_a_copy_decides_nothing(open_editor: Open, tmp_path: Path, command: str) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(f"ggccmine<Esc>:{command}<CR>")
    editor.screen.expect("still waits for your answer")
    copied = NEW.replace("line 1\n", "mine\n", 1)
    assert (editor.project / "copy.txt").read_text() == copied
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    editor.expect_lua("return vim.fn.bufname()", lambda name: name.startswith("acp://proposal/"))
    assert editor.lua("return vim.fn.bufloaded('copy.txt')") == 0
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == copied


def test_leaving_from_another_window_loses_no_edit(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    expect_answerable(editor)
    editor.type("ggccmine<Esc><C-w>b:wqa<CR>")
    editor.screen.expect("the proposal was not sent")
    assert editor.process.poll() is None
    assert get_outcomes(agent) == []
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:wqa<CR>")
    assert editor.wait_exit() == 0
    assert get_outcomes(agent) == ["yes"]


# --- what is on the screen


@pytest.mark.parametrize(("size", "keeps_lines"), [((80, 24), True), ((60, 15), True), ((120, 40), False)])
def test_a_question_whose_diff_is_open_has_been_seen(
    open_editor: Open, tmp_path: Path, size: tuple[int, int], keeps_lines: bool
) -> None:
    """A chat that gives lines to the diff goes on showing its end."""
    agent = script(tmp_path, on_prompt("", say("So.\n\n" * 8), *write_through()))
    editor = open_old(open_editor, agent, size=size)
    editor.type(":Acp<CR><Esc><C-w>t")
    rows = "return vim.fn.winheight(vim.fn.bufwinid('acp://1/chat'))"
    before_it = editor.lua(rows)
    editor.acp("prompt", "edit it")
    if keeps_lines:  # too few lines to open by itself
        editor.screen.expect("d diff")
        editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.screen.expect(
        lambda screen: all(text in screen.text() for text in (":w send", "1 ✓ Yes", "d diff"))
    )
    assert (editor.lua(rows) == before_it) is keeps_lines
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


def test_beside_a_chat_alone_it_has_a_tabpage(open_editor: Open, tmp_path: Path) -> None:
    """It does not come by itself then: the question is in the chat."""
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent, size=(80, 24), setup={"chat": {"position": "tab"}})
    editor.type(":Acp<CR><Esc>")
    editor.acp("prompt", "edit it")
    editor.screen.expect("d diff")
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("press i to ask")
    assert get_outcomes(agent) == ["yes"]


def test_who_speaks_is_no_part_of_the_question(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("look at it", kind="other")))
    editor = open_old(open_editor, agent, size=(80, 24), setup={"review": {"auto_open": False}})
    editor.type(":Acp<CR><Esc><C-w>k")
    editor.acp("prompt", "edit it")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    editor.lua(
        """local chat = vim.api.nvim_get_current_buf()
        for row, line in ipairs(vim.api.nvim_buf_get_lines(chat, 0, -1, false)) do
          if line == "## Scripted" then vim.fn.winrestview({ topline = row + 1, lnum = row + 1 }) end
        end"""
    )
    editor.screen.expect(lambda screen: "▎Scripted" not in screen.text() and "1 ✓ Yes" in screen.text())
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


KEYS = ["do refuse hunk", ":w send", ":Acp reject", ":q later"]


@pytest.mark.parametrize("columns", [200, 110, 80, 64])
def test_the_bars_have_one_order_at_any_width(open_editor: Open, tmp_path: Path, columns: int) -> None:
    """What is on either side, of which file, what sending does; the path loses its left, the keys that send stay."""
    deep = "{cwd}/packages/orders/source/price_of_one.py"
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(deep, OLD, NEW))))
    editor = open_old(open_editor, agent, size=(columns, 40))
    path = editor.project / "packages/orders/source/price_of_one.py"
    path.parent.mkdir(parents=True)
    path.write_text(OLD)
    begun(editor)
    (left_width, left), (right_width, right) = editor.lua(BARS)
    assert left.startswith(" now · ")
    assert "agent saves it" in left
    assert "price_of" in left
    assert ("packages/orders" in left) == (columns in (64, 200))
    assert right.startswith(" proposed · do refuse" if columns != 80 else " do refuse · ")  # 39 cells each
    keys = [key.removesuffix(" hunk") for key in KEYS[: 4 if right_width > 60 else 3]]
    assert [right.index(key) for key in keys] == sorted(map(right.index, keys))
    assert len(left) <= left_width
    assert len(right) <= right_width
    editor.type("<C-w>t<C-w>wi")
    editor.screen.expect("<Esc>, then :w send")
    assert ":Acp reject" not in editor.lua(BARS)[1][1]
    editor.type("<Esc>")
    editor.screen.expect(":Acp reject")


def test_the_bar_says_what_a_write_does(open_editor: Open, tmp_path: Path) -> None:
    """It sends the proposal, the user's version of it, or a rejection."""
    agent = script(
        tmp_path, on_prompt("", ask_edit(make_diff(new=OLD.replace("line 3\nline 4\n", "X\nY\n"))))
    )
    editor = open_old(open_editor, agent, size=(200, 40))
    begun(editor)
    editor.screen.expect("do refuse hunk · :w send · :Acp reject · :q later")
    editor.type("<C-w>t<C-w>l3Gdd")
    editor.screen.expect("do refuse hunk · :w send your version · :Acp reject · :q later")
    editor.type("i")
    editor.screen.expect("<Esc>, then :w send yours")
    editor.type("<Esc>:%diffget<CR>")
    editor.screen.expect("proposed · :w reject all · :q later")
    editor.type("u")
    editor.screen.expect(":w send your version")
    editor.type("<C-w>h:%diffput<CR>")
    editor.screen.expect(":w reject all · :q later")
    expect_answerable(editor)
    editor.type("<C-w>l:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["no"]


def test_the_bar_says_that_a_write_goes_on_to_the_next_file(open_editor: Open, tmp_path: Path) -> None:
    ask = ask_edit(make_diff(), make_diff("{cwd}/other.txt", None, "one\n"))
    agent = script(tmp_path, on_prompt("", ask))
    editor = open_old(open_editor, agent, size=(200, 40))
    begun(editor)
    editor.screen.expect("do refuse hunk · :w next file · :Acp reject")
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.screen.expect("new file · other.txt (2 of 2)")
    editor.screen.expect(":w send · :Acp reject")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


def test_a_new_file_among_others_has_one_window(open_editor: Open, tmp_path: Path) -> None:
    """The left side comes and goes with the file that is before the user."""
    agent = script(
        tmp_path,
        on_prompt(
            "",
            ask_edit(
                make_diff(),
                make_diff("{cwd}/new.txt", None, "a\nb\n"),
                make_diff("{cwd}/more.txt", "x\n", "y\n"),
            ),
        ),
    )
    editor = open_old(open_editor, agent)
    (editor.project / "more.txt").write_text("x\n")
    begun(editor)
    editor.screen.expect(" now · notes.txt (1 of 3) · ")
    windows = editor.lua("return #vim.api.nvim_tabpage_list_wins(0)")
    editor.type(":cnext<CR>")
    editor.screen.expect(" new file · new.txt (2 of 3) · ")
    editor.expect_lua(
        "return { #vim.api.nvim_tabpage_list_wins(0), vim.fn.getline(1, '$') }", [windows - 1, ["a", "b"]]
    )
    editor.type(":cnext<CR>")
    editor.screen.expect(" now · more.txt (3 of 3) · ")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua(BARS, lambda bars: abs(bars[0][0] - bars[1][0]) <= 1)
    editor.type(":cprevious<CR>")
    editor.screen.expect(" new file · new.txt")
    editor.type(":q<CR>")
    editor.expect_lua(
        "return { #vim.api.nvim_tabpage_list_wins(0), vim.fn.bufname() }", [windows - 2, "notes.txt"]
    )
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)


def test_both_sides_keep_the_same_width(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent, size=(140, 40))
    begun(editor)

    def are_equal(bars: Any) -> bool:
        return len(bars) == 2 and abs(bars[0][0] - bars[1][0]) <= 1

    editor.expect_lua(BARS, are_equal)
    editor.type(":Acp<CR>")
    editor.screen.expect("g1 yes")
    editor.expect_lua(BARS, are_equal)
    editor.type("<Esc>:Acp close<CR>")
    editor.expect_lua(BARS, lambda bars: are_equal(bars) and bars[0][0] >= 69)
    editor.lua("vim.o.columns = 90")
    editor.expect_lua("return vim.o.columns", 90)
    editor.expect_lua(BARS, lambda bars: are_equal(bars) and bars[0][0] >= 44)


def test_buffers_are_named_by_their_file(open_editor: Open, tmp_path: Path) -> None:
    other = "{cwd}/more.txt"
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(other, "a\n", "b\n"))))
    editor = open_old(open_editor, agent)
    (editor.project / "more.txt").write_text("a\n")
    begun(editor)
    names = editor.lua(
        """return vim.tbl_map(function(win) return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)) end,
          vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0)))"""
    )
    number = editor.acp("questions")[0]["id"]
    assert names == [f"acp://proposal/{number}/live/more.txt", f"acp://proposal/{number}/more.txt"]


def test_a_change_of_the_last_line_end_alone_is_said(open_editor: Open, tmp_path: Path) -> None:
    steps = (
        ask_edit(make_diff(NOTES, "a\nb\n", "a\nb")),
        write(NOTES, "a\nb"),
        tool("call", known=True, status="completed"),
    )
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_old(open_editor, agent, "a\nb\n")
    open_diff(editor)
    editor.screen.expect("only the end of the last line differs")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == "a\nb"


@pytest.mark.parametrize(
    ("old", "new", "bar", "row"),
    [
        ("a\nb\n", "A\nb", "the last newline is removed, too", "\\ newline removed at the end"),
        ("a\nb", "A\nb\n", "a newline at the end is added, too", "\\ newline added at the end"),
    ],
)
def test_a_change_of_the_last_line_end_beside_other_hunks_is_said(
    open_editor: Open, tmp_path: Path, old: str, new: str, bar: str, row: str
) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(NOTES, old, new))))
    editor = open_old(open_editor, agent, old, size=(270, 40))
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    editor.screen.expect(bar)
    editor.screen.expect(row)


def test_what_is_pending_in_review_stays_out_of_the_diff(open_editor: Open, tmp_path: Path) -> None:
    first = OLD.replace("line 3\n", "three\n").replace("line 4\n", "")
    second = first.replace("line 10\n", "TEN\n")
    agent = script(
        tmp_path,
        on_prompt("write", write(NOTES, first)),
        on_prompt("edit", ask_edit(make_diff(NOTES, first, second))),
    )
    editor = open_old(open_editor, agent, size=(160, 40))
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("line 4")  # what it was stands above what it is
    open_diff(editor)
    editor.screen.expect("TEN")
    editor.screen.expect(lambda screen: "line 4" not in screen.text())
    editor.type("<C-w>h3G")
    editor.expect_lua("return { vim.fn.bufname(), vim.fn.line('.') }", ["notes.txt", 3])
    lines = editor.screen.lines()
    (row,) = [row for row in lines if "TEN" in row]
    assert "line 10" in row  # side by side
    assert not [row for row in lines if "undo" in row]
    editor.type(":q<CR>")
    editor.screen.expect("line 4")
    editor.type("3G")
    editor.screen.expect("undo")


FOLLOWING = """
  local following = require("acp_nvim.proposal.follow_live")
  local follow, times = following.follow, {}
  following.follow = function(...)
    local began = os.clock()
    follow(...)
    times[#times + 1] = 1000 * (os.clock() - began)
  end
  local live = vim.fn.bufnr("notes.txt")
  for n = 1, 5 do
    vim.api.nvim_buf_set_lines(live, 0, 0, false, { "above " .. n })
    assert(vim.wait(5000, function() return #times == n end, 1))
  end
  following.follow = follow
  table.sort(times)
  return times[1]
"""


@pytest.mark.alone
def test_a_large_file_is_followed_at_little_cost(open_editor: Open, tmp_path: Path) -> None:
    old = [f"line {n} of a file that is rather long\n" for n in range(10_000)]
    new = [f"changed {n}\n" if n % 100 == 50 else line for n, line in enumerate(old)]
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(NOTES, "".join(old), "".join(new)))))
    editor = open_old(open_editor, agent, "".join(old))
    begun(editor)
    assert editor.lua(FOLLOWING) < 60  # twice what it takes here, for slower machines
    assert editor.lua(SIDE)[:2] == ["above 5", "above 4"]
