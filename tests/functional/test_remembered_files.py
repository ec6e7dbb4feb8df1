"""Files of every kind are in review again after a restart, and an undo leaves their bytes as they were."""

import os
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, wait_until
from tests.functional.editor import Editor
from tests.steps.files import write
from tests.steps.restarts import Open, begin, changes, left, records, take_turn
from tests.steps.review import PENDING
from tests.steps.trees import git

BYTES = {
    "crlf": (b"one\r\ntwo\r\nthree\r\n", "one\r\nTWO\r\nthree\r\n"),
    "mixed ends": (b"one\r\ntwo\nthree\n", "one\r\nTWO\nthree\n"),
    "bom": (b"\xef\xbb\xbfone\ntwo\nthree\n", "one\nTWO\nthree\n"),
    "latin1": (b"h\xe9\nzw\xf6\n\xfc\n", "h\u00e9\nZW\u00d6\n\u00fc\n"),
    "no final newline": (b"one\ntwo\nthree", "one\nTWO\nthree"),
    "only the newline": (b"one\ntwo", "one\ntwo\n"),
    "nul": (b"o\0ne\ntwo\nthree\n", "o\0ne\nTWO\nthree\n"),
    "empty": (b"", "TWO\n"),
    "one empty line": (b"\n", "TWO\n"),
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def shown(editor: Editor) -> list[tuple[list[str], list[str], str | None]]:
    return [
        (hunk["old"], hunk["new"], hunk.get("note")) for each in changes(editor) for hunk in each["hunks"]
    ]


@pytest.mark.parametrize("kind", BYTES)
@pytest.mark.parametrize("is_open", [True, False])
def test_bytes_are_as_they_were_after_an_undo(
    open_editor: Open, tmp_path: Path, work: Path, kind: str, is_open: bool
) -> None:
    data, wanted = BYTES[kind]
    if kind == "latin1" and not is_open:
        pytest.skip("agents write no Latin-1 file that is not open")
    path = work / "notes.txt"
    path.write_bytes(data)
    file = "notes.txt" if is_open else "beside.txt"
    before = begin(open_editor, tmp_path, work, on_prompt("", write("{cwd}/notes.txt", wanted)), file=file)
    take_turn(before)
    before.expect_lua(PENDING, 1)
    written, hunks = path.read_bytes(), shown(before)
    assert before.quit() == 0
    after = begin(open_editor, tmp_path, work, file=file)
    after.expect_lua(PENDING, 1)
    assert shown(after) == hunks
    assert path.read_bytes() == written
    after.type(":Acp undo all<CR>")
    after.expect_lua(PENDING, 0)
    assert path.read_bytes() == data


def test_a_name_that_is_no_utf8(open_editor: Open, tmp_path: Path, work: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (work / name).write_text("one\ntwo\n")
    (work / "notes.txt").write_text("one\ntwo\n")
    glob = f"cd {work} && for name in caf*; do sed -i s/two/TWO/ $name; done"
    from tests.fakes.script import run_command

    before = begin(open_editor, tmp_path, work, on_prompt("", *run_command(glob)))
    before.type(":edit caf*<CR>")
    take_turn(before)
    before.expect_lua("return #require('acp_nvim').changes({ all = true }) > 0")
    count = before.lua(PENDING)
    assert before.quit() == 0
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, count)
    after.type(":Acp undo all<CR>")
    wait_until(lambda: (work / name).read_text() == "one\ntwo\n")


@pytest.mark.parametrize("what", ["a link", "a folder", "a link to a folder"])
def test_what_has_come_to_the_path_is_left_alone(
    open_editor: Open, tmp_path: Path, work: Path, what: str
) -> None:
    path, target = work / "notes.txt", tmp_path / "target.txt"
    path.write_text("one\ntwo\n")
    (work / "other.txt").write_text("x\n")
    left(open_editor, tmp_path, work, write("{cwd}/notes.txt", "one\nTWO\n"), pending=1)
    path.unlink()
    if what == "a folder":
        path.mkdir()
    elif what == "a link":
        target.write_text("one\nTWO\n")
        path.symlink_to(target)
    else:
        target.mkdir()
        path.symlink_to(target)
    after = begin(open_editor, tmp_path, work, size=(140, 30), file="other.txt")
    after.screen.expect("notes.txt")
    after.type(":Acp undo all<CR>:Acp undo turn<CR>")
    after.settle()
    assert changes(after) == []
    again = begin(open_editor, tmp_path, work, size=(140, 30), file="other.txt")
    assert changes(again) == []
    assert "gone" not in again.lua("return vim.fn.execute('messages')")
    if what == "a link":
        assert target.read_text() == "one\nTWO\n"
    assert path.is_symlink() == what.startswith("a link")
    assert path.is_dir() == (what != "a link")


def test_a_project_behind_a_link(open_editor: Open, tmp_path: Path, work: Path) -> None:
    (work / "notes.txt").write_text("one\ntwo\n")
    link = tmp_path / "link"
    link.symlink_to(work)
    left(open_editor, tmp_path, link, write("{cwd}/notes.txt", "one\nTWO\n"), pending=1)
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 1)
    after.type(":Acp undo all<CR>")
    wait_until(lambda: (work / "notes.txt").read_text() == "one\ntwo\n")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_project_without_git(open_editor: Open, tmp_path: Path, elsewhere: bool) -> None:
    """The folder that Neovim is in is its project; `:cd` leads to another one."""
    folder, other = tmp_path / "plain", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "notes.txt").write_text("one\ntwo\n")
    left(open_editor, tmp_path, folder, write("{cwd}/notes.txt", "one\nTWO\n"), pending=1)
    after = begin(open_editor, tmp_path, folder)
    after.expect_lua(PENDING, 1)
    if elsewhere:
        after.type(f":cd {other}<CR>")
    after.type(":Acp undo all<CR>")
    wait_until(lambda: (folder / "notes.txt").read_text() == "one\ntwo\n")
    assert after.quit() == 0
    assert records(tmp_path) == []


