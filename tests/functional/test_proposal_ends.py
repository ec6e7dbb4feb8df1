"""How a proposal goes without a decision in it: its windows are closed, its question is withdrawn or cancelled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on_prompt,
    say,
    script,
    tool,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES
from tests.steps.proposals import (
    DIFFS,
    LAYOUT,
    NEW,
    OLD,
    ask_edit,
    expect_closed,
    get_outcomes,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]


def test_leaving_decides_nothing_and_keeps_what_was_edited(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("edit", *write_through()))
    editor = open_old(open_editor, agent)
    layout = editor.lua(LAYOUT)
    open_diff(editor)
    editor.type("ggcchello<Esc>:q<CR>")
    expect_closed(editor)
    assert editor.lua(LAYOUT)[:3] == layout[:3]
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return vim.fn.getline(1)", "hello")
    editor.type("<C-w>h:q<CR>")
    expect_closed(editor)
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == NEW.replace("line 1\n", "hello\n", 1)


@pytest.mark.parametrize("keys", [":only<CR>", ":bwipeout!<CR>", ":tabnew<CR>:tabonly<CR>", ":enew!<CR>"])
def test_however_its_windows_go_the_question_stays(open_editor: Open, tmp_path: Path, keys: str) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(keys)
    expect_closed(editor)
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    editor.acp("answer", editor.acp("questions")[0]["id"], "no")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["no"]


def withdrawn(tmp_path: Path, *ends: Any) -> tuple[ScriptedAgent, Path]:
    """An agent whose question is over once the file is there."""
    go = tmp_path / "go"
    return script(tmp_path, on_prompt("", ["ask", *ask_edit()[1:]], wait_file(str(go)), *ends)), go


def test_a_question_that_is_withdrawn_takes_its_windows_along(open_editor: Open, tmp_path: Path) -> None:
    agent, go = withdrawn(tmp_path, tool("call", known=True, status="completed"))
    editor = open_old(open_editor, agent)
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    go.touch()
    expect_closed(editor)
    wait_until(lambda: get_outcomes(agent) == ["cancelled"])


@pytest.mark.parametrize("end", ["completed", "died", "cancelled"])
@pytest.mark.parametrize("keys", ["<C-w>h", "ggccmine<Esc>", "itext", "ggccmine<Esc><C-w>j"])
def test_whoever_is_on_the_right_side_or_has_changed_it_keeps_it(
    open_editor: Open, tmp_path: Path, keys: str, end: str
) -> None:
    """The keys that follow hit no file; nothing of it is sent."""
    steps = {"completed": tool("call", known=True, status="completed"), "died": ["exit", 3]}
    agent, go = withdrawn(tmp_path, steps.get(end, ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(keys or "gg")
    editor.expect_lua("return vim.fn.mode()", "i" if keys == "itext" else "n")
    if end == "cancelled":
        editor.acp("cancel")
    else:
        go.touch()
    editor.screen.expect("the question is gone: nothing here")
    editor.expect_lua("return require('acp_nvim').status().questions", 0)
    if keys == "<C-w>h":
        editor.type("<C-w>l")
    if keys.endswith("j"):
        assert editor.lua("return vim.fn.bufname()") == "notes.txt"
        editor.type("<C-w>t<C-w>l")
    expect_answerable(editor)
    editor.type("<Esc>Gdd:w<CR>")
    editor.expect_lua("return vim.fn.execute('messages')", lambda said: ":w {file} saves" in said)
    side = editor.lua("return { vim.bo.buftype, vim.fn.line('$'), vim.fn.getline(1) }")
    assert side == ["acwrite", 19, "mine" if "mine" in keys else "line 1"]
    assert editor.lua(LINES) == OLD.splitlines()
    assert (editor.project / "notes.txt").read_text() == OLD
    editor.type(":q<CR>")
    expect_closed(editor)
    assert "yes" not in get_outcomes(agent)


def test_quitting_with_an_open_proposal_ends_cleanly(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggdd:qa!<CR>")
    assert editor.wait_exit() == 0


@pytest.mark.parametrize("command", [":Acp cancel<CR>", ":Acp prompt! anew<CR>"])
def test_a_cancel_typed_in_a_proposal_closes_it_and_sets_edits_aside(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    go = tmp_path / "go"  # a second turn that ends at once would say so in the place of the message
    agent = script(
        tmp_path,
        on_prompt("anew", wait_file(str(go)), say("so")),
        on_prompt("", ask_edit(), ["wait", "session/cancel"]),
    )
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(f"ggccmine<Esc>{command}")
    editor.wait_event("AcpTurnEnded", turn=1)
    expect_closed(editor)
    assert editor.lua("return vim.fn.bufname()") == "notes.txt"
    editor.screen.expect(":sbuffer ")
    go.touch()
    editor.type(":sbuffer /yours/<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "mine")
    assert get_outcomes(agent) == ["cancelled"]
