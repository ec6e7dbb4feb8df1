"""What the user was writing when Neovim was killed comes back; what was sent does not."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, say, script, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.sessions import open_with_agent

Open = Callable[..., Editor]
LINES = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://1/prompt$'), 0, -1, false), '|')"
HISTORY = "return require('acp_nvim.prompt.history').of(vim.fn.getcwd())"
AGENT = on_prompt("long", wait_file("/nowhere")), on_prompt("", say("ok"))


def where(tmp_path: Path, cwd: Path | None = None) -> dict[str, Any]:
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    return {"env": state, "init": f"vim.cmd.cd([[{cwd or tmp_path}]])"}


def begin(open_editor: Open, tmp_path: Path, cwd: Path | None = None) -> Editor:
    editor = open_with_agent(open_editor, script(tmp_path, *AGENT), **where(tmp_path, cwd))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def drafts(tmp_path: Path) -> list[Path]:
    return sorted(
        (tmp_path / "state/nvim/acp_nvim/drafts").glob("*.json")
    )  # not those that are being written


def written(tmp_path: Path, text: str) -> None:
    wait_until(lambda: any(text in file.read_text() for file in drafts(tmp_path)), 3)


@pytest.mark.parametrize("how", ["two seconds", "InsertLeave", "FocusLost"])
def test_a_draft_survives_a_kill(open_editor: Open, tmp_path: Path, how: str) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ihalf a<CR>thought")
    if how == "InsertLeave":
        before.type("<Esc>")
        before.expect_lua("return vim.fn.mode()", "n")
        assert "thought" in drafts(tmp_path)[0].read_text()
    elif how == "FocusLost":
        before.lua("vim.api.nvim_exec_autocmds('FocusLost', {})")
        assert "thought" in drafts(tmp_path)[0].read_text()
    else:
        written(tmp_path, "thought")
    assert drafts(tmp_path)[0].stat().st_mode & 0o777 == 0o600
    before.kill()
    after = begin(open_editor, tmp_path)
    after.expect_lua(LINES, "half a|thought")
    # it is this one's draft now, and once sent it is none
    (file,) = drafts(tmp_path)
    assert "thought" in file.read_text()
    after.type("<Esc><CR>")
    after.wait_event("AcpTurnEnded")
    assert drafts(tmp_path) == []
    after.kill()
    again = begin(open_editor, tmp_path)
    assert again.lua(LINES) == ""


def test_drafts_of_two_prompts_come_back_and_none_from_a_neovim_that_runs(
    open_editor: Open, tmp_path: Path
) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ithe older one<Esc>")
    before.type(":Acp new<CR>")
    before.wait_event("AcpSessionStarted", session=2)
    before.expect_lua("return vim.fn.bufname()", "acp://2/prompt")
    before.type("ithe newer one<Esc>")
    wait_until(lambda: len(drafts(tmp_path)) == 2)
    beside = begin(open_editor, tmp_path)
    assert beside.lua(LINES) == ""
    before.kill()
    after = begin(open_editor, tmp_path)
    after.expect_lua(LINES, "the newer one")
    assert after.lua(HISTORY) == ["the older one"]


def test_a_draft_goes_into_the_history_where_the_prompt_has_text(open_editor: Open, tmp_path: Path) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ileft behind<Esc>")
    wait_until(lambda: drafts(tmp_path))
    after = begin(open_editor, tmp_path)
    after.type("imine<Esc>")
    before.kill()
    after.type(":Acp new<CR>")
    after.wait_event("AcpSessionStarted", session=2)
    assert after.lua(LINES) == "mine"
    after.expect_lua(LINES.replace("acp://1", "acp://2"), "left behind")


def test_it_stays_in_its_project(open_editor: Open, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / ".git").mkdir(parents=True)
    before = begin(open_editor, tmp_path, one)
    before.type("ihalf a thought<Esc>")
    wait_until(lambda: drafts(tmp_path))
    before.kill()
    elsewhere = begin(open_editor, tmp_path, other)
    assert elsewhere.lua(LINES) == ""
    (one / "sub").mkdir()
    after = begin(open_editor, tmp_path, one / "sub")
    after.expect_lua(LINES, "half a thought")


def test_a_draft_behind_an_earlier_prompt_survives_too(open_editor: Open, tmp_path: Path) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ifirst<Esc><CR>")
    before.wait_event("AcpTurnEnded")
    before.type("ihalf a thought<Esc>gg<C-p>")
    before.expect_lua(LINES, "first")
    before.type("i<Esc>")
    before.kill()
    after = begin(open_editor, tmp_path)
    after.expect_lua(LINES, "half a thought")


def test_a_prompt_that_waits_in_the_queue_is_no_draft(open_editor: Open, tmp_path: Path) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ilong<Esc><CR>")
    before.wait_event("AcpTurnStarted")
    before.type("inext<Esc>")
    wait_until(lambda: drafts(tmp_path))
    before.type("<CR>")
    before.expect_lua("return require('acp_nvim').status().queue", 1)
    assert drafts(tmp_path) == []


def test_without_shada_no_draft_is_written(open_editor: Open, tmp_path: Path) -> None:
    editor = begin(open_editor, tmp_path)
    editor.lua("vim.o.shada = ''")
    editor.type("isecret<Esc>")
    editor.expect_lua("return vim.fn.mode()", "n")
    assert drafts(tmp_path) == []


def test_a_damaged_file_is_none(open_editor: Open, tmp_path: Path) -> None:
    before = begin(open_editor, tmp_path)
    before.type("ihalf a thought<Esc>")
    wait_until(lambda: drafts(tmp_path))
    before.kill()
    (file,) = drafts(tmp_path)
    os.truncate(file, 5)
    after = begin(open_editor, tmp_path)
    assert after.lua(LINES) == ""
    assert drafts(tmp_path) == []
