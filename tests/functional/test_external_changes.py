"""Another program changes a loaded file, and Neovim has not read it again: what it changed is never the agent's."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import mark, on_prompt, say, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key
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
from tests.steps.review import PENDING, TEN, list_hunks
from tests.steps.turns import Play

Open = Callable[..., Editor]
OLD = [f"line {n}" for n in range(1, 10)]
FORMATTED = [
    *OLD[:1],
    "FORMATTED",
    *OLD[2:5],
    *OLD[6:],
]  # by another program: one line changed, one taken out
AGENTS = [*FORMATTED[:6], "agent's", *FORMATTED[6:]]
WAYS = {
    "through us": [read(NOTES), write(NOTES, join_lines(AGENTS))],
    "on disk": read_and_edit(NOTES, write_file(NOTES, join_lines(AGENTS))),
    "both": read_and_edit(NOTES, write_file(NOTES, join_lines(AGENTS)), write(NOTES, join_lines(AGENTS))),
    "unnamed": [write_file(NOTES, join_lines(AGENTS))],
}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> list[Any]:
    return WAYS[request.param]


def found(editor: Editor) -> list[tuple[int, list[str], list[str]]]:
    return [(hunk["first"], hunk["old"], hunk["new"]) for hunk in list_hunks(editor)]


def undo(editor: Editor) -> None:
    editor.type(":Acp undo! turn<CR>")
    editor.expect_lua(PENDING, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_agent_s_lines_are_pending_and_undone(
    open_editor: Open, tmp_path: Path, way: list[Any], end: str
) -> None:
    agent = script(tmp_path, on_prompt("", *_ended(way, end)))
    editor = open_notes(open_editor, agent, join_lines(OLD).replace("\n", end))
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text(join_lines(FORMATTED).replace("\n", end), newline="")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, AGENTS)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    undo(editor)
    assert read_disk(editor) == join_lines(FORMATTED).replace("\n", end)
    assert editor.lua(LINES) == FORMATTED
    editor.type("u")
    editor.expect_lua(PENDING, 1)
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 0)
    expect_no_prompt(editor)


def _ended(steps: list[Any], end: str) -> list[Any]:
    """The same script with other line ends in what it writes."""
    if isinstance(steps, str):
        return steps.replace("\n", end)
    if isinstance(steps, dict):
        return {key: _ended(value, end) for key, value in steps.items()}
    return [_ended(step, end) for step in steps] if isinstance(steps, list) else steps


def test_a_last_line_without_its_end(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *read_and_edit(NOTES, write_file(NOTES, "ONE\nTWO\nthree"))))
    editor = open_notes(open_editor, agent)
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text("ONE\ntwo\nthree")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    undo(editor)
    assert read_disk(editor) == "ONE\ntwo\nthree"


@pytest.mark.parametrize("name", ["through us", "on disk", "unnamed"])
def test_beside_unsaved_lines(open_editor: Open, tmp_path: Path, name: str) -> None:
    """They were typed before the other program came."""
    shown = [*AGENTS, "mine"]
    ways = {**WAYS, "through us": [read(NOTES), write(NOTES, join_lines(shown))]}
    agent = script(tmp_path, on_prompt("hello", say("hello")), on_prompt("edit", *ways[name]))
    editor = open_notes(open_editor, agent, join_lines(OLD))
    editor.lua("vim.o.autoread = false")
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.acp("prompt", "hello")  # the backend has looked at the file by now
    editor.wait_event("AcpTurnEnded")
    (editor.project / "notes.txt").write_text(join_lines(FORMATTED))
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, shown)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    undo(editor)
    editor.expect_lua(LINES, [*FORMATTED, "mine"])
    assert [line for line in read_disk(editor).splitlines() if line != "mine"] == FORMATTED
    expect_no_prompt(editor)


@pytest.mark.parametrize("name", ["on disk", "unnamed"])
def test_unsaved_lines_over_a_text_that_was_never_in_the_buffer(
    open_editor: Open, tmp_path: Path, name: str
) -> None:
    """They were typed after the other program came: what either has changed is not decided over the user's head."""
    agent = script(tmp_path, on_prompt("", *WAYS[name]))
    editor = open_notes(open_editor, agent, join_lines(OLD), size=(140, 50))
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text(join_lines(FORMATTED))
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.acp("prompt", "edit")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert editor.lua(LINES) == [*OLD, "mine"]
    editor.type(":Acp<CR>")
    expect_key(editor, "g1")
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua(LINES, AGENTS)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    assert read_disk(editor) == join_lines(AGENTS)
    expect_no_prompt(editor)


