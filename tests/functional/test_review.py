"""Changes that have happened: seen in the file, kept and undone by keys, whatever way they came."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    on_prompt,
    script,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.documents import open_text
from tests.steps.files import (
    LINES,
    NOTES,
    begin_edit,
    join_lines,
    open_notes,
    read,
    read_and_edit,
    read_disk,
    write,
)
from tests.steps.messages import expect_no_prompt
from tests.steps.review import CHANGED, PENDING, TEN, WAYS, list_hunks, start_review

Open = Callable[..., Editor]


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> list[Any]:
    return WAYS[request.param]


@pytest.mark.statement(123)
def test_hunks_are_seen_and_one_is_undone(open_editor: Open, tmp_path: Path, way: list[Any]) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    found = [(h["first"], h["last"], h["old"], h["new"]) for h in list_hunks(editor)]
    assert found == [(2, 2, ["line 2"], ["LINE 2"]), (7, 7, [], ["new"]), (11, 10, ["line 10"], [])]
    editor.screen.expect("  line 2\n┃ LINE 2\n  line 3")
    editor.screen.expect("┃ new\n  line 7")
    editor.screen.expect("▁ line 9\n  line 10")
    editor.type("gg]h")
    editor.expect_lua("return vim.fn.line('.')", 2)
    editor.type("]h")
    editor.expect_lua("return vim.fn.line('.')", 7)
    editor.type(":Acp undo<CR>")
    editor.expect_lua(PENDING, 2)
    now = [line for line in CHANGED if line != "new"]
    assert editor.lua(LINES) == now
    assert read_disk(editor) == join_lines(now)
    assert editor.lua("return vim.bo.modified") is False
    expect_no_prompt(editor)


def test_keys_are_there_while_something_is_pending_and_only_where_they_are_free(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    editor = start_review(open_editor, tmp_path, *way, init="vim.keymap.set('n', '[h', 'gg')\n")
    maps = "local own = {} for _, m in ipairs(vim.api.nvim_buf_get_keymap(0, 'n')) do own[#own + 1] = m.lhs end\n"
    maps += "table.sort(own) return own"
    editor.expect_lua(maps, ["\\k", "\\u", "]h"])
    editor.type("gg]h\\k")
    editor.expect_lua(PENDING, 2)
    assert read_disk(editor) == join_lines(CHANGED)
    editor.type("]h\\u")
    editor.expect_lua(PENDING, 1)
    editor.type("G\\u")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines([TEN[0], "LINE 2", *TEN[2:]])
    editor.expect_lua(maps, [])
    states = {hunk["state"] for hunk in list_hunks(editor)}
    assert states == {"kept", "undone"}
    expect_no_prompt(editor)


def test_keys_can_be_switched_off(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"], setup={"review": {"maps": False}})
    assert editor.lua("return #vim.api.nvim_buf_get_keymap(0, 'n')") == 0
    editor.type(":call cursor(7, 1)<CR>:Acp undo<CR>")
    editor.expect_lua(PENDING, 2)


@pytest.mark.statement(123)
def test_a_range_is_decided_at_once_and_what_is_not_there_is_said(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    editor.type(":5<CR>:Acp keep<CR>")
    editor.screen.expect("no pending change under the cursor")
    editor.type(":3,6Acp undo<CR>")
    editor.screen.expect("no pending change in these lines")
    editor.type("1GVjj\\u")
    editor.expect_lua(PENDING, 2)
    editor.type(":5,$Acp keep<CR>")
    editor.expect_lua(PENDING, 0)
    assert editor.lua(LINES) == [*TEN[:6], "new", *TEN[6:9]]
    assert read_disk(editor) == join_lines([*TEN[:6], "new", *TEN[6:9]])


@pytest.mark.statement(125)
def test_kept_stays_kept(open_editor: Open, tmp_path: Path, way: list[Any]) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    editor.type("gg]h\\k")
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines([TEN[0], "LINE 2", *TEN[2:]])
    editor.type("u")
    editor.expect_lua(PENDING, 2)
    assert [hunk["state"] for hunk in list_hunks(editor)].count("kept") == 1
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 0)


@pytest.mark.statement(123)
def test_undo_is_undone(open_editor: Open, tmp_path: Path, way: list[Any]) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    before = list_hunks(editor)
    editor.type("7G\\u")
    editor.expect_lua(PENDING, 2)
    editor.type("u")
    editor.expect_lua(PENDING, 3)
    assert list_hunks(editor) == before
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor) == join_lines(CHANGED)
    editor.type("u")
    editor.expect_lua(PENDING, 0)
    assert editor.lua(LINES) == TEN
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 3)


@pytest.mark.statement(123)
def test_what_the_user_writes_is_never_part(open_editor: Open, tmp_path: Path) -> None:
    """Before the agent's change, unsaved; within it, below it and above it."""
    editor, _, go = begin_edit(open_editor, tmp_path, TEN, CHANGED)
    editor.type("5Gccmine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3)
    editor.type("ggOabove<Esc>")
    editor.type("/new<CR>obelow<Esc>")
    editor.expect_lua("return vim.fn.getline(9)", "below")
    editor.type("/LINE<CR>\\u")
    editor.expect_lua(PENDING, 2)
    lines = ["above", *TEN[:4], "mine", TEN[5], "new", "below", *TEN[6:9]]
    assert editor.lua(LINES) == lines
    assert editor.lua("return vim.bo.modified") is True
    assert read_disk(editor) == join_lines(["line 1", "line 2", *CHANGED[2:]])
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)
    editor.expect_lua(LINES, ["above", *TEN[:4], "mine", TEN[5], "below", *TEN[6:10]])
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    expect_no_prompt(editor)


