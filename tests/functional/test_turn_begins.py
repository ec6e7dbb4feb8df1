"""What the user or another program changes while a turn begins is theirs: the agent has not got the prompt yet."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, say, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, join_lines, open_notes, read_and_edit, read_disk
from tests.steps.processes import find_backend, stopped
from tests.steps.review import PENDING, TEN, list_hunks

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
OTHERS = ["another program's", *TEN[1:]]
MINE = ["mine", *TEN[1:]]
CHANGES = "return #require('acp_nvim').changes({ all = true })"


def commit(folder: Path) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(folder)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)


def begun(open_editor: Open, tmp_path: Path, *steps: list[object], has_git: bool) -> Editor:
    """While the prompt is on its way, the user saves notes.txt and another program writes other.txt."""
    agent = script(tmp_path, on_prompt("", mark("begun"), *steps, say("done")))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    other = editor.project / "other.txt"
    other.write_text(join_lines(TEN))
    if has_git:
        commit(editor.project)
    with stopped(find_backend(editor)):
        editor.acp("prompt", "go")
        editor.type("ggccmine<Esc>:w<CR>")
        editor.expect_lua("return vim.bo.modified", False)
        editor.expect_lua(LINES, MINE)
        other.write_text(join_lines(OTHERS))
    wait_until(lambda: agent.logged("mark"))
    return editor


@pytest.mark.parametrize("has_git", [True, False])
def test_nothing_of_it_is_pending(open_editor: Open, tmp_path: Path, has_git: bool) -> None:
    editor = begun(open_editor, tmp_path, has_git=has_git)
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "and now?")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(CHANGES) == 0


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize(("name", "theirs"), [("notes.txt", MINE), ("other.txt", OTHERS)])
def test_only_what_the_agent_adds_is_pending(
    open_editor: Open, tmp_path: Path, name: str, theirs: list[str], has_git: bool
) -> None:
    go = tmp_path / "go"
    path = f"{{cwd}}/{name}"
    edit = read_and_edit(path, write_file(path, join_lines([*theirs, "agent's"])))
    editor = begun(open_editor, tmp_path, wait_file(str(go)), *edit, has_git=has_git)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    assert editor.lua(CHANGES) == 1
    assert [(hunk["old"], hunk["new"]) for hunk in list_hunks(editor)] == [([], ["agent's"])]
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor, name) == join_lines(theirs)