def test_what_autoread_brings_is_told_apart(open_editor: Open, tmp_path: Path) -> None:
    """The other program's text and the agent's are read by Neovim itself, before we have looked."""
    go = tmp_path / "go"
    steps = read_and_edit(
        NOTES, mark("begun"), wait_file(str(go)), write_file(NOTES, join_lines(AGENTS)), mark("written")
    )
    agent = script(tmp_path, on_prompt("", *steps, wait_file(str(tmp_path / "end"))))
    editor = open_notes(open_editor, agent, join_lines(OLD))
    editor.lua("vim.o.autoread = true")
    (editor.project / "notes.txt").write_text(join_lines(FORMATTED))
    editor.acp("prompt", "edit")
    wait_until(lambda: "begun" in agent.logged("mark"))
    editor.type(":checktime<CR>")
    editor.expect_lua(LINES, FORMATTED)
    go.touch()
    wait_until(lambda: "written" in agent.logged("mark"))
    editor.lua("vim.cmd.checktime()")
    editor.expect_lua(LINES, AGENTS)
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    undo(editor)
    assert read_disk(editor) == join_lines(FORMATTED)


def test_what_the_user_saves_while_the_agent_works_stays_the_user_s(
    open_editor: Open, tmp_path: Path
) -> None:
    mine = [*OLD, "mine"]
    editor, _, go = begin_edit(open_editor, tmp_path, OLD, [*mine, "agent's"])
    editor.type("Gomine<Esc>:w<CR>")
    wait_until(lambda: read_disk(editor) == join_lines(mine))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    undo(editor)
    assert read_disk(editor) == join_lines(mine)


def test_a_save_without_autocommands_is_no_change_of_the_agent_s(open_editor: Open, tmp_path: Path) -> None:
    """Formatters save so, and a user who wants none of them."""
    go, mine = tmp_path / "go", [*OLD, "mine"]
    steps = read_and_edit(NOTES, mark("begun"), wait_file(str(go)))
    agent = script(tmp_path, on_prompt("edit", *steps), on_prompt("next", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(OLD))
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.type("Gomine<Esc>:noautocmd w<CR>")
    wait_until(lambda: read_disk(editor) == join_lines(mine))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "next")  # before it goes out, all changes of the last turn are known
    editor.wait_event("AcpTurnEnded", turn=2)
    assert editor.acp("changes", {"all": True}) == []


def test_what_is_written_just_after_the_user_s_save_comes_into_the_buffer(
    open_editor: Open, tmp_path: Path
) -> None:
    """The user's autocommand stands for the agent: it runs before anybody else hears of the save."""
    go, mine = tmp_path / "go", [*OLD, "mine"]
    steps = read_and_edit(NOTES, mark("begun"), wait_file(str(go)))
    agent = script(tmp_path, on_prompt("", *steps))
    later = json.dumps(join_lines([*mine, "agent's"]))
    init = f"""vim.api.nvim_create_autocmd('BufWritePost', {{ callback = function(event)
      local file = assert(io.open(event.match, 'w'))
      file:write({later})
      file:close()
    end }})"""
    editor = open_notes(open_editor, agent, join_lines(OLD), init=init)
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.type("Gomine<Esc>:w<CR>")
    wait_until(lambda: read_disk(editor) == join_lines([*mine, "agent's"]))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, [*mine, "agent's"])
    expect_no_prompt(editor)