@pytest.mark.statement(123)
def test_a_line_that_the_user_changes_leaves_the_hunk(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    editor.type("2GA!<Esc>")
    editor.expect_lua(PENDING, 2)
    editor.type(":w<CR>")  # counts as a change of the buffer, though its text is told already
    editor.expect_lua("return vim.bo.modified", False)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines([TEN[0], "LINE 2!", *TEN[2:]])


FORMAT = """
vim.api.nvim_create_autocmd('BufWritePre', { pattern = '*.txt', command = [[%s/\\s\\+$//e]] })
"""


def test_review_shows_the_formatted_text(open_editor: Open, tmp_path: Path) -> None:
    written = [*TEN[:4], "FIVE   ", *TEN[5:]]
    editor = start_review(open_editor, tmp_path, write(NOTES, join_lines(written)), pending=1, init=FORMAT)
    assert [(hunk["old"], hunk["new"]) for hunk in list_hunks(editor)] == [(["line 5"], ["FIVE"])]
    editor.type("5G\\u")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)


@pytest.mark.every_nvim
def test_marks_folds_and_the_cursor_survive(open_editor: Open, tmp_path: Path, way: list[Any]) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    editor.type(":setlocal foldmethod=manual<CR>:3,5fold<CR>9Gma2Gmb8G3|")
    editor.expect_lua("return vim.fn.col('.')", 3)
    editor.acp("undo", list_hunks(editor)[1]["id"])
    editor.expect_lua(PENDING, 2)
    editor.acp("keep", list_hunks(editor)[0]["id"])
    editor.expect_lua(PENDING, 1)
    places = "vim.tbl_map(vim.fn.line, { '.', \"'a\", \"'b\" })"
    assert editor.lua(f"return {places}") == [7, 8, 2]
    assert editor.lua("return { vim.fn.col('.'), vim.fn.foldclosedend(4) }") == [3, 5]


