"""An agent replaces a text wherever it occurs: each place is a hunk of the proposal, to be decided by itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, say, script, tool, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, write
from tests.steps.proposals import (
    ask_edit,
    expect_closed,
    get_outcomes,
    get_report,
    make_diff,
    open_diff,
    open_old,
)

Open = Callable[..., Editor]
OLD = "".join(f"line {n}\n" for n in range(1, 21)).replace("line 3\n", "a = parse(b)\n")
OLD = OLD.replace("line 15\n", "c = parse(parse(d))\n")
NEW = OLD.replace("parse(", "read(")
FIRST = OLD.replace("a = parse(", "a = read(")  # the second hunk is refused
WAYS = pytest.mark.parametrize("way", ["through us", "on disk"])


def steps(way: str, new: str = NEW, replace_all: Any = True, name: str = "replace_all") -> list[Any]:
    """The agent asks for all places of a text, writes the file, and completes its call."""
    raw = {"file_path": NOTES, "old_string": "parse(", "new_string": "read(", name: replace_all}
    ask = ask_edit(make_diff(NOTES, "parse(", "read("), rawInput=raw)
    writes = write if way == "through us" else write_file
    return [ask, writes(NOTES, new), tool("call", known=True, status="completed")]


@WAYS
@pytest.mark.parametrize("name", ["replace_all", "replaceAll"])
def test_each_place_is_a_hunk_and_one_is_refused(
    open_editor: Open, tmp_path: Path, way: str, name: str
) -> None:
    agent = script(tmp_path, on_prompt("edit", *steps(way, name=name)), on_prompt("now", say("Fine.")))
    editor = open_old(open_editor, agent, OLD)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    editor.expect_lua("return vim.fn.getline(1, '$')", NEW.splitlines())
    editor.screen.expect("notes.txt +2 −2")
    expect_answerable(editor)
    editor.type("gg]c]cdo:w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    editor.expect_lua(LINES, FIRST.splitlines())
    wait_until(lambda: (editor.project / "notes.txt").read_text() == FIRST)
    editor.screen.expect("+1 −1  1 of 2 hunks")
    assert "parse(parse(d))" in get_report(editor, agent)
    editor.type(":buffer notes.txt<CR>:Acp undo turn<CR>")
    editor.expect_lua(LINES, OLD.splitlines())
    wait_until(lambda: (editor.project / "notes.txt").read_text() == OLD)


@WAYS
def test_unsaved_lines_are_replaced_as_shown(open_editor: Open, tmp_path: Path, way: str) -> None:
    """The agent knows the disk alone: what the right side shows of unsaved lines comes to be all the same."""
    agent = script(tmp_path, on_prompt("edit", *steps(way)))
    editor = open_old(open_editor, agent, OLD)
    editor.type("ggOmine = parse(e)<Esc>")
    open_diff(editor)
    mine = ["mine = read(e)", *NEW.splitlines()]
    editor.expect_lua("return vim.fn.getline(1, '$')", mine)
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    editor.expect_lua(LINES, mine)
    assert editor.acp("questions") == []


@WAYS
def test_a_refused_hunk_keeps_unsaved_lines(open_editor: Open, tmp_path: Path, way: str) -> None:
    agent = script(tmp_path, on_prompt("edit", *steps(way)))
    editor = open_old(open_editor, agent, OLD)
    editor.type("ggOmine = parse(e)<Esc>")
    open_diff(editor)
    expect_answerable(editor)
    editor.type("ggdo:w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    editor.expect_lua(LINES, ["mine = parse(e)", *NEW.splitlines()])
    on_disk = ["mine = parse(e)"] if way == "through us" else []
    assert (editor.project / "notes.txt").read_text().splitlines() == [*on_disk, *NEW.splitlines()]


@WAYS
def test_a_file_keeps_its_line_ends_and_its_last_one(open_editor: Open, tmp_path: Path, way: str) -> None:
    old, new, first = (text.replace("\n", "\r\n")[:-2] for text in (OLD, NEW, FIRST))
    agent = script(tmp_path, on_prompt("edit", *steps(way, new)))
    editor = open_old(open_editor, agent, OLD)
    (editor.project / "notes.txt").write_bytes(old.encode())
    editor.type(":set nofixendofline | edit!<CR>")
    editor.expect_lua("return { vim.bo.fileformat, vim.bo.endofline }", ["dos", False])
    open_diff(editor)
    expect_answerable(editor)
    editor.type("gg]c]cdo:w<CR>")
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: (editor.project / "notes.txt").read_bytes() == first.encode())


def test_a_refused_hunk_is_reverted_where_a_deletion_takes_line_ends(
    open_editor: Open, tmp_path: Path
) -> None:
    """Claude takes the line end behind what it deletes, if there is one anywhere, and says nothing of it."""
    old = OLD.replace("parse(", "").replace("\n", ";\n").replace("line 2;\n", "line; 2\n")
    raw = {"file_path": NOTES, "old_string": ";", "new_string": "", "replace_all": True}
    ask = ask_edit(make_diff(NOTES, ";", ""), rawInput=raw)
    new = old.replace(";\n", "")
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("edit", ask, write_file(NOTES, new), done))
    editor = open_old(open_editor, agent, old)
    open_diff(editor)
    expect_answerable(editor)
    editor.type("gg:1,2diffget<CR>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    decided = old.replace(";", "").replace("line 1\nline 2\n", "line 1;\nline; 2\n")
    editor.expect_lua(LINES, decided.splitlines())
    wait_until(lambda: (editor.project / "notes.txt").read_text() == decided)


@pytest.mark.parametrize("said", [False, "true", 1])
def test_only_what_says_so_is_replaced_everywhere(open_editor: Open, tmp_path: Path, said: Any) -> None:
    agent = script(tmp_path, on_prompt("edit", *steps("on disk", replace_all=said)))
    editor = open_old(open_editor, agent, OLD)
    editor.acp("prompt", "edit it")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp diff<CR>")
    editor.screen.expect("more than once")
