"""The windows of a chat among the user's own: sizes, selections, counts, and questions higher than they are."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, say, script, think_for, tool, update, wait, wait_file
from tests.functional.editor import Editor
from tests.functional.screen import PATIENCE, Screen
from tests.steps.conversation import expect_key, go_to_line, is_lit, open_chat, send

Open = Callable[..., Editor]
HEIGHTS = """
local heights = {}
for _, kind in ipairs({ "chat", "prompt" }) do
  heights[#heights + 1] = vim.api.nvim_win_get_height(vim.fn.bufwinid("^acp://1/" .. kind .. "$"))
end
return heights"""
NOTHING_ASKED = "return #require('acp_nvim').questions() == 0"


def long_command(lines: int) -> str:
    return "\n".join(f"echo step {n}" for n in range(1, lines + 1))


def every_screen(editor: Editor) -> list[str]:
    """The text of each screen that Neovim draws from here on."""
    grid, drawn = editor.screen._grid, [editor.screen.text()]
    show = grid.show

    def keep() -> None:
        show()
        drawn.append("\n".join("".join(text for text, _ in row).rstrip() for row in grid.cells))

    grid.show = keep  # type: ignore[method-assign]
    return drawn


def drawn_since(screen: Screen, flushes: int) -> bool:
    return screen.flushes > flushes + 1


def accept_until_answered(editor: Editor) -> int:
    """`:Acp accept` until it is; how often."""
    for times in range(1, 60):
        flushes = editor.screen.flushes
        editor.type(":Acp accept<CR>")
        assert editor.screen.wait_for(partial(drawn_since, editor.screen, flushes), PATIENCE)
        if editor.lua(NOTHING_ASKED):
            return times
        editor.screen.wait_for(partial(is_lit, editor.screen), 1)  # once it has been read
    raise AssertionError(f"never answered\n{editor.screen.picture()}")


@pytest.mark.parametrize(("size", "lines"), [((100, 30), 18), ((100, 30), 60), ((40, 12), 20), ((20, 10), 8)])
def test_a_question_higher_than_the_chat_is_answered_once_it_has_been_read(
    open_editor: Open, tmp_path: Path, size: tuple[int, int], lines: int
) -> None:
    command = long_command(lines)
    agent = script(
        tmp_path, on_prompt("", permission("run it", kind="execute", rawInput={"command": command}))
    )
    editor = open_chat(open_editor, agent, size=size)
    screens = every_screen(editor)
    before = editor.lua(HEIGHTS)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    accept_until_answered(editor)
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
    unread = [n for n in range(1, lines + 1) if not re.search(rf"step {n}\b", "\n".join(screens))]
    assert unread == []
    editor.expect_lua(HEIGHTS, before)


def test_the_message_says_how_a_high_question_goes_on(open_editor: Open, tmp_path: Path) -> None:
    command = {"command": long_command(50)}
    agent = script(tmp_path, on_prompt("", permission("run it", kind="execute", rawInput=command)))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp accept<CR>")
    editor.screen.expect("repeat for the next lines")
    assert editor.events("AcpAnswered") == []
    accept_until_answered(editor)
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_one_line_higher_than_the_chat_is_read_and_answered(open_editor: Open, tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(400))
    agent = script(tmp_path, on_prompt("", permission("run it", kind="execute", rawInput={"command": words})))
    editor = open_chat(open_editor, agent, size=(60, 20))
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    screens = every_screen(editor)
    assert accept_until_answered(editor) > 2
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
    unread = [n for n in range(400) if not re.search(rf"word{n}\b", "\n".join(screens))]
    assert unread == []


@pytest.mark.parametrize(
    "keys", [":botright new<CR>|:q<CR>", ":copen<CR>|:cclose<CR>", ":Acp log<CR>|q", "g?:Acp log<CR>|<Esc>"]
)
@pytest.mark.parametrize("size", [(100, 30), (100, 16)])
def test_a_split_that_closes_leaves_the_windows_as_they_were(
    open_editor: Open, tmp_path: Path, size: tuple[int, int], keys: str
) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent, size=size)
    editor.type("<Esc>")
    ours = "Acp" in keys  # where the cursor goes from the user's own windows is Neovim's business
    now = "return { vim.fn.winrestcmd(), (...) and vim.api.nvim_get_current_win() }"
    before = editor.lua(now, ours)
    count = editor.lua("return vim.fn.winnr('$')")
    opening, closing = keys.split("|")
    for _ in range(2):
        editor.type(opening)
        editor.expect_lua("return vim.fn.winnr('$')", count + 1)
        if ours:
            editor.screen.expect("nothing has been logged yet")
        editor.type(closing)
        editor.expect_lua(now, before, ours)


def test_sizes_made_by_hand_are_kept(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent)
    chat_height, prompt_height = editor.lua(HEIGHTS)
    editor.type("<Esc>:resize +3<CR>")
    by_hand = [chat_height - 3, prompt_height + 3]
    editor.expect_lua(HEIGHTS, by_hand)
    editor.type(":botright new<CR>")
    editor.expect_lua(HEIGHTS, lambda heights: heights != by_hand)
    editor.type(":q<CR>")
    editor.expect_lua(HEIGHTS, by_hand)


WIDTHS = """return vim.tbl_map(function(win)
  return vim.api.nvim_win_get_width(win)
end, vim.api.nvim_tabpage_list_wins(0))"""
SIZES = "return vim.fn.winrestcmd()"


@pytest.mark.every_nvim
@pytest.mark.parametrize("equalalways", [True, False])
@pytest.mark.parametrize(("size", "splits"), [((160, 30), 1), ((200, 30), 1), ((160, 30), 3), ((100, 30), 3)])
def test_a_chat_takes_its_width_from_all_windows_of_the_row(
    open_editor: Open, tmp_path: Path, size: tuple[int, int], splits: int, equalalways: bool
) -> None:
    init = f"vim.o.equalalways = {str(equalalways).lower()}\n"
    editor = open_editor(
        setup={"agents": {"agent0": {"command": "cat"}}, "default_agent": "agent0"}, size=size, init=init
    )
    editor.type(":vsplit<CR>" * splits + ":wincmd =<CR>")
    before = editor.expect_lua(WIDTHS, lambda widths: len(widths) == splits + 1)
    sizes = editor.lua(SIZES)
    editor.type(":Acp<CR>")
    widths = editor.expect_lua(WIDTHS, lambda widths: len(widths) == splits + 3)
    assert widths[-1] == int(size[0] * 0.4)
    users = widths[: splits + 1]
    assert max(users) - min(users) <= 1, f"{before} became {widths}"
    assert all(3 * now >= was for now, was in zip(users, before, strict=True))
    editor.type(":Acp close<CR>")
    editor.expect_lua(SIZES, sizes)


def test_windows_of_a_row_keep_their_proportions_and_a_tree_its_width(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = {"agents": {"agent0": {"command": "cat"}}, "default_agent": "agent0"}
    editor = open_editor(setup=agent, size=(200, 40))
    editor.type(
        ":vsplit<CR>:split<CR>:vsplit<CR>:topleft vsplit<CR>:vertical resize 30<CR>:set winfixwidth<CR>"
    )
    editor.type(":2wincmd w<CR>:vertical resize 20<CR>")
    before = editor.expect_lua(WIDTHS, lambda widths: len(widths) == 5)
    sizes = editor.lua(SIZES)
    editor.type(":Acp<CR>")
    after = editor.expect_lua(WIDTHS, lambda widths: len(widths) == 7)
    assert after[0] == before[0] == 30
    assert after[-1] == 80
    parts = [now / was for now, was in zip(after[1:5], before[1:], strict=True)]
    assert max(parts) - min(parts) < 0.06, f"{before} became {after}"
    editor.type(":Acp close<CR>")
    editor.expect_lua(SIZES, sizes)


def test_a_chat_at_the_bottom_takes_its_height_from_all_windows_above(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = {"agents": {"agent0": {"command": "cat"}}, "default_agent": "agent0"}
    editor = open_editor(setup={**agent, "chat": {"position": "bottom"}}, size=(100, 60))
    editor.type(":split<CR>:split<CR>")
    sizes = editor.lua(SIZES)
    editor.type(":Acp<CR>")
    heights = editor.expect_lua(WIDTHS.replace("width", "height"), lambda heights: len(heights) == 5)
    assert max(heights[:3]) - min(heights[:3]) <= 1, heights
    editor.type(":Acp close<CR>")
    editor.expect_lua(SIZES, sizes)


@pytest.mark.parametrize("chat", [{}, {"position": "bottom"}, {"position": "float"}])
def test_the_prompt_grows_with_its_text(open_editor: Open, tmp_path: Path, chat: dict[str, Any]) -> None:
    editor = open_chat(open_editor, script(tmp_path), size=(100, 50), setup={"chat": chat})
    before = editor.lua(HEIGHTS)
    assert before[1] == (4 if chat == {"position": "float"} else 3), "a float has its bar within"
    editor.type("ione<CR>two<CR>three<CR>four<CR>five")
    editor.expect_lua(HEIGHTS, [before[0] - 2, before[1] + 2])
    editor.screen.expect("one")
    # a line that wraps counts with all its rows, and the configured height is the most
    editor.type("<CR>" + "many words " * 40)
    editor.expect_lua(HEIGHTS, lambda heights: heights[1] in (7, 8, 9))
    editor.type("<Esc>:Acp prompt it goes from elsewhere, and the draft stays<CR>")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(HEIGHTS)[1] > 5
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.expect_lua(HEIGHTS, before)


def test_a_prompt_made_smaller_by_hand_still_grows(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path), size=(100, 50))
    chat_height, _ = editor.lua(HEIGHTS)
    editor.type("<Esc>:resize 1<CR>")
    editor.expect_lua(HEIGHTS, [chat_height + 2, 1])
    editor.type("ione<CR>two")
    editor.expect_lua(HEIGHTS, [chat_height + 1, 2])
    editor.type("<Esc>ggdG")
    editor.expect_lua(HEIGHTS, [chat_height + 2, 1])


@pytest.mark.parametrize("laststatus", [2, 3])
def test_state_and_queue_stand_at_the_prompt(open_editor: Open, tmp_path: Path, laststatus: int) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt("first", say("busy"), wait_file(str(go)), permission("May I?")),
        on_prompt("", say("got it")),
    )
    editor = open_chat(open_editor, agent, init=f"vim.o.laststatus = {laststatus}", size=(160, 30))
    editor.screen.expect("idle   <CR> send")
    before = editor.lua(HEIGHTS)
    editor.type("ifirst<C-s>")
    editor.screen.expect(lambda screen: re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \d+s   <C-s> queue", screen.text()))
    editor.type("then add<CR>a 100% test<C-s>and this<C-s>")
    if laststatus == 2:
        editor.screen.expect("2 queued  then add a 100% test")
    else:
        editor.screen.expect("2 queued")
    assert "‖" not in editor.screen.text()
    assert editor.lua(HEIGHTS)[1] == before[1] + (laststatus == 2), "it takes no row from the prompt's text"
    go.touch()
    expect_key(editor, "<M-1>")
    editor.type("<C-c>")
    editor.wait_event("AcpTurnEnded", stop_reason="cancelled")
    if laststatus == 2:
        editor.screen.expect("‖ 2  then add a 100% test   :Acp queue! sends")
        editor.type("<Esc>:set columns=80<CR>")
        editor.screen.expect("‖ 2  then add a…   :Acp queue!\n")
    else:
        editor.screen.expect("‖ 2 paused")
    editor.type("<Esc>:Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", turn=3)
    editor.screen.expect_gone("‖")
    editor.expect_lua(HEIGHTS, before)
    editor.screen.expect("idle   <CR> send")


def plan_of(*statuses: str) -> Any:
    entries = [{"content": f"step {n}", "status": status} for n, status in enumerate(statuses, 1)]
    return update({"sessionUpdate": "plan", "entries": entries})


@pytest.mark.parametrize("laststatus", [2, 3])
def test_the_plan_is_pinned_above_the_prompt_on_request(
    open_editor: Open, tmp_path: Path, laststatus: int
) -> None:
    first, between, second, third = (tmp_path / name for name in ("first", "between", "second", "third"))
    agent = script(
        tmp_path,
        on_prompt(
            "",
            plan_of("in_progress", *["pending"] * 8),
            wait_file(str(first)),
            plan_of(*["completed"] * 7, "pending", "pending"),
            wait_file(str(between)),
            plan_of(*["completed"] * 7, "in_progress", "pending"),
            wait_file(str(second)),
            plan_of(*["completed"] * 9),
            wait_file(str(third)),
            say("Done."),
        ),
    )
    editor = open_chat(open_editor, agent, size=(120, 40), init=f"vim.o.laststatus = {laststatus}")
    before = editor.lua(HEIGHTS)
    panel = "return vim.iter(vim.api.nvim_list_wins()):any(function(win)"
    panel += " return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == 'acp_plan' end)"
    editor.type("<Esc>:Acp plan<CR>")
    editor.screen.expect("the next plan is shown above the prompt")
    assert editor.lua(panel) is False
    send(editor, "go")
    editor.expect_lua(panel, True)
    editor.screen.expect("▸ step 1")
    editor.screen.expect("◻ step 6")
    editor.type("ityping on")
    first.touch()
    editor.screen.expect("◻ step 8")  # the next one, while none is under way
    between.touch()
    editor.screen.expect("▸ step 8")  # it stays in sight
    assert editor.lua("return vim.fn.bufname() .. vim.fn.mode()") == "acp://1/prompti"
    rows = editor.screen.lines()
    (bar,) = (row for row, line in enumerate(rows) if "<C-s> queue" in line)
    assert "typing on" in rows[bar + 1], "the bar still heads the prompt"
    second.touch()
    editor.expect_lua(panel, False)
    editor.expect_lua(HEIGHTS, before)
    third.touch()
    editor.wait_event("AcpTurnEnded")


def test_a_pinned_plan_is_closed_by_hand_and_with_the_chat(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("", plan_of("in_progress", "pending"), say("So."), wait("session/cancel"))
    )
    editor = open_chat(open_editor, agent, size=(120, 40))
    windows = "return #vim.api.nvim_list_wins()"
    send(editor, "go")
    editor.screen.expect("So.")
    editor.type(":Acp plan<CR>")
    editor.expect_lua(windows, 4)
    editor.type(":Acp close<CR>")
    editor.expect_lua(windows, 1)
    editor.type(":Acp<CR>")
    editor.expect_lua(windows, 4)
    editor.type("<C-w>k")
    editor.expect_lua("return vim.bo.filetype", "acp_plan")
    editor.type(":q<CR>")
    editor.expect_lua(windows, 3)
    editor.type(":Acp close<CR>:Acp<CR>")
    editor.expect_lua(windows, 3)
    editor.screen.expect("<C-c> cancel")


SIZE = """
local chat, prompt = vim.fn.bufwinid("^acp://1/chat$"), vim.fn.bufwinid("^acp://1/prompt$")
local heights = vim.api.nvim_win_get_height(chat) + vim.api.nvim_win_get_height(prompt)
return { vim.api.nvim_win_get_width(chat), heights }"""


@pytest.mark.parametrize(
    ("chat", "small", "large"),
    [
        ({}, [40, None], [80, None]),
        ({"position": "left", "width": 0.3}, [30, None], [60, None]),
        ({"width": 45}, [45, None], [45, None]),
        ({"position": "bottom"}, [100, 12], [200, 26]),
        ({"position": "float"}, [80, 20], [140, 44]),
    ],
)
def test_a_share_of_the_screen_follows_the_screen(
    open_editor: Open, tmp_path: Path, chat: dict[str, Any], small: list[Any], large: list[Any]
) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}, "chat": chat}, init="vim.o.laststatus = 2")
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")

    def expect(size: list[Any]) -> None:
        editor.expect_lua(
            SIZE, lambda now: all(want in (None, got) for want, got in zip(size, now, strict=True))
        )

    expect(small)
    editor.type(":set columns=200 lines=60<CR>")
    expect(large)
    editor.type(":tabnew<CR>:set columns=100 lines=30<CR>:tabclose<CR>")
    expect(small)
    # windows that come and go are not the user's hand
    editor.type(":split<CR>:close<CR>:Acp<CR>:set columns=200 lines=60<CR>")
    expect(large)
    editor.type(":set columns=100 lines=30<CR>:Acp close<CR>:set columns=200 lines=60<CR>:Acp<CR>")
    expect(large)


def test_a_width_by_hand_stays_on_another_screen(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("hello"))))
    editor.type("<Esc>:vertical resize 33<CR>:set columns=160<CR>")
    editor.expect_lua("return vim.o.columns", 160)
    editor.expect_lua(SIZE, lambda now: now[0] == 33)
    assert editor.lua(SIZE)[0] == 33


def test_a_count_does_not_answer_what_has_streamed_under_the_cursor(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", say("wait"), wait_file(str(go)), permission("run it")))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.screen.expect("wait")
    editor.type("<Esc>:call win_gotoid(bufwinid('^acp://1/chat$'))<CR>G")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.screen.expect("run it")
    line = editor.lua("return vim.fn.line('.')")
    assert line == editor.lua("return vim.fn.line('$')")
    editor.type("2k")
    editor.expect_lua("return vim.fn.line('.')", line - 2)
    assert editor.events("AcpAnswered") == []
    expect_key(editor, "g1")
    editor.type("j1")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_a_digit_answers_for_who_has_gone_to_the_chat(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it")))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("run it")
    editor.type("<C-w>k")
    expect_key(editor, "g1")
    editor.type("3")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"


@pytest.mark.every_nvim
@pytest.mark.parametrize("ending", ["five six", "five\n"])
@pytest.mark.parametrize("select", ["V3k", "v3k0", "V", "vb"])
def test_a_selection_at_the_end_stays_as_it_is_while_text_streams(
    open_editor: Open, tmp_path: Path, select: str, ending: str
) -> None:
    go = tmp_path / "go"
    more = [say(f"tail {n}\nand more\n\nof it") for n in range(9)]
    agent = script(
        tmp_path, on_prompt("", say(f"one\ntwo\nthree\nfour\n{ending}"), wait_file(str(go)), *more)
    )
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.screen.expect("five")
    editor.type("<Esc>:call win_gotoid(bufwinid('^acp://1/chat$'))<CR>G$" + select)
    selection = (
        "return { vim.fn.mode(), vim.fn.getpos('v')[2], vim.fn.getpos('v')[3], vim.fn.getpos('.')[2] }"
    )
    before = editor.expect_lua(selection, lambda now: now[0] in "vV" and now[3] <= now[1])
    go.touch()
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(selection) == before
    editor.type("y")
    yanked = editor.expect_lua("return vim.fn.getreg('\"')", bool)
    assert yanked.count("\n") <= 4
    assert "and more" not in yanked


def test_gf_splits_where_unsaved_lines_may_not_be_hidden(open_editor: Open, tmp_path: Path) -> None:
    place = [{"path": "{cwd}/there.txt", "line": 2}]
    agent = script(
        tmp_path, on_prompt("", tool("r", title="Read", kind="read", status="completed", locations=place))
    )
    editor = open_chat(open_editor, agent, init="vim.o.hidden = false")
    (editor.project / "there.txt").write_text("one\ntwo\nthree\n")
    editor.type("<Esc>:call win_gotoid(win_getid(1))<CR>iunsaved<Esc>")
    send(editor, "read")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "there.txt")
    editor.type("gf")
    editor.expect_lua("return {vim.fn.expand('%:t'), vim.fn.line('.')}", ["there.txt", 2])
    editor.screen.expect("unsaved")
    editor.screen.expect("three")
    assert "E37" not in editor.lua("return vim.fn.execute('messages')")


TREE = """
vim.cmd("topleft vertical 20split")
local buf = vim.api.nvim_create_buf(false, (...) == "scratch")
vim.api.nvim_set_current_buf(buf)
"""


@pytest.mark.parametrize("tree", ["netrw", "plain", "scratch"])
def test_a_path_never_opens_in_a_file_tree(open_editor: Open, tmp_path: Path, tree: str) -> None:
    place = [{"path": "{cwd}/there.txt", "line": 2}]
    agent = script(
        tmp_path, on_prompt("", tool("r", title="Read", kind="read", status="completed", locations=place))
    )
    editor = open_chat(open_editor, agent, size=(140, 30))
    (editor.project / "there.txt").write_text("one\ntwo\nthree\n")
    (editor.project / "other.txt").write_text("other\n")
    send(editor, "read")
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:call win_gotoid(win_getid(1))<CR>:edit other.txt<CR>:below vsplit<CR>")
    last = editor.expect_lua("return { vim.fn.expand('%'), vim.api.nvim_get_current_win() }", bool)[1]
    if tree == "netrw":
        editor.type(":topleft 20vsplit .<CR>")
    else:
        editor.lua(TREE, tree)
    tree_win = editor.expect_lua("return vim.api.nvim_get_current_win()", lambda win: win != last)
    before = editor.lua("return vim.fn.winbufnr(...)", tree_win)
    go_to_line(editor, "there.txt")
    editor.type("<CR>")
    here = "return { vim.fn.expand('%:t'), vim.api.nvim_get_current_win() }"
    editor.expect_lua(here, ["there.txt", last])
    assert editor.lua("return vim.fn.winbufnr(...)", tree_win) == before
    # the file is on the screen: no second window is taken for it
    editor.type("<C-w>p:call win_gotoid(win_getid(2))<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "other.txt")
    go_to_line(editor, "there.txt")
    editor.type("<CR>")
    editor.expect_lua(here, ["there.txt", last])


WINDOWS = """
return vim.tbl_map(function(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return { vim.fn.bufname(buf), vim.bo[buf].filetype }
end, vim.api.nvim_list_wins())"""
OURS = [["acp://1/chat", "acp_chat"], ["acp://1/prompt", "acp_prompt"]]


@pytest.mark.parametrize(
    ("position", "before"),
    [
        *((position, "in the prompt") for position in ("right", "left", "bottom", "tab", "float")),
        ("right", "in the file"),
        ("right", "closed"),
    ],
)
def test_a_session_file_is_read_while_the_chat_is_open(
    open_editor: Open, tmp_path: Path, position: str, before: str
) -> None:
    agent = script(tmp_path, on_prompt("", say("got it")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    setup = {"agents": {"mine": spec}, "chat": {"position": position}}
    options = (
        "vim.opt.sessionoptions:append({ 'localoptions', 'globals' })" if before == "in the file" else ""
    )
    editor = open_editor(setup=setup, init=options)
    (editor.project / "a.txt").write_text("a\n")
    editor.type(":edit a.txt<CR>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ia draft<Esc>")
    shortmess = editor.lua("return vim.o.shortmess")
    editor.type(":mksession S.vim<CR>")
    if before == "in the file":
        editor.type(":call win_gotoid(bufwinid('a.txt'))<CR>")
    elif before == "closed":
        editor.type(":Acp close<CR>")
    wanted = sorted([["a.txt", "text"], *([] if before == "closed" else OURS)])
    for times in (1, 2):
        editor.type(f":source S.vim<CR>:let g:times = {times}<CR>")
        editor.expect_lua("return vim.g.times", times)
        editor.expect_lua(WINDOWS, lambda windows: sorted(windows) == wanted)
        assert editor.mode() == {"mode": "n", "blocking": False}
        assert not re.search(r"E\d+:", editor.lua("return vim.fn.execute('messages')"))
        assert editor.lua("return vim.o.shortmess") == shortmess
    editor.type(":Acp<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "a draft")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("got it")
    ours = "return #vim.tbl_filter(function(b) return vim.fn.bufname(b):find('acp://') end, vim.api.nvim_list_bufs())"
    assert editor.lua(ours) == 2


def test_closing_takes_every_window_on_the_chat_along(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent)
    user = editor.lua("return vim.fn.win_getid(1)")
    editor.type("<Esc><C-w>k:vsplit<CR>")
    editor.expect_lua("return vim.fn.winnr('$')", 4)
    editor.type(":Acp close<CR>")
    editor.expect_lua("return vim.tbl_map(tostring, vim.api.nvim_list_wins())", [str(user)])


def test_a_global_winbar_stays_out_of_the_prompt(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent, init="vim.o.winbar = 'MINE'")
    editor.screen.expect("<CR> send")
    lines = editor.screen.lines()
    assert sum("MINE" in line for line in lines) == 1, "in the user's own window"
    assert sum("<CR> send " in line for line in lines) == 1


def test_answers_stay_in_view_when_a_list_takes_rows(open_editor: Open, tmp_path: Path) -> None:
    names = [f"a long name of an answer {n}" for n in range(3)]
    options = [(name, name, "allow_once") for name in names]
    agent = script(tmp_path, on_prompt("", say("many words " * 20), permission("May I?", options)))
    editor = open_chat(open_editor, agent, size=(100, 24))
    send(editor, "go")
    editor.screen.expect(names[-1])
    before = editor.lua("return vim.fn.line('w0', vim.fn.bufwinid('acp://1/chat'))")
    editor.type(":Acp sessions<CR>")
    editor.screen.expect(lambda screen: "go to" in screen.text() and names[-1] in screen.text())
    assert editor.lua("return vim.fn.line('w0', vim.fn.bufwinid('acp://1/chat'))") > before == 1


def test_a_file_that_comes_into_the_prompts_window_keeps_it(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("hello"))))
    for name in ("mine.txt", "other.txt"):
        (editor.project / name).write_text(f"the text of {name}\n")
    editor.type("<Esc><C-w>h:edit mine.txt<CR>:Acp<CR>:only<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.type(":bd<CR>")
    editor.screen.expect("the text of mine.txt")
    editor.type(":Acp<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 3)
    editor.screen.expect(lambda screen: "the text of mine.txt" in screen.text() and "idle" in screen.text())
    editor.type("<C-w>h:edit other.txt<CR>")
    editor.screen.expect("the text of other.txt")
    editor.type(":Acp close<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.screen.expect("the text of other.txt")


def test_a_chat_that_is_opened_in_mid_turn_tells_how_long_the_turn_has_run(
    open_editor: Open, tmp_path: Path
) -> None:
    done = tmp_path / "done"
    steps = think_for(2.2), tool("late", title="late", kind="read", status="completed"), wait_file(str(done))
    agent = script(tmp_path, on_prompt("go", *steps))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}})
    assert editor.lua("return require('acp_nvim').prompt('go')")
    editor.wait_event("AcpToolCall")
    shown: list[int] = []

    def first_time(screen: Screen) -> bool:
        shown.extend(map(int, re.findall(r" (\d+)s  ", screen.text())))
        return bool(shown)

    editor.type(":Acp<CR>")
    editor.screen.expect(first_time, what="how long the turn has run")
    assert shown[0] >= 2
    done.touch()
    editor.wait_event("AcpTurnEnded")


AT = """local chat, layout = vim.fn.bufwinid("^acp://1/chat$"), vim.fn.winlayout()
local last = layout[2][#layout[2]]
return layout[1] == "row" and last[1] == "col" and last[2][1][2] == chat and "right"
  or layout[1] == "col" and layout[2][#layout[2] - 1][2] == chat and "bottom" or vim.inspect(layout)"""


@pytest.mark.parametrize(("columns", "where"), [(99, "bottom"), (100, "right")])
def test_auto_puts_the_chat_where_the_screen_has_room(
    open_editor: Open, tmp_path: Path, columns: int, where: str
) -> None:
    editor = open_chat(
        open_editor, script(tmp_path), size=(columns, 30), setup={"chat": {"position": "auto"}}
    )
    assert editor.lua(AT) == where


def test_an_open_chat_moves_with_the_screen_outside_insert_mode(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("\n".join(f"line {n}" for n in range(80)))))
    editor = open_chat(open_editor, agent, size=(140, 40), setup={"chat": {"position": "auto"}})
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:1wincmd w<CR>:vsplit<CR>")
    go_to_line(editor, "line 40")
    editor.type("zz:Acp<CR>ia draft")
    view = """local win = vim.fn.bufwinid("^acp://1/chat$")
    return { vim.api.nvim_win_get_cursor(win), vim.api.nvim_get_current_line(), vim.fn.bufname() }"""
    before = editor.lua(view)
    editor.type("<C-o>:set columns=90<CR>")
    editor.expect_lua("return vim.o.columns .. vim.fn.mode()", "90i")
    assert editor.lua(AT) == "right", "not under the user's fingers"
    editor.type("<Esc>")
    editor.expect_lua(AT, "bottom")
    assert editor.lua(view) == before
    editor.screen.expect("line 40")
    heights = editor.lua(HEIGHTS)
    assert heights[1] == 3
    assert sum(heights) + 1 == int(40 * 0.45)
    widths = editor.lua(WIDTHS)
    assert abs(widths[0] - widths[1]) <= 1
    editor.type(":set columns=140<CR>")
    editor.expect_lua(AT, "right")
    editor.expect_lua(WIDTHS, lambda widths: widths[-1] == 56 and abs(widths[0] - widths[1]) <= 1)
    editor.expect_lua(HEIGHTS, lambda heights: heights[1] == 3)
    assert editor.lua(view) == before


@pytest.mark.parametrize("by_hand", [":vertical resize 50<CR>", ":wincmd H<CR>"])
def test_a_chat_moved_or_sized_by_hand_stays(open_editor: Open, tmp_path: Path, by_hand: str) -> None:
    editor = open_chat(open_editor, script(tmp_path), size=(140, 40), setup={"chat": {"position": "auto"}})
    editor.type(f"<Esc>:wincmd k<CR>{by_hand}")
    layout = editor.lua("return vim.fn.winlayout()")
    editor.type(":set columns=90<CR>")
    editor.expect_lua("return vim.o.columns", 90)
    assert editor.lua("return vim.fn.winlayout()") == layout