def test_hunks_arrive_while_the_user_types(open_editor: Open, tmp_path: Path) -> None:
    editor, _, go = begin_edit(open_editor, tmp_path, TEN, CHANGED)
    editor.type("4GOmy <CR>o")
    editor.expect_lua("return vim.fn.getline(5)", "o")
    go.touch()
    editor.expect_lua(PENDING, 3)
    editor.type("wn<CR>")
    editor.expect_lua("return vim.fn.getline(5)", "own")
    assert editor.lua("return vim.fn.mode()") == "i"
    editor.expect_lua("return require('acp_nvim').changes({all=true})[1].hunks[2].first", 10)
    editor.type("<Esc>:Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    editor.expect_lua(LINES, [*TEN[:3], "my ", "own", "", *TEN[3:]])
    assert read_disk(editor) == join_lines(TEN)


# one of them was told a moment ago, and is not drawn yet
AT_ONCE = """2G:lua local store, signs = require('acp_nvim.review.reviewed_files'), require('acp_nvim.review.signs')
 local buf = vim.fn.bufnr() signs.clear(buf) signs.show(buf, store.of_buffer(buf).text.known.waiting, 0, 0)
 vim.cmd('edit!')""".replace("\n", "")


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(AT_ONCE, id=":edit!"),
        ":bdelete|edit notes.txt",
        ":bunload|edit notes.txt",
        ":w",
        ":checktime",
    ],
)
def test_hunks_survive(open_editor: Open, tmp_path: Path, way: list[Any], what: str) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    before = list_hunks(editor)
    editor.type(f"{what}<CR>:let g:is_over = 1<CR>")
    editor.expect_lua("return vim.g.is_over", 1)
    editor.expect_lua("return vim.fn.maparg(']h') ~= ''")
    editor.expect_lua("return require('acp_nvim').changes({all=true})[1].hunks", before)
    editor.screen.expect("  line 2\n┃ LINE 2")
    editor.type("ggOx<Esc>")
    editor.expect_lua("return require('acp_nvim').changes({all=true})[1].hunks[1].first", 3)
    editor.type("u/new<CR>\\u")
    editor.expect_lua(PENDING, 2)
    assert read_disk(editor) == join_lines([line for line in CHANGED if line != "new"])


@pytest.mark.parametrize("command", ["edit!", "bdelete!|edit notes.txt"])
def test_a_line_of_an_agent_that_is_read_again_is_pending_again(
    open_editor: Open, tmp_path: Path, way: list[Any], command: str
) -> None:
    """The user changes one of its lines, and does not save that."""
    editor = start_review(open_editor, tmp_path, *way)
    before = list_hunks(editor)
    editor.type("2Gccmine<Esc>")
    editor.expect_lua(PENDING, 2)
    editor.type(f":{command}<CR>")
    editor.expect_lua("return require('acp_nvim').changes({all=true})[1].hunks", before)
    editor.type("2G\\u")
    editor.expect_lua(PENDING, 2)
    assert read_disk(editor) == join_lines(["line 1", "line 2", *CHANGED[2:]])
    editor.type("u")
    editor.expect_lua(PENDING, 3)
    assert editor.lua(LINES) == CHANGED


THREE = [
    step
    for name in "abc"
    for step in read_and_edit(f"{{cwd}}/{name}.txt", write_file(f"{{cwd}}/{name}.txt", "1\n2\n"))
]


def three(open_editor: Open, tmp_path: Path) -> Editor:
    agent = script(tmp_path, on_prompt("", *THREE, *WAYS["through us"]))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(120, 40))
    (editor.project / "a.txt").write_text("1\n")
    (editor.project / "b.txt").write_text("2\n")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 6)
    return editor