def test_two_projects_in_one_neovim(open_editor: Open, tmp_path: Path, work: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    git(second, "init", "-q")
    for folder in (work, second):
        (folder / "notes.txt").write_text("one\ntwo\n")
        left(open_editor, tmp_path, folder, write("{cwd}/notes.txt", "one\nTWO\n"), pending=1)
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 1)
    after.type(f":edit {second}/notes.txt<CR>")
    after.expect_lua(PENDING, 2)
    after.type(":Acp undo all<CR>")
    after.expect_lua(PENDING, 0)
    assert [(folder / "notes.txt").read_text() for folder in (work, second)] == ["one\ntwo\n"] * 2


def test_undo_file_and_edit(open_editor: Open, tmp_path: Path, work: Path) -> None:
    """`u` by an undo file takes the agent's lines out: nothing waits; `:edit!` brings them back, and they wait."""
    path = work / "notes.txt"
    path.write_text("one\ntwo\nthree\n")
    options = {"init": f"vim.o.undofile = true vim.o.undodir = '{tmp_path}'"}
    before = begin(
        open_editor, tmp_path, work, on_prompt("", write("{cwd}/notes.txt", "one\nTWO\nthree\n")), **options
    )
    take_turn(before)
    before.expect_lua(PENDING, 1)
    assert before.quit() == 0
    after = begin(open_editor, tmp_path, work, **options)
    after.expect_lua(PENDING, 1)
    after.type("u")
    after.expect_lua("return vim.fn.getline(2)", "two")
    after.expect_lua(PENDING, 0)
    after.type(":edit!<CR>")
    after.expect_lua("return vim.fn.getline(2)", "TWO")
    after.expect_lua(PENDING, 1)
    after.type(":Acp undo turn<CR>")
    after.expect_lua("return vim.fn.getline(2)", "two")
    assert path.read_text() == "one\ntwo\nthree\n"
