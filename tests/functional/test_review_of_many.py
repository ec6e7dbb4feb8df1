"""Review of files with thousands of hunks: what is asked for happens to all of them, and Neovim answers meanwhile."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import (
    NOTES,
    call_edit,
    get_answers,
    join_lines,
    open_notes,
    read,
    read_disk,
    write,
)
from tests.steps.review import PENDING

Open = Callable[..., Editor]
LONGEST = 400  # milliseconds: twice the bar, for slower machines
WAYS = ["through us", "on disk"]


def numbered(count: int, changed: str = "") -> list[str]:
    return [f"line {n}{changed if n % 2 else ''}" for n in range(count)]


def changing(open_editor: Open, folder: Path, way: str, count: int) -> tuple[Editor, Path]:
    """notes.txt is open, and the agent is about to change every second line of it."""
    new = join_lines(numbered(count, " CHANGED"))
    go = folder / "go"
    steps = {
        "through us": [read(NOTES), wait_file(str(go)), write(NOTES, new)],
        "on disk": call_edit(NOTES, wait_file(str(go)), write_file(NOTES, new)),
    }[way]
    agent = script(folder, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, join_lines(numbered(count)))
    editor.acp("prompt", "edit")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    return editor, go


UNDO_ALL_AS_SOON_AS_ONE_IS_PENDING = f"""
  local function pending() {PENDING} end
  local timer = vim.uv.new_timer()
  timer:start(0, 1, vim.schedule_wrap(function()
    if not timer:is_closing() and pending() > 0 then
      timer:close()
      vim.cmd('Acp undo all')
      vim.g.done = 1
    end
  end))
"""


@pytest.mark.parametrize("way", WAYS)
def test_all_of_thousands_of_hunks_are_undone(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, go = changing(open_editor, tmp_path, way, 6_000)
    editor.lua(UNDO_ALL_AS_SOON_AS_ONE_IS_PENDING)
    go.touch()
    editor.wait_event("AcpTurnEnded", timeout=60)
    editor.expect_lua("return vim.g.done", 1, timeout=30)
    editor.expect_lua("return vim.fn.execute('messages'):find('undone') ~= nil", timeout=30)
    editor.expect_lua(PENDING, 0, timeout=3)
    assert read_disk(editor) == join_lines(numbered(6_000))


@pytest.mark.alone
@pytest.mark.parametrize("way", WAYS)
def test_a_hundred_thousand_changed_lines_leave_neovim_to_its_user(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    """They come into the buffer, or the user is told why not."""
    editor, go = changing(open_editor, tmp_path, way, 200_000)
    with editor.second_client() as probe:
        go.touch()
        editor.wait_event("AcpTurnEnded", timeout=60)
        changed = "return vim.fn.getline(2):find('CHANGED') or vim.fn.execute('messages'):find('notes.txt')"
        editor.expect_lua(changed, lambda found: found not in (None, False), timeout=60)
    assert probe.percentile(100) < LONGEST


@pytest.mark.parametrize(("command", "first"), [("accept", "line 2"), ("reject", "TYPED")])
def test_a_change_too_large_to_be_merged_by_lines_asks_and_says_so(
    open_editor: Open, tmp_path: Path, command: str, first: str
) -> None:
    go, new = tmp_path / "go", join_lines(numbered(60_000, " CHANGED"))
    agent = script(tmp_path, on_prompt("", read(NOTES), wait_file(str(go)), write(NOTES, new)))
    editor = open_notes(open_editor, agent, join_lines(numbered(60_000)))
    editor.acp("prompt", "edit")
    wait_until(lambda: get_answers(agent))
    editor.lua("vim.api.nvim_buf_set_lines(0, 2, 3, true, { 'TYPED' })")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR>")
    editor.screen.expect("too many changes to be merged")
    assert editor.lua("return vim.fn.getbufline('notes.txt', 3, 4)") == ["TYPED", "line 3"]
    editor.type(f":Acp {command}<CR>")
    editor.wait_event("AcpTurnEnded", timeout=60)
    second = "line 3 CHANGED" if command == "accept" else "line 3"
    assert editor.lua("return vim.fn.getbufline('notes.txt', 3, 4)") == [first, second]
