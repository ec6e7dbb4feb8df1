"""A question about a file that waits for its answer: other sessions go on, and what the user decides is done."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import NOTES, join_lines, read, write
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
FIRST = ["AGENT 1", *TEN[1:]]
CONFLICT = [*FIRST[:4], "the agent's", *FIRST[5:]]
AFTER = "{cwd}/zebra.txt"


def asked(open_editor: Open, tmp_path: Path) -> Editor:
    """Session 1 has one pending hunk in notes.txt, and a conflict in it that waits for an answer."""
    first = script(
        tmp_path,
        on_prompt("one", read(NOTES), write(NOTES, join_lines(FIRST))),
        on_prompt("two", mark("begun"), wait_file(str(tmp_path / "go")), write(NOTES, join_lines(CONFLICT))),
        name="first",
    )
    named = {"locations": [{"path": NOTES}, {"path": AFTER}]}
    other = script(
        tmp_path,
        on_prompt(
            "",
            tool("edit", title="Edit", kind="edit", status="in_progress", **named),
            read(AFTER),
            write_file(NOTES, join_lines([*FIRST, "other's"])),
            write_file(AFTER, "other's\n"),
            tool("edit", known=True, status="completed"),
        ),
        name="second",
    )
    agents = {
        each: {"command": a.argv[0], "args": a.argv[1:]} for each, a in (("first", first), ("other", other))
    }
    editor = open_editor(setup={"agents": agents, "default_agent": "first"}, size=(140, 40))
    (editor.project / "notes.txt").write_text(join_lines(TEN))
    (editor.project / "zebra.txt").write_text("zebra\n")
    editor.type(":edit notes.txt<CR>")
    editor.acp("new_session", {"agent": "first"})
    editor.wait_event("AcpSessionStarted", session=1)
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded", session=1)
    editor.expect_lua(PENDING, 1)
    editor.acp("prompt", "two")
    wait_until(lambda: first.logged("mark"))
    editor.type("5Gccthe user's<Esc>")
    editor.expect_lua("return vim.bo.modified")
    (tmp_path / "go").touch()
    editor.wait_event("AcpQuestion", session=1)
    assert [question["kind"] for question in editor.acp("questions")] == ["conflict"]
    return editor


def test_other_files_of_another_session_are_in_review(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, tmp_path)
    editor.acp("new_session", {"agent": "other"})
    editor.wait_event("AcpSessionStarted", session=2)
    editor.acp("prompt", "edit", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    editor.expect_lua(
        """return #vim.tbl_filter(function(file) return vim.endswith(file.path, 'zebra.txt') end,
        require('acp_nvim').changes({ session = 2 }))""",
        1,
    )


@pytest.mark.parametrize("command", [pytest.param("Acp undo"), "Acp keep"])
def test_a_hunk_of_that_file_is_decided(open_editor: Open, tmp_path: Path, command: str) -> None:
    editor = asked(open_editor, tmp_path)
    editor.type(f"gg:{command}<CR>")
    editor.expect_lua(PENDING, 0)
    undone = command == "Acp undo"
    assert editor.lua("return vim.fn.getline(1, 5)")[:1] == (TEN[:1] if undone else FIRST[:1])
    assert editor.lua("return vim.fn.getline(5)") == "the user's"
    assert len(editor.acp("questions")) == 1


@pytest.mark.parametrize(
    ("command", "line", "pending"), [("accept", "the agent's", 2), ("reject", "the user's", 1)]
)
def test_a_question_is_answered_before_the_hunk_under_the_cursor_is_decided(
    open_editor: Open, tmp_path: Path, command: str, line: str, pending: int
) -> None:
    editor = asked(open_editor, tmp_path)
    editor.type(":Acp answer<CR>")
    expect_answerable(editor)
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('notes.txt')) vim.fn.cursor(1, 1)")
    editor.type(f":Acp {command}<CR>")
    editor.wait_event("AcpAnswered", session=1)
    editor.wait_event("AcpTurnEnded", session=1)
    assert editor.lua("return vim.fn.getline(5)") == line
    editor.expect_lua(PENDING, pending)
    editor.type(f"gg:Acp {command}<CR>")
    editor.expect_lua(PENDING, pending - 1)
    assert editor.lua("return vim.fn.getline(1)") == (FIRST if command == "accept" else TEN)[0]
