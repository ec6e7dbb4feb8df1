"""One truth about pending changes: the line below the turn, `:Acp review`, `:Acp undo turn` and the bars agree."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, say, script, tool
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, read_chat, send
from tests.steps.files import LINES, NOTES, join_lines, open_notes, write
from tests.steps.review import CHANGED, PENDING, TEN

Open = Callable[..., Editor]
COMMA = "vim.g.maplocalleader = ','\n"
LATER = [*CHANGED[:3], "FOUR", *CHANGED[4:]]
TITLE = "return vim.fn.getqflist({ title = 0 }).title"


def talking(open_editor: Open, tmp_path: Path, *prompts: str, **options: object) -> Editor:
    """The chat is open beside notes.txt, the cursor in the file; these prompts have been answered."""
    agent = script(
        tmp_path,
        on_prompt("edit", say("I edit it.\n\n"), write(NOTES, join_lines(CHANGED))),
        on_prompt("again", write(NOTES, join_lines(LATER))),
        on_prompt("other", write("{cwd}/other.txt", "new\n")),
        on_prompt("", say("Nothing to do.")),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), **{"init": COMMA, "size": (160, 40), **options})
    editor.type(":Acp<CR><Esc><C-w>h")
    editor.expect_lua("return vim.bo.filetype ~= 'acp_prompt' and vim.fn.expand('%:t')", "notes.txt")
    for prompt in prompts:
        editor.acp("prompt", prompt)
        editor.wait_event("AcpTurnEnded")
    return editor


def test_a_queued_prompt_that_changes_nothing_hides_nothing(open_editor: Open, tmp_path: Path) -> None:
    """The line, the list and undo are about the turn that changed something; none says that nothing is pending."""
    editor = talking(open_editor, tmp_path)
    editor.lua("for _, words in ipairs({ 'edit', 'look' }) do require('acp_nvim').prompt(words) end")
    editor.wait_event("AcpTurnEnded")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3)
    editor.screen.expect("± notes.txt +2 −2 · ,k keep ,u undo · :Acp review")
    assert editor.screen.text().count("± notes.txt") == 1
    editor.screen.expect("±3")
    editor.type(":Acp review<CR>")
    editor.screen.expect("change 1 of 3 · ,k keep · ,u undo · ]h next · :copen list")
    assert editor.lua(TITLE).endswith(": notes.txt +2 −2")
    assert editor.lua("return require('acp_nvim').statusline()").endswith("±3")
    editor.type(",k")
    editor.screen.expect("± notes.txt +1 −1 · kept 1 · ,k keep ,u undo · :Acp review")
    editor.screen.expect("±2")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 2 changes in notes.txt (turn 1)")
    editor.screen.expect("± kept 1, undone 2 of 3")
    assert editor.lua(LINES) == [TEN[0], "LINE 2", *TEN[2:]]
    assert editor.lua("return require('acp_nvim').status().pending") == 0
    assert "±1" not in editor.screen.text()
    editor.type("u")
    editor.screen.expect("± notes.txt +1 −1 · kept 1 · ,k keep ,u undo · :Acp review")
    editor.expect_lua("return require('acp_nvim').status().pending", 2)


@pytest.mark.parametrize("columns", [75, 100, 120])
def test_the_line_takes_one_row_in_a_narrow_chat(open_editor: Open, tmp_path: Path, columns: int) -> None:
    """A chat of 30, 40 and 48 columns: `:Acp review` goes first; one blank row is before the line, always."""
    editor = talking(open_editor, tmp_path, "edit", size=(columns, 30))
    editor.screen.expect("± notes.txt +2 −2")
    row, begins = editor.screen.find("± notes.txt +2")
    above, line, below = (text[begins - 2 :] for text in editor.screen.lines()[row - 1 : row + 2])
    keys = "  ,k keep  ,u undo" if columns > 75 else ""
    assert line.strip(" │") == "± notes.txt +2 −2" + keys
    assert above.strip(" │") == below.strip(" │") == ""
    editor.type("<Esc>:set columns=200<CR>")
    editor.screen.expect("± notes.txt +2 −2 · ,k keep ,u undo · :Acp review")


def test_a_blank_row_stands_before_the_line_behind_a_call(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("", tool("call", title="Edit", kind="edit"), write(NOTES, "other\n")),
    )
    editor = open_chat(open_editor, agent, size=(160, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("± notes.txt +1")
    lines = read_chat(editor)
    at = next(n for n, line in enumerate(lines) if line.startswith("notes.txt +1"))
    assert lines[at - 1] == ""
    assert lines[at - 2] != ""


def test_the_newest_turn_with_changes_goes_first(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, tmp_path, "edit", "look", "again", "look again")
    editor.expect_lua(PENDING, 4)
    editor.screen.expect("± notes.txt +2 −2 · ,k keep ,u undo · :Acp review")
    editor.screen.expect("± notes.txt +1 −1 · ,k keep ,u undo · :Acp review")
    assert editor.screen.text().count("± notes.txt") == 2
    editor.type(":Acp review<CR>")
    editor.screen.expect("change 1 of 1 · 3 in other turns: :Acp review session · ,k keep · ,u undo")
    assert editor.lua(TITLE) == "turn 3: notes.txt +1 −1"
    assert editor.lua("return vim.fn.line('.')") == 4
    for words in ("session", "all", "1"):
        editor.type(f":Acp review {words}<CR>")
        editor.screen.expect("change 1 of 4 · ")
    editor.type(":Acp review 7<CR>")
    editor.screen.expect("no session 7. Open: 1")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in notes.txt (turn 3)")
    editor.screen.expect("± undone 1")
    editor.type(":Acp keep turn<CR>")
    editor.screen.expect("kept: 3 changes in notes.txt (turn 1)")
    editor.screen.expect("± kept 3")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("nothing left to undo in this session")


def test_the_line_decides_about_its_own_turn(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, tmp_path, "edit", "again")
    editor.expect_lua(PENDING, 4)
    editor.screen.expect("± notes.txt +1 −1 · ,k keep ,u undo · :Acp review")
    editor.type("<C-w>l<C-w>kgg,u")
    editor.screen.expect("to undo a turn's changes, go to the line that begins with ±")
    editor.type("/+1 −1<CR>,u")
    editor.screen.expect("undone: 1 change in notes.txt (turn 2)")
    editor.screen.expect("± undone 1")
    editor.type(",u")
    editor.screen.expect("nothing left to undo in this turn (3 pending in the session: :Acp undo all)")
    editor.type("gg/+2 −2<CR><CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "notes.txt")
    editor.screen.expect("change 1 of 3 · ")
    editor.type("<C-w>l")
    editor.expect_lua("return vim.bo.filetype", "acp_chat")
    editor.type(",k")
    editor.screen.expect("kept: 3 changes in notes.txt (turn 1)")
    editor.expect_lua(PENDING, 0)


def test_the_line_unfolds_the_files_of_its_turn(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("", write(NOTES, join_lines(CHANGED)), write("{cwd}/below/other.txt", "new\n")),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), init=COMMA, size=(160, 40))
    editor.type(":Acp<CR><Esc>")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("± 2 files +3 −2")
    editor.type("<C-w>k/2 files<CR>za")
    editor.screen.expect("│ below/other.txt +1")
    editor.screen.expect("│ notes.txt +2 −2")
    editor.type("/other.txt<CR>0<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "other.txt")
    editor.type(",k")
    editor.screen.expect("± notes.txt +2 −2 · kept 1")
    editor.screen.expect("│ below/other.txt  kept 1")
    editor.type("<C-w>l:Acp undo turn<CR>")
    editor.screen.expect("│ notes.txt  undone 3")
    editor.type("/± \\|kept 1, undone<CR>za")
    editor.screen.expect_gone("│ notes.txt")
    editor.screen.expect("± kept 1, undone 3 of 4")


def test_changes_that_somebody_has_taken_back_are_said_to_be_gone(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, tmp_path, "edit", "again")
    editor.screen.expect("± notes.txt +1 −1")
    editor.type(":4s/FOUR/line 4/<CR>")
    editor.screen.expect("± no change of this turn is left")


def test_what_is_pending_in_another_session_is_named(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, tmp_path, "edit")
    editor.expect_lua(PENDING, 3)
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("<Esc>:Acp undo turn<CR>")
    editor.screen.expect("nothing left to undo in this session (3 pending in session 1: :Acp review all)")
    editor.type(":Acp review<CR>")
    editor.screen.expect("nothing left to review in this session (3 pending in session 1: :Acp review all)")
    editor.type(":Acp review all<CR>")
    editor.screen.expect("change 1 of 3 · ")
    assert editor.lua(TITLE) == "all sessions: notes.txt +2 −2"


@pytest.mark.parametrize("verb", ["k", "u"])
def test_the_end_of_a_turn_names_what_waits_elsewhere(open_editor: Open, tmp_path: Path, verb: str) -> None:
    """The list holds one turn: its first and its last change say that another turn and another session wait, too."""
    editor = talking(open_editor, tmp_path, "edit", "again")
    editor.expect_lua(PENDING, 4)
    editor.type(":Acp review<CR>")
    editor.screen.expect("change 1 of 1 · 3 in other turns: :Acp review session · ,k keep")
    editor.type(f",{verb}")
    editor.screen.expect("turn 2 reviewed · 3 in other turns: :Acp review session")
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("<Esc>:Acp prompt other<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 4)
    editor.type(":Acp review<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "other.txt")
    editor.screen.expect("change 1 of 1 · 3 pending in session 1: :Acp review all · ,k keep")
    command, done = ("keep", "kept") if verb == "k" else ("undo", "undone")
    editor.type(f":Acp {command} turn<CR>")
    editor.screen.expect(f"{done}: 1 change in other.txt (turn 1) · 3 pending in session 1: :Acp review all")


def test_a_new_file_has_no_count_of_removed_lines(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, tmp_path, "other")
    editor.screen.expect("± other.txt +1 · ,k keep ,u undo · :Acp review")
    assert editor.screen.attrs("+1 · ,k") != editor.screen.attrs("· ,k")
    editor.type(":Acp review<CR>")
    editor.expect_lua(TITLE + ":match(': (.*)$')", "other.txt +1")
