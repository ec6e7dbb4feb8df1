"""Another program changes a loaded file, and Neovim has not read it again: what it changed is never the agent's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import mark, on_prompt, say, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.functional.test_files import LINES, NOTES, read, working, write
from tests.functional.test_review import PENDING, disk, editing, hunks, text
from tests.functional.test_watch import SEEN, at_rest

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
    "through us": [read(NOTES), write(NOTES, text(AGENTS))],
    "on disk": editing(NOTES, write_file(NOTES, text(AGENTS))),
    "both": editing(NOTES, write_file(NOTES, text(AGENTS)), write(NOTES, text(AGENTS))),
    "unnamed": [write_file(NOTES, text(AGENTS))],
}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> list[Any]:
    return WAYS[request.param]


def found(editor: Editor) -> list[tuple[int, list[str], list[str]]]:
    return [(hunk["first"], hunk["old"], hunk["new"]) for hunk in hunks(editor)]


def undo(editor: Editor) -> None:
    editor.type(":Acp undo! turn<CR>")
    editor.expect_lua(PENDING, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_agent_s_lines_are_pending_and_undone(
    open_editor: Open, tmp_path: Path, way: list[Any], end: str
) -> None:
    agent = script(tmp_path, on_prompt("", *_ended(way, end)))
    editor = working(open_editor, agent, text(OLD).replace("\n", end))
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text(text(FORMATTED).replace("\n", end), newline="")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, AGENTS)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    undo(editor)
    assert disk(editor) == text(FORMATTED).replace("\n", end)
    assert editor.lua(LINES) == FORMATTED
    editor.type("u")
    editor.expect_lua(PENDING, 1)
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 0)
    at_rest(editor)


def _ended(steps: list[Any], end: str) -> list[Any]:
    """The same script with other line ends in what it writes."""
    if isinstance(steps, str):
        return steps.replace("\n", end)
    if isinstance(steps, dict):
        return {key: _ended(value, end) for key, value in steps.items()}
    return [_ended(step, end) for step in steps] if isinstance(steps, list) else steps


def test_a_last_line_without_its_end(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *editing(NOTES, write_file(NOTES, "ONE\nTWO\nthree"))))
    editor = working(open_editor, agent)
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text("ONE\ntwo\nthree")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    undo(editor)
    assert disk(editor) == "ONE\ntwo\nthree"


@pytest.mark.parametrize("name", ["through us", "on disk", "unnamed"])
def test_beside_unsaved_lines(open_editor: Open, tmp_path: Path, name: str) -> None:
    """They were typed before the other program came."""
    shown = [*AGENTS, "mine"]
    ways = {**WAYS, "through us": [read(NOTES), write(NOTES, text(shown))]}
    agent = script(tmp_path, on_prompt("hello", say("hello")), on_prompt("edit", *ways[name]))
    editor = working(open_editor, agent, text(OLD))
    editor.lua("vim.o.autoread = false")
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.acp("prompt", "hello")  # the backend has looked at the file by now
    editor.wait_event("AcpTurnEnded")
    (editor.project / "notes.txt").write_text(text(FORMATTED))
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, shown)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    undo(editor)
    editor.expect_lua(LINES, [*FORMATTED, "mine"])
    assert [line for line in disk(editor).splitlines() if line != "mine"] == FORMATTED
    at_rest(editor)


@pytest.mark.parametrize("name", ["on disk", "unnamed"])
def test_unsaved_lines_over_a_text_that_was_never_in_the_buffer(
    open_editor: Open, tmp_path: Path, name: str
) -> None:
    """They were typed after the other program came: what either has changed is not decided over the user's head."""
    agent = script(tmp_path, on_prompt("", *WAYS[name]))
    editor = working(open_editor, agent, text(OLD), size=(140, 50))
    editor.lua("vim.o.autoread = false")
    (editor.project / "notes.txt").write_text(text(FORMATTED))
    editor.type("Gomine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.acp("prompt", "edit")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert editor.lua(LINES) == [*OLD, "mine"]
    editor.type(":Acp<CR>")
    editor.expect_lua(SEEN)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua(LINES, AGENTS)
    editor.expect_lua(PENDING, 1)
    assert found(editor) == [(7, [], ["agent's"])]
    assert disk(editor) == text(AGENTS)
    at_rest(editor)


def test_what_autoread_brings_is_told_apart(open_editor: Open, tmp_path: Path) -> None:
    """The other program's text and the agent's are read by Neovim itself, before we have looked."""
    go = tmp_path / "go"
    steps = editing(
        NOTES, mark("begun"), wait_file(str(go)), write_file(NOTES, text(AGENTS)), mark("written")
    )
    agent = script(tmp_path, on_prompt("", *steps, wait_file(str(tmp_path / "end"))))
    editor = working(open_editor, agent, text(OLD))
    editor.lua("vim.o.autoread = true")
    (editor.project / "notes.txt").write_text(text(FORMATTED))
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
    assert disk(editor) == text(FORMATTED)


def test_what_the_user_saves_while_the_agent_works_stays_the_user_s(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    mine = [*OLD, "mine"]
    steps = editing(NOTES, mark("begun"), wait_file(str(go)), write_file(NOTES, text([*mine, "agent's"])))
    agent = script(tmp_path, on_prompt("", *steps))
    editor = working(open_editor, agent, text(OLD))
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.type("Gomine<Esc>:w<CR>")
    wait_until(lambda: disk(editor) == text(mine))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    undo(editor)
    assert disk(editor) == text(mine)


def test_a_file_that_was_checked_out_between_two_turns(open_editor: Open, tmp_path: Path) -> None:
    """Hunks of the first turn are pending as the other program comes."""
    first = [*OLD[:8], "first", *OLD[8:]]
    other = ["CHECKED OUT", *first[1:]]
    second = [*other, "second"]
    steps = [editing(NOTES, write_file(NOTES, text(lines))) for lines in (first, second)]
    agent = script(tmp_path, on_prompt("one", *steps[0]), on_prompt("two", *steps[1]))
    editor = working(open_editor, agent, text(OLD))
    editor.lua("vim.o.autoread = false")
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    (editor.project / "notes.txt").write_text(text(other))
    editor.acp("prompt", "two")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2)
    assert [(hunk["turn"], hunk["new"]) for hunk in hunks(editor)] == [(1, ["first"]), (2, ["second"])]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert disk(editor) == text(["CHECKED OUT", *OLD[1:]])
