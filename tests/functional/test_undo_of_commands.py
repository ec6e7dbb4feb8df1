"""What commands of an agent have done to files is in review with the command's name, and `undo turn` takes it back."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import Step, obey, on_prompt, run_command, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import call_edit, open_notes, read
from tests.steps.review import PENDING

Open = Callable[..., Editor]


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=n", "-c", "user.email=e@e", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the files with their bytes and modes."""
    files = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777) for path in files}


def begin(open_editor: Open, tmp_path: Path, *steps: Step, **files: str) -> Editor:
    """An agent takes these steps in a repository of these files. Their names have `__` for a dot."""
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30))
    for name, text in files.items():
        (editor.project / name.replace("__", ".")).write_text(text)
    git(editor.project, "init", "-q")
    git(editor.project, "add", ".")
    git(editor.project, "commit", "-qm", "all")
    return editor


def take_turn(editor: Editor) -> dict[str, tuple[bytes, int]]:
    """Return the tree as it was before the turn."""
    before = tree(editor.project)
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    return before


def undo_turn(editor: Editor, before: dict[str, Any]) -> None:
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: ")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == before


def test_a_file_that_is_moved_and_then_edited_is_back_under_its_name(
    open_editor: Open, tmp_path: Path
) -> None:
    move, receipt = "git mv report.py receipt.py", "{cwd}/receipt.py"
    editor = begin(
        open_editor,
        tmp_path,
        *call_edit("{cwd}/report.py", read("{cwd}/report.py"), id="look"),
        *run_command(move),
        *call_edit(receipt, read(receipt), id="look again"),
        *call_edit(receipt, read(receipt), write_file(receipt, "def receipt\nend\n")),
        report__py="def report\nend\n",
    )
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 2)
    receipt_py, report_py = editor.acp("changes")
    assert (receipt_py["created"], report_py["deleted"]) == (True, True)
    assert report_py["hunks"][0]["call"] == {"id": "run", "title": move}
    undo_turn(editor, before)


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("for n in a b new; do echo new >> $n.txt; done", 3),
        ("rm a.txt b.txt", 2),
        ("mv a.txt c.txt && cp b.txt d.txt", 3),
        ("sed -i s/./x/ *.txt", 3),
    ],
)
def test_what_a_command_does_is_undone_as_a_whole(
    open_editor: Open, tmp_path: Path, command: str, count: int
) -> None:
    editor = begin(open_editor, tmp_path, *run_command(command), a__txt="a\n", b__txt="b\nb\n")
    before = take_turn(editor)
    assert tree(editor.project) != before
    editor.expect_lua("return #require('acp_nvim').changes()", count)
    changes = editor.acp("changes")
    assert {each["by"] for each in changes} == {"agent"}
    assert {hunk["call"]["title"] for each in changes for hunk in each["hunks"]} == {command}
    undo_turn(editor, before)


def test_each_of_two_sessions_undoes_its_own(open_editor: Open, tmp_path: Path) -> None:
    """One agent counts, and is cancelled when the other one has long written a file."""
    orders = tmp_path / "orders"
    orders.touch()
    agent = script(
        tmp_path,
        on_prompt("count", obey(str(orders))),
        on_prompt(
            "write",
            *run_command("echo price > price.py", read("{cwd}/notes.txt")),
            *call_edit("{cwd}/notes.txt", id="e"),
        ),
    )
    editor = open_notes(open_editor, agent, size=(140, 30))
    editor.acp("prompt", "count")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    editor.acp("prompt", "write", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    wait_until(lambda: (editor.project / "price.py").exists())
    orders.write_text('["end"]\n')
    editor.wait_event("AcpTurnEnded", session=1)
    editor.expect_lua("return #require('acp_nvim').changes({ session = 2 })", 1)
    assert editor.acp("changes", {"session": 1}) == []
    assert [each["by"] for each in editor.acp("changes", {"session": 2})] == ["agent"]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in price.py")
    assert not (editor.project / "price.py").exists()