def test_all_files_are_in_the_list_and_the_turn_is_taken_back(open_editor: Open, tmp_path: Path) -> None:
    editor = three(open_editor, tmp_path)
    editor.type(":Acp<CR>")
    editor.screen.expect(r"± 4 files +6 −2 · \k keep \u undo · :Acp review")
    editor.type("<Esc>:Acp review<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "a.txt")
    editor.screen.expect(r"change 1 of 6 · \k keep · \u undo · :cnext next · :copen list")
    assert editor.lua("return vim.fn.getqflist({ title = 0 }).title") == "turn 1: 4 files +6 −2"
    editor.screen.expect(r"┃ 2  1/1  \k keep  \u undo")
    editor.type("]h")
    editor.screen.expect("no change below (5 in other files: :Acp review)")
    assert editor.lua("return require('acp_nvim').status().pending") == 6
    assert editor.lua("return vim.b.acp_session") is None
    listed = editor.lua(
        "return vim.tbl_map(function(i) return {vim.fs.basename(vim.fn.bufname(i.bufnr)), i.lnum, i.text} end, "
        "vim.fn.getqflist())"
    )
    assert listed == [
        ["a.txt", 2, "+1 -0 2"],
        ["b.txt", 1, "+1 -0 1"],
        ["c.txt", 1, "new file: +2 -0 1"],
        ["notes.txt", 2, "+1 -1 LINE 2"],
        ["notes.txt", 7, "+1 -0 new"],
        ["notes.txt", 11, "+0 -1 line 10"],
    ]
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    editor.screen.expect("undone: 6 changes in ")
    assert [read_disk(editor, f"{name}.txt") for name in ("a", "b", "notes")] == [
        "1\n",
        "2\n",
        join_lines(TEN),
    ]
    assert not (editor.project / "c.txt").exists()
    editor.type(":Acp review<CR>")
    editor.screen.expect("nothing left to review in this session")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("nothing left to undo in this session")
    assert editor.events("AcpChanges")
    expect_no_prompt(editor)


def test_a_file_that_two_sessions_have_changed_has_two_entries(open_editor: Open, tmp_path: Path) -> None:
    """And one place in the list of changes, from its top to its end."""
    first = [*TEN[:1], "LINE 2", *TEN[2:7], "LINE 8", *TEN[8:]]
    both = [*first[:4], "LINE 5", *first[5:]]
    steps = {"first": first, "second": both}
    agent = script(
        tmp_path,
        *(
            on_prompt(name, *read_and_edit(NOTES, write_file(NOTES, join_lines(lines))))
            for name, lines in steps.items()
        ),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(140, 30))
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    for n, name in enumerate(steps, 1):
        editor.acp("prompt", name, {"session": n})
        editor.wait_event("AcpTurnEnded", session=n)
        editor.expect_lua(PENDING, n + 1)
    entries = [
        (each["session"], each["by"], [hunk["first"] for hunk in each["hunks"]])
        for each in editor.acp("changes", {"all": True})
    ]
    assert entries == [(1, "agent", [2, 8]), (2, "agent", [5])]
    for each in editor.acp("changes", {"all": True}):
        status = editor.acp("status", {"session": each["session"]})
        assert status["session_id"]
        assert (each["session_id"], each["agent"]) == (status["session_id"], status["agent"])
    assert [each["session"] for each in editor.acp("changes", {"session": 2})] == [2]
    editor.type(":Acp review all<CR>")
    editor.expect_lua("return vim.fn.getqflist({ title = 0 }).title", "all sessions: notes.txt +3 −3")
    assert editor.lua("return vim.tbl_map(function(i) return i.lnum end, vim.fn.getqflist())") == [2, 5, 8]


def test_accept_and_reject_on_a_hunk_keep_and_undo(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    expect_answerable(editor)
    editor.type("2G:Acp accept<CR>")
    editor.expect_lua(PENDING, 2)
    expect_answerable(editor)
    editor.type("7G:Acp reject<CR>")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor) == join_lines([line for line in CHANGED if line != "new"])


def test_decided_changes_are_listed_until_the_next_turn(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("first", *WAYS["on disk"]), on_prompt("second"))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "first")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3)
    editor.type("7G\\k")
    editor.expect_lua(PENDING, 2)
    assert len(list_hunks(editor)) == 3
    editor.acp("prompt", "second")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes({all=true})[1].hunks", 2)
    editor.type(":Acp review<CR>")
    editor.screen.expect(r"change 1 of 2 · \k keep · \u undo · ]h next · :copen list")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 2 changes in notes.txt (turn 1)")
    editor.expect_lua(PENDING, 0)


def test_two_sessions_change_one_file(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("first", read(NOTES), write(NOTES, join_lines([*TEN[:2], "THREE", *TEN[3:]]))),
        on_prompt(
            "second", read(NOTES), write(NOTES, join_lines([*TEN[:2], "THREE", *TEN[3:7], "EIGHT", *TEN[8:]]))
        ),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "first", {"session": 1})
    editor.wait_event("AcpTurnEnded")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "second", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    editor.expect_lua(PENDING, 2)
    ours = [[h["new"] for h in editor.acp("changes", {"session": n})[0]["hunks"]] for n in (1, 2)]
    assert ours == [[["THREE"]], [["EIGHT"]]]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor) == join_lines([*TEN[:2], "THREE", *TEN[3:]])


