"""What the user has made of a diff is kept: by answers from elsewhere, and when the agent or the backend dies."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import ScriptedAgent, on_prompt, script, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, look
from tests.steps.files import LINES, cause_conflict
from tests.steps.messages import expect_message
from tests.steps.processes import find_backend
from tests.steps.proposals import (
    ASIDE,
    NEW,
    ask_edit,
    expect_closed,
    get_outcomes,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]
MINE = NEW.replace("line 1\n", "mine\n", 1).replace("THREE", "line 3")
WIDE = (200, 44)


def edited(open_editor: Open, agent: ScriptedAgent, way: str) -> Editor:
    """One hunk is refused, one line written; the user goes back to the prompt."""
    editor = open_old(open_editor, agent, size=WIDE)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    editor.type("ggccmine<Esc>]cdo")
    editor.expect_lua("return { vim.fn.getline(1), vim.fn.getline(3) }", ["mine", "line 3"])
    if way == "closed":
        editor.type(":q<CR>")
        editor.expect_lua("return { vim.fn.bufname(), #vim.api.nvim_list_wins() }", ["notes.txt", 3])
    editor.type(":Acp<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    if way == "closed":
        look(editor)  # the chat is drawn anew, with all of its lines
    return editor


@pytest.mark.parametrize("way", ["open", "closed"])
@pytest.mark.parametrize(
    "keys", ["g1", "i<M-1>", "<M-1>", "1", ":Acp accept<CR>", ":Acp answer 1<CR>", "api"]
)
def test_an_answer_that_allows_once_sends_what_the_user_made_of_it(
    open_editor: Open, tmp_path: Path, keys: str, way: str
) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = edited(open_editor, agent, way)
    if keys == "api":
        editor.acp("answer", editor.acp("questions")[0]["id"], "yes")
    else:
        expect_key(editor, "1")
        editor.type(keys)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == MINE
    assert editor.lua(ASIDE) is None


@pytest.mark.parametrize("way", ["open", "closed"])
def test_an_answer_that_allows_always_is_refused_and_one_that_rejects_keeps_the_edits(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = edited(open_editor, agent, way)
    expect_key(editor, "g2")
    for keys in ("g2", ":Acp accept!<CR>", ":Acp answer 2<CR>", ":Acp allow!<CR>"):
        editor.type(":mess clear<CR>" + keys)
        editor.expect_lua(
            "return vim.fn.execute('messages')",
            lambda said: "you edited the diff: :w there sends yours once (:Acp diff)" in said,
        )
    assert get_outcomes(agent) == []
    editor.type("g3")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["no"]
    editor.screen.expect("your version of the proposal is kept: :sbuffer")
    assert editor.lua(ASIDE) == MINE.splitlines()


def test_the_option_that_was_chosen_is_the_one_that_is_sent(open_editor: Open, tmp_path: Path) -> None:
    options = (
        ("yes", "Yes", "allow_once"),
        ("plan", "Yes, once more", "allow_once"),
        ("no", "No", "reject_once"),
    )
    agent = script(tmp_path, on_prompt("", ask_edit(options=options)))
    editor = open_old(open_editor, agent, size=WIDE)
    open_diff(editor)
    editor.type("ggccmine<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "mine")
    editor.acp("answer", editor.acp("questions")[0]["id"], "plan")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["plan"]


@pytest.mark.parametrize("way", ["open", "closed"])
def test_a_merge_is_lost_by_no_answer(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type(":%s/agent's/both'<CR>")
    editor.expect_lua("return vim.fn.getline(2)", "both'")
    editor.type(":q<CR>" if way == "closed" else ":Acp<CR>")
    for command in ("accept", "answer 1"):
        editor.type(f":mess clear<CR>:Acp {command}<CR>")
        editor.expect_lua(
            "return vim.fn.execute('messages')",
            lambda said: ":w in the merge takes what you merged (:Acp answer 3)" in said,
        )
    assert (editor.project / "notes.txt").read_text() == "one\ntwo\nthree\n"
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("your merge is kept: :sbuffer")
    assert editor.lua(LINES) == ["one", "user's", "three"]
    assert editor.lua(ASIDE) == ["one", "both'", "three"]


@pytest.mark.cold
@pytest.mark.parametrize("dies", ["agent", "backend"])
def test_edits_outlive_the_agent_and_the_backend_and_neovim_does_not_quit_over_them(
    open_editor: Open, tmp_path: Path, dies: str
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", ["ask", *ask_edit()[1:]], wait_file(str(go)), ["exit", 3]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggOPRECIOUS EDIT<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "PRECIOUS EDIT")
    if dies == "agent":
        go.touch()
    else:
        os.kill(find_backend(editor), signal.SIGKILL)
    expect_message(editor, "the question is gone; your edits are kept in :sbuffer")
    expect_answerable(editor)
    editor.type(":w<CR>")
    expect_message(editor, ":w {file} saves a copy")
    editor.type(":mess clear<CR>:q<CR>")
    expect_closed(editor)
    expect_message(editor, "the question is gone; your edits are kept in :sbuffer")
    editor.type(":qa<CR>")
    editor.screen.expect('E162: No write since last change for buffer "acp://proposal/')
    editor.type("<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "PRECIOUS EDIT")
    expect_answerable(editor)
    editor.type(":w copy.txt<CR>")
    expect_message(editor, "written: copy.txt")
    assert (editor.project / "copy.txt").read_text() == "PRECIOUS EDIT\n" + NEW
    editor.type(":qa<CR>")
    assert editor.wait_exit() == 0


@pytest.mark.parametrize("keys", ["", ":%s/agent's/both'<CR>"])
def test_a_cancel_closes_a_merge_and_sets_it_aside(open_editor: Open, tmp_path: Path, keys: str) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(":Acp answer 3<CR>")
    editor.screen.expect("what will be saved")
    editor.type(f"{keys}:Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    if keys:
        expect_message(editor, "your edits are kept in :sbuffer")
    editor.expect_lua(ASIDE, ["one", "both'", "three"] if keys else None)
