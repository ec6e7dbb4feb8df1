"""Review of files with thousands of hunks: what is asked for happens to all of them, and Neovim answers meanwhile."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import (
    NOTES,
    call_edit,
    get_answers,
    join_lines,
    open_notes,
    read,
    read_and_edit,
    read_disk,
    write,
)
from tests.steps.review import PENDING, start_review

Open = Callable[..., Editor]
LONGEST = 600  # ms: half a second at worst, as README says, and what a slow machine adds
WAYS = ["through us", "on disk"]
TEN_THOUSAND = [f"line {n}" for n in range(10_000)]
EVERY_TENTH = read_and_edit(
    NOTES,
    write_file(NOTES, join_lines([line if n % 10 else line.upper() for n, line in enumerate(TEN_THOUSAND)])),
)


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
    expect_answerable(editor)
    editor.type(f":Acp {command}<CR>")
    editor.wait_event("AcpTurnEnded", timeout=60)
    second = "line 3 CHANGED" if command == "accept" else "line 3"
    assert editor.lua("return vim.fn.getbufline('notes.txt', 3, 4)") == [first, second]


@pytest.mark.alone
@pytest.mark.parametrize("keys", ["7G\\k", "7G\\u"])
def test_one_of_a_thousand_is_decided_at_once(open_editor: Open, tmp_path: Path, keys: str) -> None:
    """Ten thousand lines; from the call to what the user sees, the best of many."""
    editor = start_review(open_editor, tmp_path, *EVERY_TENTH, before=join_lines(TEN_THOUSAND), pending=1000)
    editor.screen.expect("┃ LINE 0")
    timed = """local verb, index = ...
    local acp, review = require('acp_nvim'), require('acp_nvim.review')
    vim.wait(40) -- a frame has its pace
    local id = acp.changes({ all = true })[1].hunks[index].id
    local start, over = vim.uv.hrtime(), nil
    acp[verb](id)
    vim.wait(2000, function()
      over = review.hunk(id).state ~= 'pending' and vim.uv.hrtime() or nil
      return over ~= nil
    end, 1)
    return (over - start) / 1e6"""
    verb = "keep" if keys.endswith("k") else "undo"
    assert min(editor.lua(timed, verb, 500 + n) for n in range(20)) < 10
    assert editor.lua(PENDING) == 980


@pytest.mark.alone
def test_a_thousand_hunks_hold_nobody_up(open_editor: Open, tmp_path: Path) -> None:
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", *EVERY_TENTH)), join_lines(TEN_THOUSAND))
    editor.type(":enew|bwipeout notes.txt<CR>")
    editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1000)
    waits = []
    for _ in range(5):
        with editor.second_client() as probe:
            editor.type(":Acp review<CR>")
            editor.screen.expect("┃ LINE 0")
            editor.type("G")
            editor.screen.expect("┃ LINE 9990")
        waits.append(probe.percentile(95))
        editor.type(":bwipeout<CR>")
        editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    assert min(waits) < 30


def test_typing_costs_next_to_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *EVERY_TENTH, before=join_lines(TEN_THOUSAND), pending=1000)
    timed = """local buffers = require('acp_nvim.review.attached_buffers')
    local buf = vim.api.nvim_get_current_buf()
    local function typed()
      local start = os.clock() -- other processes do not count
      for _ = 1, 200 do
        vim.api.nvim_buf_set_text(buf, 4, 0, 4, 0, { 'x' })
        buffers.settle()
      end
      return (os.clock() - start) / 200 * 1e3
    end
    return math.min(typed(), typed(), typed())"""
    assert editor.lua(timed) < 0.2
    editor.expect_lua("return vim.fn.getline(5)", "x" * 600 + "line 4")
    editor.type("u")
    editor.expect_lua(PENDING, 1000)
