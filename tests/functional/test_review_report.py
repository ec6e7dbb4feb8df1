"""What the agent is told of its lines in review: what the user has undone and changed, once, and nothing false."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    delete_file,
    mark,
    on_prompt,
    say,
    script,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import (
    LINES,
    NOTES,
    begin_edit,
    join_lines,
    open_notes,
    read_and_edit,
)
from tests.steps.review import PENDING, TEN, WAYS, start_review

Open = Callable[..., Editor]


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> list[Any]:
    return WAYS[request.param]


def last_prompt(agent: ScriptedAgent) -> list[str]:
    """The texts of the last prompt."""
    return [block["text"] for block in agent.got("session/prompt")[-1]["params"]["prompt"]]


def ask(editor: Editor, words: str) -> None:
    before = editor.acp("status")["turn"]
    editor.acp("prompt", words)
    editor.wait_event("AcpTurnEnded", turn=before + 1)


def test_the_agent_is_told_what_the_user_has_made_of_its_lines(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    agent = script(tmp_path, on_prompt("edit", *way), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(120, 40))
    ask(editor, "edit")
    editor.expect_lua(PENDING, 3)
    editor.type("7G:Acp undo<CR>")
    editor.expect_lua(PENDING, 2)
    editor.type("2Gccmine<Esc>Goand a line of my own<Esc>")
    editor.expect_lua(PENDING, 1)
    ask(editor, "and now?")
    report, words = last_prompt(agent)
    assert words == "and now?"
    assert report.endswith("\n\n")
    head, *lines = report.split("\n")
    assert head.startswith("notes.txt: 1 hunk undone and 1 hunk changed by the user.")
    changed = [line for line in lines if line.startswith(("-", "+"))]
    assert changed == ["-LINE 2", "+mine", "-new"]
    editor.type(":Acp<CR>")
    editor.screen.expect("reported to Scripted: 1 hunk of notes.txt")
    editor.type("<Esc>:wincmd t<CR>")
    ask(editor, "once more")
    assert last_prompt(agent) == ["once more"]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    ask(editor, "later")
    report, _ = last_prompt(agent)
    assert [line for line in report.split("\n") if line.startswith(("-", "+"))] == ["+line 10"]


def test_what_was_undone_and_is_there_again_is_not_told(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    agent = script(tmp_path, on_prompt("edit", *way), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    ask(editor, "edit")
    editor.expect_lua(PENDING, 3)
    editor.type("7G:Acp undo<CR>")
    editor.expect_lua(PENDING, 2)
    editor.type("u")
    editor.expect_lua(PENDING, 3)
    editor.type(":Acp keep all<CR>")
    editor.expect_lua(PENDING, 0)
    ask(editor, "and now?")
    assert last_prompt(agent) == ["and now?"]


def test_nothing_is_told_of_an_undo_that_was_undone_after_a_merge(open_editor: Open, tmp_path: Path) -> None:
    """The user has lines of their own in the file, saved or not, when the agent writes it and when they merge it."""
    go = tmp_path / "go"
    first = [TEN[0], "LINE 2", *TEN[2:7], "LINE 8", *TEN[8:]]
    second = [*first[:4], "line 5 of the agent", *first[5:]]
    agent = script(
        tmp_path,
        on_prompt("one", *read_and_edit(NOTES, write_file(NOTES, join_lines(first)))),
        on_prompt(
            "two",
            *read_and_edit(NOTES, mark("named"), wait_file(str(go)), write_file(NOTES, join_lines(second))),
        ),
        on_prompt("", say("ok")),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(140, 40))
    editor.type("ggo# MINE<Esc>")
    ask(editor, "one")
    editor.expect_lua(PENDING, 2)
    editor.type("6GA of mine<Esc>")
    editor.acp("prompt", "two")
    wait_until(lambda: agent.logged("mark"))
    go.touch()
    editor.type("ggo# typing")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    editor.type(" still<Esc>")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.type(":Acp<CR><C-w>t")
    expect_answerable(editor)
    editor.type("<Esc>:Acp answer merge<CR>")
    editor.screen.expect("your buffer, unsaved")
    editor.type(":w<CR>")
    editor.expect_lua("return #require('acp_nvim').questions()", 0)
    editor.expect_lua("return vim.fn.expand('%:t')", "notes.txt")
    editor.expect_lua("return vim.fn.search('of the agent', 'nw') > 0")
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    before = editor.lua(PENDING)
    lines = editor.lua(LINES)
    for keys in ("gg]h", "gg]h]h"):
        editor.expect_lua("return vim.fn.maparg(']h', 'n', false, true).buffer", 1)
        editor.type(keys)
        editor.type("\\u")
        editor.expect_lua(PENDING, before - 1)
        editor.type("u:w<CR>")
        editor.expect_lua(PENDING, before)
        assert editor.lua(LINES) == lines
        ask(editor, "and now?")
        assert last_prompt(agent) == ["and now?"]


def test_a_line_that_is_typed_while_the_agent_works_is_not_told(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    steps = [
        write_file(NOTES, join_lines(["LINE 1", *TEN[1:]])),
        mark("written"),
        wait_file(str(go)),
        write_file(NOTES, join_lines(["LINE 1", *TEN[1:9], "LINE 10"])),
    ]
    agent = script(tmp_path, on_prompt("edit", *read_and_edit(NOTES, *steps)), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.type(":doautocmd FocusGained<CR>")  # the call goes on, and the user looks at the file
    editor.expect_lua(PENDING, 1)
    editor.type("5Go# typing<Esc>")
    editor.expect_lua(LINES, lambda lines: "# typing" in lines)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    ask(editor, "and now?")
    assert last_prompt(agent) == ["and now?"]


def test_a_line_that_the_user_puts_together_in_a_merge_is_the_users(
    open_editor: Open, tmp_path: Path
) -> None:
    """It is no hunk, an undo leaves it, and it is never told as what the agent wrote."""
    new = [*TEN[:4], "line 5 of the agent", *TEN[5:]]
    editor, agent, go = begin_edit(open_editor, tmp_path, TEN, new, size=(140, 40))
    editor.type("5GA of mine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR><C-w>t")
    expect_answerable(editor)
    editor.type("<Esc>:Acp answer merge<CR>")
    editor.screen.expect("your buffer, unsaved")
    editor.type(":%s/of the agent/of both/<CR>:w<CR>")
    editor.expect_lua("return #require('acp_nvim').questions()", 0)
    editor.expect_lua("return vim.fn.search('of both', 'nw') > 0")
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    editor.expect_lua(PENDING, 0)
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("nothing")
    editor.expect_lua("return vim.fn.search('of both', 'nw') > 0")
    ask(editor, "and now?")
    assert last_prompt(agent) == ["and now?"]


def test_a_file_that_is_taken_away_or_brought_back_is_told(open_editor: Open, tmp_path: Path) -> None:
    new = "{cwd}/new.txt"
    steps = [*read_and_edit(new, write_file(new, "made\n")), *read_and_edit(NOTES, delete_file(NOTES))]
    agent = script(tmp_path, on_prompt("edit", *steps), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    ask(editor, "edit")
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    ask(editor, "and now?")
    report, _ = last_prompt(agent)
    assert set(report.strip().split("\n\n")) == {
        "new.txt: the user has removed this file of yours.",
        "notes.txt: the user has brought the file back that you deleted.",
    }


@pytest.mark.parametrize("is_loaded", [True, False])
def test_of_a_file_that_is_gone_nothing_is_said_to_stand_there(
    open_editor: Open, tmp_path: Path, way: list[Any], is_loaded: bool
) -> None:
    agent = script(tmp_path, on_prompt("edit", *way), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(TEN), size=(120, 40))
    ask(editor, "edit")
    editor.expect_lua(PENDING, 3)
    editor.type("7G:Acp undo<CR>")
    editor.expect_lua(PENDING, 2)
    if not is_loaded:
        editor.type(":w<CR>:enew<CR>:bwipeout #<CR>")
        editor.expect_lua("return vim.fn.bufnr('notes.txt')", -1)
    (editor.project / "notes.txt").unlink()
    ask(editor, "and now?")
    *report, words = last_prompt(agent)
    assert words == "and now?"
    if is_loaded or report:  # else the backend has seen in time that it is gone, and it has left the review
        assert report == ["notes.txt: 1 hunk undone by the user; the file is not there any more.\n\n"]


def test_the_backend_hears_of_an_undo_before_any_answer(
    open_editor: Open, tmp_path: Path, way: list[Any]
) -> None:
    """It may have read what the undo has written: a locked buffer can hold up the undo of further files for long."""
    editor = start_review(open_editor, tmp_path, *way)
    answer = editor.lua("""
      require("acp_nvim.review.backend_reports").undone("/x/notes.txt")
      return require("acp_nvim.backend.process").answer(function() return "answered" end)
    """)
    assert answer[0] == "answered"
    assert [(verb, said["undone"]) for verb, said in answer[1:]] == [("reviewed", ["/x/notes.txt"])]