def test_a_file_that_was_checked_out_between_two_turns(open_editor: Open, tmp_path: Path) -> None:
    """Hunks of the first turn are pending as the other program comes."""
    first = [*OLD[:8], "first", *OLD[8:]]
    other = ["CHECKED OUT", *first[1:]]
    second = [*other, "second"]
    steps = [read_and_edit(NOTES, write_file(NOTES, join_lines(lines))) for lines in (first, second)]
    agent = script(tmp_path, on_prompt("one", *steps[0]), on_prompt("two", *steps[1]))
    editor = open_notes(open_editor, agent, join_lines(OLD))
    editor.lua("vim.o.autoread = false")
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    (editor.project / "notes.txt").write_text(join_lines(other))
    editor.acp("prompt", "two")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    assert [(hunk["turn"], hunk["new"]) for hunk in list_hunks(editor)] == [(1, ["first"]), (2, ["second"])]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == join_lines(["CHECKED OUT", *OLD[1:]])


def test_what_another_program_has_cut_off_stays_away(open_editor: Open, tmp_path: Path) -> None:
    """Two seconds ago, after the agent has read the file: it is no text that the agent is just writing."""
    play = Play(open_editor, tmp_path)
    play.turn()
    play.read()
    write_earlier(play.path, TEN[:7])
    play.write([TEN[0], "agent's", *TEN[2:]])
    play.end()
    assert play.path.read_text() == join_lines([TEN[0], "agent's", *TEN[2:7]])
    assert play.lines() == [TEN[0], "agent's", *TEN[2:7]]
    play.undo_all()
    assert play.path.read_text() == join_lines(TEN[:7])


def test_a_file_that_another_program_has_emptied_is_asked_about(open_editor: Open, tmp_path: Path) -> None:
    play = Play(open_editor, tmp_path)
    play.turn()
    play.read()
    write_earlier(play.path, [])
    play.order(write(str(play.path), join_lines([TEN[0], "agent's", *TEN[2:]])), wait=False)
    play.editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert play.path.read_text() == ""


@pytest.mark.parametrize("is_modified", [False, True])
def test_a_change_that_keeps_size_and_time_is_seen(
    open_editor: Open, tmp_path: Path, is_modified: bool
) -> None:
    """As rsync and tar make it."""
    play = Play(open_editor, tmp_path)
    mine = ["mine"] * is_modified
    if is_modified:
        play.editor.type("Gomine<Esc>")
        play.editor.expect_lua("return vim.bo.modified")
    play.turn()
    play.read()
    was = play.path.stat()
    with play.path.open("r+") as file:
        file.write(TEN[0].upper())
    os.utime(play.path, ns=(was.st_atime_ns, was.st_mtime_ns))
    play.write([*TEN[:7], "agent's", *TEN[8:], *mine])
    play.end()
    wanted = [TEN[0].upper(), *TEN[1:7], "agent's", *TEN[8:], *mine]
    assert play.path.read_text() == join_lines(wanted)
    assert play.lines() == wanted


def test_a_save_after_which_the_mode_is_set_is_the_user_s(open_editor: Open, tmp_path: Path) -> None:
    play = Play(open_editor, tmp_path)
    play.do("autocmd BufWritePost * call setfperm(expand('<afile>'), 'rwxr--r--')")
    play.turn()
    play.order(tool("run", title="make", kind="execute", status="in_progress"), read(str(play.path)))
    play.editor.type("Gomine<Esc>:w<CR>:bwipeout<CR>")
    wait_until(lambda: play.path.read_text() == join_lines([*TEN, "mine"]))
    play.editor.expect_lua("return vim.fn.bufexists('notes.txt')", 0)
    play.end()
    play.editor.lua("require('acp_nvim.review').wait_for_disk()")
    assert play.editor.acp("changes", {"all": True}) == []


def write_earlier(path: Path, lines: list[str]) -> None:
    """Write the file as another program would have done it two seconds ago."""
    path.write_text(join_lines(lines))
    at = time.time_ns() - 2 * 10**9
    os.utime(path, ns=(at, at))
