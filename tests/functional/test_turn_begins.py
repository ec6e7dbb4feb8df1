"""What the user or another program changes while a turn begins is theirs: the agent has not got the prompt yet."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    mark,
    on_prompt,
    result,
    say,
    script,
    together,
    tool,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.files import LINES, join_lines, open_notes, read, read_and_edit, read_disk
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


def lines_of(name: str) -> list[str]:
    """Short files have a line, long ones ten thousand."""
    return [f"line {number} of {name}" for number in range(10_000 if "long" in name else 1)]


BURST = ["open.txt", "open-long.txt", "closed.txt", "closed-long.txt"]
EARLIER = {name: join_lines(lines_of(name)) for name in BURST}
LATER = {
    name: join_lines([line if n % 10 else line.upper() for n, line in enumerate(lines_of(name))])
    for name in BURST
}


def burst(announced: list[str], completed: list[str]) -> list[object]:
    """The agent announces files, reads them, and as soon as it has been answered it writes the disk, tells of its calls
    and ends the turn: two writes for it, no more than that for us to read."""

    def call(name: str, *, known: bool = False, status: str) -> list[object]:
        locations = [{"path": f"{{cwd}}/{name}"}]
        return tool(name, known=known, title="Edit", kind="edit", status=status, locations=locations)

    return together(
        *[call(name, status="in_progress") for name in announced],
        *[read(f"{{cwd}}/{name}") for name in BURST],
        *[write_file(f"{{cwd}}/{name}", LATER[name]) for name in BURST],
        *[call(name, known=name in announced, status="completed") for name in completed],
        result({"stopReason": "end_turn"}),
    )


@pytest.mark.parametrize("has_git", [True, False])
@pytest.mark.parametrize("announced", [BURST, []], ids=["announced", "only read"])
def test_an_agent_in_a_hurry_is_not_ahead_of_us(
    open_editor: Open, tmp_path: Path, has_git: bool, announced: list[str]
) -> None:
    """Large and small files, in a buffer or not: every hunk is pending, and the turn can be undone."""
    agent = script(tmp_path, on_prompt("", burst(announced, BURST)))
    editor = open_notes(open_editor, agent)
    for name, text in EARLIER.items():
        (editor.project / name).write_text(text)
    if has_git:
        commit(editor.project)
    editor.type(":edit open.txt | edit open-long.txt<CR>")
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 2002)
    assert {name: read_disk(editor, name) for name in BURST} == LATER
    assert not [file["path"] for file in editor.acp("changes", {"all": True}) if file.get("unknown")]
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert {name: read_disk(editor, name) for name in BURST} == EARLIER


def test_a_file_in_review_is_read_before_the_next_turn(open_editor: Open, tmp_path: Path) -> None:
    """No buffer has it, git does not know it, and no call names it before the agent has written the disk again."""
    path, once, again = "{cwd}/other.txt", [*TEN, "first"], ["second", *TEN, "first"]
    named = tool("e", title="Edit", kind="edit", status="completed", locations=[{"path": path}])
    agent = script(
        tmp_path,
        on_prompt("one", *read_and_edit(path, write_file(path, join_lines(once)))),
        on_prompt("two", together(write_file(path, join_lines(again)), named)),
    )
    editor = open_notes(open_editor, agent)
    (editor.project / "other.txt").write_text(join_lines(TEN))
    for pending, words in enumerate(("one", "two"), start=1):
        editor.acp("prompt", words)
        editor.wait_event("AcpTurnEnded")
        editor.expect_lua(PENDING, pending)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor, "other.txt") == join_lines(once)
