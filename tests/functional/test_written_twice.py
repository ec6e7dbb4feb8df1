"""Agents that write through the editor and the disk at once (opencode): unsaved lines never pass for saved ones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    ask,
    cut_file,
    on_prompt,
    request,
    script,
    tool,
    touch,
    wait,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, call_edit, join_lines, open_notes, read_disk, write
from tests.steps.proposals import MIXED, ask_edit, decide_mixed, open_diff, open_old
from tests.steps.proposals import NEW as PROPOSED
from tests.steps.review import TEN, list_hunks
from tests.steps.turns import Play

Open = Callable[..., Editor]
OLD = "one\ntwo\nthree\n"
NEW = "ONE\ntwo\nthree\n"
# The plugin's own autocommand comes after it: by then the agent has written the file, and its stamp is no young one.
WHILE_IT_IS_SAVED = """
local folder = %r
vim.api.nvim_create_autocmd("BufWritePost", { once = true, callback = function(event)
  vim.fn.writefile({}, folder .. "/saved")
  local deadline = vim.uv.hrtime() + 5e9
  local function is_over()
    local stat = vim.uv.fs_stat(folder .. "/done") and vim.uv.fs_stat(event.match)
    local sec, usec = vim.uv.gettimeofday()
    return stat and (sec - stat.mtime.sec) * 1e3 + usec / 1e3 - stat.mtime.nsec / 1e6 > 100
  end
  while not is_over() and vim.uv.hrtime() < deadline do end
end })
"""


def test_the_disk_is_written_while_the_editor_saves(open_editor: Open, tmp_path: Path) -> None:
    through = ask("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": NEW})
    saved, done = str(tmp_path / "saved"), str(tmp_path / "done")
    edit = [through, wait_file(saved), write_file(NOTES, NEW), touch(done)]
    agent = script(tmp_path, on_prompt("", *call_edit(NOTES, *edit)))
    editor = open_notes(open_editor, agent, OLD, init=WHILE_IT_IS_SAVED % str(tmp_path))
    editor.type("Gomine<Esc>")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, ["ONE", "two", "three", "mine"])
    assert read_disk(editor) == NEW
    editor.expect_lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified")
    editor.type(":write<CR>")
    wait_until(lambda: read_disk(editor) == NEW + "mine\n")


def test_a_file_that_was_empty_for_a_moment(open_editor: Open, tmp_path: Path) -> None:
    """What the user had before it was emptied is no deletion of the text that comes afterwards."""
    empties = call_edit(NOTES, write(NOTES, NEW), write_file(NOTES, ""), id="a")
    writes = call_edit(NOTES, wait_file(str(tmp_path / "go")), write_file(NOTES, NEW), id="b")
    agent = script(tmp_path, on_prompt("", *empties, *writes))
    editor = open_notes(open_editor, agent, OLD)
    editor.type("Gomine<Esc>")
    editor.acp("prompt", "edit")
    editor.expect_lua(LINES, [""])
    (tmp_path / "go").touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, NEW.splitlines())


# --- the editor's save and the agent's write meet: opencode writes over the file, then cuts it to its own length

AGENTS = [*TEN[:4], "AGENT 5", *TEN[5:]]
TYPED = {
    "a line more": ("2Gomine<Esc>", [*AGENTS[:2], "mine", *AGENTS[2:]]),
    "fewer": ("2Gdd", AGENTS[:1] + AGENTS[2:]),
}


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("order", ["cut last", "not yet cut", "saved last"])
def test_a_save_that_meets_the_agents_write_takes_nothing_from_the_buffer(
    open_editor: Open, tmp_path: Path, typed: str, order: str
) -> None:
    keys, wanted = TYPED[typed]
    play = Play(open_editor, tmp_path)
    play.turn()
    play.editor.type(keys)
    play.editor.expect_lua("return vim.bo.modified")
    play.write(AGENTS)
    assert play.path.read_text() == join_lines(wanted)
    agents, saved = join_lines(AGENTS), join_lines(wanted)
    if order == "cut last":
        play.order(*call_edit(str(play.path), cut_file(str(play.path), len(agents))))
    elif order == "saved last":
        play.write_disk(saved + agents[len(saved) :])
    else:
        play.write_disk(agents + saved[len(agents) :])
        play.write_disk(agents)
    play.end()
    play.editor.lua(
        "require('acp_nvim.review').wait_for_disk()"
    )  # else :write asks about the agent's last write
    play.editor.expect_lua("return vim.bo.modified", play.path.read_text() != saved)
    assert play.lines() == wanted
    assert [hunk["new"] for hunk in list_hunks(play.editor)] == [["AGENT 5"]]
    play.editor.type(":write<CR>")
    wait_until(lambda: play.path.read_text() == saved)
    play.undo_all()
    assert play.path.read_text() == saved.replace("AGENT 5", "line 5")


PIECES: dict[str, Callable[[str], str]] = {
    "emptied": lambda text: "",
    "half": lambda text: text[: len(text) // 2],
    "without its end": lambda text: text[:-1],
    "not yet cut": lambda text: text + join_lines(TEN)[len(text) :],
}


@pytest.mark.parametrize("wanted", [[*AGENTS, "AGENT 11"], AGENTS[2:]], ids=["longer", "shorter"])
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("keys", ["", "7GOmine<Esc>"], ids=["saved", "unsaved"])
def test_a_file_that_is_half_written_when_the_same_write_comes_through_us(
    open_editor: Open, tmp_path: Path, wanted: list[str], piece: str, keys: str
) -> None:
    """What the agent has not written yet is nobody's deletion, and what it has not cut yet nobody's line."""
    play = Play(open_editor, tmp_path)
    play.turn()
    play.read()
    play.editor.type(keys)
    play.editor.expect_lua("return vim.bo.modified", bool(keys))
    text = join_lines(wanted)
    play.order(write_file(str(play.path), PIECES[piece](text)))
    play.write(wanted)
    play.write_disk(text)
    play.end()
    at = wanted.index("line 7")
    play.editor.expect_lua(LINES, wanted[:at] + ["mine"] * bool(keys) + wanted[at:])
    assert play.editor.acp("questions") == []
    play.undo_all()
    assert play.lines() == TEN[:6] + ["mine"] * bool(keys) + TEN[6:]


@pytest.mark.parametrize("order", ["cut last", "saved last"])
def test_a_decision_stands_whose_save_meets_the_agents_write(
    open_editor: Open, tmp_path: Path, order: str
) -> None:
    """The decided text is shorter than the agent's, whose last bytes stay behind it, or are filled with NULs."""
    longer = MIXED + PROPOSED[len(MIXED) :]
    meets = cut_file(NOTES, len(PROPOSED)) if order == "cut last" else write_file(NOTES, longer)
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", ask_edit(), write(NOTES, PROPOSED), meets, done))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    editor.lua("require('acp_nvim.review').wait_for_disk()")
    assert read_disk(editor) == MIXED
    editor.expect_lua(LINES, MIXED.splitlines())
    editor.expect_lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified", False)
    assert [hunk["new"] for hunk in list_hunks(editor)] == [["TEN"]]


BUSY = (
    "lua local till = vim.uv.hrtime() + 5e9; while not vim.uv.fs_stat(%r) and till > vim.uv.hrtime() do end"
)


def test_the_call_ends_before_the_editor_has_come_to_the_write(open_editor: Open, tmp_path: Path) -> None:
    """The disk has the proposal by then. What is taken of it is the agent's all the same."""
    done = str(tmp_path / "done")
    through = ask("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": PROPOSED})
    is_served, ends = request("_unknown", {}), tool("call", known=True, status="completed")
    edit = [through, *[is_served] * 5, write_file(NOTES, PROPOSED), ends, is_served, touch(done)]
    agent = script(tmp_path, on_prompt("", ask_edit(), *edit, wait("session/cancel")))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("gg]cdo")
    expect_answerable(editor)
    editor.type(f"/SEVENTEEN<CR>cc17<Esc>:w | {BUSY % done}<CR>")
    editor.expect_lua(LINES, MIXED.splitlines())
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")
    editor.lua("require('acp_nvim.review').wait_for_disk()")
    assert read_disk(editor) == MIXED
    assert [hunk["new"] for hunk in list_hunks(editor)] == [["TEN"]]
