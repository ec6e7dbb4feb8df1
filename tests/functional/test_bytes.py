"""Bytes that stay as they are: line ends, byte order marks, links, and what a file has beside its text."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script
from tests.functional.editor import Editor
from tests.steps.files import NOTES, get_answers, open_notes, read, write
from tests.steps.turns import Play

Open = Callable[..., Editor]


def written(
    open_editor: Open, tmp_path: Path, before: bytes, new: str, edit: str | None
) -> tuple[object, bytes]:
    """What the agent reads of notes.txt, and what is on disk once it has written it; `edit`: loaded by that."""
    agent = script(tmp_path, on_prompt("", read(NOTES), write(NOTES, new)))
    editor = open_notes(open_editor, agent)
    (editor.project / "notes.txt").write_bytes(before)
    editor.lua("vim.cmd('enew | bwipeout! notes.txt')")
    if edit:
        editor.lua("vim.cmd(...)", f"{edit} notes.txt")
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    answer, _ = get_answers(agent)
    return answer["content"], (editor.project / "notes.txt").read_bytes()


@pytest.mark.parametrize("edit", [None, "edit", "edit ++ff=dos"])
def test_a_line_that_ends_in_two_carriage_returns(
    open_editor: Open, tmp_path: Path, edit: str | None
) -> None:
    before = b"one\r\r\ntwo\r\nthree\r\n"
    seen, disk = written(open_editor, tmp_path, before, "one\r\r\nTWO\r\nthree\r\n", edit)
    assert seen == before.decode()
    assert disk == b"one\r\r\nTWO\r\nthree\r\n"


@pytest.mark.parametrize(
    ("edit", "before"),
    [
        (None, "one\ntwo\r"),
        ("edit", "one\ntwo\r"),
        ("edit", "one\ntwo\r\n"),
        ("edit ++ff=mac", "one\rtwo\r"),
        ("edit ++ff=mac", "one\rtwo"),
    ],
)
def test_a_lone_carriage_return_at_the_end_is_no_line_end(
    open_editor: Open, tmp_path: Path, edit: str | None, before: str
) -> None:
    """It is one only in a file that is read with 'fileformat' mac; 'fixendofline' adds nothing to it elsewhere."""
    after = before.replace("one", "ONE")
    seen, disk = written(open_editor, tmp_path, before.encode(), after, edit)
    assert seen == before
    assert disk == after.encode()


def test_a_byte_order_mark_in_a_binary_buffer(open_editor: Open, tmp_path: Path) -> None:
    """There it is a part of the first line, seen by the user and by the agent."""
    old = b"\xef\xbb\xbfone\ntwo\n"
    seen, disk = written(open_editor, tmp_path, old, "\ufeffone\nTWO\n", "edit ++bin")
    assert seen == old.decode()
    assert disk == b"\xef\xbb\xbfone\nTWO\n"


@pytest.mark.parametrize("edit", [None, "edit"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_elsewhere_is_the_file_s(
    open_editor: Open, tmp_path: Path, edit: str | None, mark: str
) -> None:
    """The agent is not shown it, and whether it writes one or not the file has one."""
    seen, disk = written(open_editor, tmp_path, b"\xef\xbb\xbfone\ntwo\n", f"{mark}one\nTWO\n", edit)
    assert seen == "one\ntwo\n"
    assert disk == b"\xef\xbb\xbfone\nTWO\n"


ways = pytest.mark.parametrize("loaded", [True, False])


@ways
def test_a_file_of_two_names_stays_one(open_editor: Open, tmp_path: Path, loaded: bool) -> None:
    play = Play(open_editor, tmp_path)
    other = play.path.with_name("other.txt")
    os.link(play.path, other)
    if not loaded:
        play.do("enew | bwipeout notes.txt")
    play.turn()
    play.write(["new"])
    assert other.read_text() == play.path.read_text() == "new\n"
    assert play.path.stat().st_nlink == 2


@ways
def test_extended_attributes_stay(open_editor: Open, tmp_path: Path, loaded: bool) -> None:
    play = Play(open_editor, tmp_path)
    try:
        os.setxattr(play.path, "user.origin", b"mine")
    except OSError:
        pytest.skip("the file system has none")
    if not loaded:
        play.do("enew | bwipeout notes.txt")
    play.turn()
    play.write(["new"])
    assert os.getxattr(play.path, "user.origin") == b"mine"


@pytest.mark.parametrize("unsaved", [False, True])
@pytest.mark.parametrize("through", ["link.txt", "target.txt"])
def test_a_buffer_of_a_link_whose_target_does_not_exist_yet(
    open_editor: Open, tmp_path: Path, through: str, unsaved: bool
) -> None:
    play = Play(open_editor, tmp_path)
    link, target = (play.path.with_name(name) for name in ("link.txt", "target.txt"))
    link.symlink_to("target.txt")
    play.do("edit link.txt")
    if unsaved:
        play.editor.type("imine<Esc>")
        play.editor.expect_lua("return vim.bo.modified")
    play.turn()
    path = str(play.path.with_name(through))
    play.order(
        ["ask", "fs/write_text_file", {"sessionId": "{session}", "path": path, "content": "agent's\n"}]
    )
    play.editor.expect_lua(
        "return #require('acp_nvim').questions() == 1 or vim.uv.fs_stat((...)) ~= nil", True, str(target)
    )
    print(
        "LINK",
        through,
        unsaved,
        play.editor.acp("questions"),
        play.lines("link.txt"),
        target.exists() and target.read_text(),
    )
    if unsaved:
        assert play.editor.acp("questions"), "both have begun the file"
        assert play.lines("link.txt") == ["mine"]
    else:
        play.editor.expect_lua("return vim.fn.getline(1)", "agent's")
        assert play.editor.lua("return vim.bo.modified") is False
    assert link.is_symlink()