def test_the_agent_writes_again(open_editor: Open, tmp_path: Path) -> None:
    """Its further write melts into what is pending; a hunk that it takes back itself is gone."""
    again = [*CHANGED[:1], "LINE TWO", *CHANGED[2:6], *CHANGED[7:]]
    editor = start_review(
        open_editor, tmp_path, write(NOTES, join_lines(CHANGED)), write(NOTES, join_lines(again)), pending=2
    )
    assert [(hunk["old"], hunk["new"]) for hunk in list_hunks(editor)] == [
        (["line 2"], ["LINE TWO"]),
        (["line 10"], []),
    ]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(TEN)


def test_only_u_and_redo_bring_a_hunk_back(open_editor: Open, tmp_path: Path) -> None:
    """The user deletes the same line as the agent did: that is the user's own, however often the text comes again."""
    agents = [*TEN[:2], *TEN[3:]]
    editor = start_review(open_editor, tmp_path, write(NOTES, join_lines(agents)), pending=1)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert editor.lua(LINES) == TEN
    editor.type("3Gdd")
    editor.expect_lua(LINES, agents)
    editor.type("Gonew<Esc>")
    editor.expect_lua(LINES, [*agents, "new"])
    assert editor.lua(PENDING) == 0
    editor.type("u")  # to the user's own text, which the agent had before
    editor.expect_lua(LINES, agents)
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert editor.lua(PENDING) == 0
    editor.type("u")  # to the undone hunk
    editor.expect_lua(LINES, TEN)
    editor.type("u")  # to the agent's text
    editor.expect_lua(LINES, agents)
    editor.expect_lua(PENDING, 1)
    editor.type("u")  # before the agent
    editor.expect_lua(LINES, TEN)
    editor.expect_lua(PENDING, 0)
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 1)
    editor.type("<C-r><C-r>")
    editor.expect_lua(LINES, agents)
    editor.expect_lua(PENDING, 0)
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("acp_nvim: ")
    assert editor.lua(LINES) == agents
    expect_no_prompt(editor)


def test_typing_a_line_back_makes_it_the_user_s_until_u(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    editor = start_review(open_editor, tmp_path, *way)
    editor.type("2GAx")
    editor.expect_lua(PENDING, 2)
    editor.type("<BS><Esc>")
    editor.expect_lua(LINES, CHANGED)
    editor.expect_lua("return vim.fn.mode()", "n")
    assert editor.lua(PENDING) == 2
    editor.type("u")
    editor.expect_lua(PENDING, 3)
    assert editor.lua(LINES) == CHANGED
    expect_no_prompt(editor)


def test_a_session_with_pending_changes_is_closed_by_two_presses(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, write(NOTES, join_lines(CHANGED)), size=(120, 30))
    editor.type(":Acp sessions<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_sessions")
    editor.type("ggx")
    editor.screen.expect("3 changes pending: press x again to close")
    assert len(editor.acp("sessions")) == 1
    editor.type("x")
    editor.wait_event("AcpSessionEnded", reason="closed")


def test_removed_lines_are_drawn_alike_beside_a_window_that_breaks_lines(editor: Editor) -> None:
    open_text(editor, "new\n")
    drawn = """
    local buf, text = vim.api.nvim_get_current_buf(), ("word "):rep(5) .. "\tend"
    vim.cmd("vertical 20vsplit +enew")
    vim.wo.linebreak, vim.wo.breakindent, vim.wo.showbreak = true, true, ">>>>"
    local change = { id = 1, old = { text }, new = { "new" } }
    require("acp_nvim.review.signs").show(buf, { rows = { 0 }, changes = { change } }, 0, 0)
    local hunks = vim.api.nvim_create_namespace("acp_nvim.hunks.beside")
    local function line()
      local mark = vim.api.nvim_buf_get_extmarks(buf, hunks, 0, -1, { details = true })[1]
      return mark and mark[4].virt_lines and mark[4].virt_lines[1][1][1]
    end
    vim.wait(5000, line, 1)
    return line()"""
    assert editor.lua(drawn) == ("word " * 5).ljust(32) + "end".ljust(editor.screen.size[0] - 32)
