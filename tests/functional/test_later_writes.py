"""A second and a third write of an agent, after whatever user and autocommands have done to the buffer in between."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import tool, wait_until
from tests.functional.editor import Editor
from tests.steps.files import call_edit, join_lines, read, write
from tests.steps.review import PENDING, TEN
from tests.steps.turns import LINES, Play

Open = Callable[..., Editor]
FIRST = [*TEN[:1], "AGENT 2", *TEN[2:]]
SECOND = [*FIRST[:8], "AGENT 9", TEN[9]]


@pytest.fixture
def play(open_editor: Open, tmp_path: Path) -> Play:
    play = Play(open_editor, tmp_path)
    play.turn()
    return play


def test_of_two_buffers_of_a_file_each_keeps_its_lines(play: Play) -> None:
    (play.editor.project / "link.txt").symlink_to("notes.txt")
    (play.editor.project / "new").write_text(join_lines(TEN))
    os.replace(play.editor.project / "new", play.path)  # by which Neovim takes the link for another file
    play.do("set hidden | edit link.txt")
    play.do("buffer notes.txt | call append(0, ['mine a', 'mine b', 'mine c'])")
    play.do("buffer link.txt | call append(10, ['mine z'])")
    play.write(FIRST)
    assert play.lines("link.txt") == [*FIRST, "mine z"]
    play.write(SECOND)
    assert play.lines("notes.txt") == ["mine a", "mine b", "mine c", *SECOND, "mine z"]
    assert play.path.read_text() == join_lines(play.lines())


def test_a_formatter_that_opens_the_file_again_is_heard(play: Play, tmp_path: Path) -> None:
    formatter = tmp_path / "format"
    formatter.write_text('#!/bin/sh\nsed -i "/^HEAD/d" "$1"; sed -i "1i HEAD" "$1"\n')
    formatter.chmod(0o755)
    play.do(f"autocmd BufWritePost notes.txt silent execute '!{formatter} %' | silent edit")
    play.write(FIRST)
    assert play.lines() == ["HEAD", *FIRST]
    play.write(SECOND)
    assert play.lines() == ["HEAD", *SECOND]
    play.end()
    play.editor.expect_lua(PENDING, 2)
    play.do("autocmd! BufWritePost")
    play.undo_all()
    assert play.lines() == ["HEAD", *TEN]


GONE = [
    "enew | bwipeout notes.txt",
    "enew | bunload notes.txt",
    "enew | bdelete notes.txt",
    "file other.txt",
    "saveas other.txt",
]


@pytest.mark.parametrize("command", GONE)
def test_where_the_buffer_has_gone_in_between_all_can_be_undone(play: Play, command: str) -> None:
    play.write(FIRST)
    play.editor.expect_lua(PENDING, 1)
    play.do(command)
    play.write(SECOND)
    play.end()
    play.editor.expect_lua(PENDING, 2)
    play.undo_all()
    assert play.path.read_text() == join_lines(TEN)


@pytest.mark.parametrize("command", ["file other.txt", "saveas other.txt"])
def test_a_name_that_is_taken_right_behind_the_write_is_another_files(play: Play, command: str) -> None:
    play.order(write(str(play.path), join_lines(FIRST)), wait=False)
    play.editor.wait_event("AcpFileWritten")
    play.do(command)
    play.end()
    play.editor.expect_lua(PENDING, 1)
    play.undo_all()
    assert play.path.read_text() == join_lines(TEN)
    assert play.lines("other.txt") == FIRST


def test_undoing_a_file_empties_no_buffer_of_another_name(play: Play) -> None:
    made = play.editor.project / "new.txt"
    play.write(["a", "b"], made)
    play.do("edit new.txt")
    play.write(["a", "B", "c", "d"], made)
    play.editor.expect_lua(PENDING, 1)
    play.do("file other.txt")
    play.write(["a", "B", "c"], made)
    play.end()
    play.undo_all()
    assert play.lines("other.txt") == ["a", "B", "c", "d"]


ACCENTS = ["é1", "é2", "é3", "é4"]


@pytest.mark.parametrize(("bom", "command"), [("", "set fileencoding=latin1"), ("\ufeff", "set nobomb")])
def test_undoing_a_later_turn_keeps_the_users_format(
    open_editor: Open, tmp_path: Path, bom: str, command: str
) -> None:
    play = Play(open_editor, tmp_path, bom + join_lines(ACCENTS))
    play.turn()
    play.write([ACCENTS[0], "X2", *ACCENTS[2:]])
    play.end()
    play.do("Acp keep all")
    play.editor.expect_lua(PENDING, 0)
    play.do(f"{command} | write")
    before = play.path.read_bytes()
    play.turn()
    play.write([ACCENTS[0], "Y2", *ACCENTS[2:]])
    play.end()
    play.editor.expect_lua(PENDING, 1)
    play.undo_all()
    assert play.path.read_bytes() == before


def test_what_has_come_to_the_disk_before_the_first_unsaved_line_is_asked_about(
    open_editor: Open, tmp_path: Path
) -> None:
    """A pull, for instance, of which Neovim has not heard yet: its own `:w` would ask, too."""
    play = Play(open_editor, tmp_path)
    play.path.write_text(join_lines([*TEN[:5], "pulled", *TEN[5:]]))
    play.editor.type("ggOmine<Esc>")
    play.turn()
    content = play.read().replace("line 9", "AGENT 9")
    play.order(write(str(play.path), content), wait=False)
    asked = play.editor.wait_event("AcpQuestion")
    assert "pulled" in play.path.read_text()
    assert play.editor.acp("answer", asked["id"], "mine")
    wait_until(lambda: len(play.agent.logged("mark")) >= 2)
    assert play.path.read_text() == join_lines([*TEN[:5], "pulled", *TEN[5:]])
    assert play.lines() == ["mine", *TEN]


@pytest.mark.parametrize("command", ["edit!", "checktime", "write!"])
def test_what_the_buffer_has_taken_up_is_nothing_to_ask_about(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    play = Play(open_editor, tmp_path)
    play.path.write_text(join_lines([*TEN, "longer by one line"]))
    play.do(f"set autoread | {command}")
    before = play.lines()
    play.editor.type("ggOmine<Esc>")
    play.turn()
    play.order(write(str(play.path), play.read().replace("line 9", "AGENT 9")))
    assert play.lines() == ["mine", *(line.replace("line 9", "AGENT 9") for line in before)]
    assert play.editor.events("AcpQuestion") == []


ENCODINGS = [
    ("utf-16", "nobomb"),
    ("utf-16le", "bomb"),
    ("ucs-2", "bomb"),
    ("ucs-2le", "bomb"),
    ("ucs-4", "bomb"),
]


@pytest.mark.parametrize(("encoding", "bomb"), [*ENCODINGS, ("ucs-4le", "bomb"), ("euc-tw", "nobomb")])
def test_a_file_in_an_encoding_that_python_calls_otherwise(play: Play, encoding: str, bomb: str) -> None:
    play.do(f"set fileencoding={encoding} {bomb} | write | edit! ++enc={encoding}")
    assert play.lines() == TEN
    assert play.read() == join_lines(TEN)
    play.write([*TEN, "agent 11"])
    assert play.lines() == [*TEN, "agent 11"]
    play.do(f"edit! ++enc={encoding}")
    assert play.lines() == [*TEN, "agent 11"]


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16", "ucs-4"])
def test_a_file_with_a_mark_of_its_encoding_is_changed_on_disk(play: Play, encoding: str) -> None:
    play.do(f"set fileencoding={encoding} bomb | write | edit!")
    assert play.editor.lua("return { vim.bo.fileencoding, vim.bo.bomb }") == [encoding, True]
    wire = {"utf-16": "utf-16-be", "utf-16le": "utf-16-le", "ucs-4": "utf-32-be"}[encoding]
    place = str(play.path)
    announced = tool("edit", kind="edit", status="in_progress", locations=[{"path": place}])
    play.order(announced, read(place))
    changed = play.path.read_bytes().replace("line 2".encode(wire), "LINE 2".encode(wire))
    play.path.write_bytes(changed)
    play.order(tool("edit", known=True, status="completed"))
    play.editor.expect_lua(f"{LINES}".replace("...", "'notes.txt'"), [TEN[0], "LINE 2", *TEN[2:]])
    assert play.editor.lua("return { vim.bo.fileencoding, vim.bo.bomb }") == [encoding, True]
    assert play.path.read_bytes() == changed


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("looks", [True, False])
def test_what_the_user_saves_between_two_turns_stays_until_the_agent_has_seen_it(
    play: Play, looks: bool, is_open: bool
) -> None:
    """The agent reads and writes the disk in the first turn, and writes through us in the second one."""
    if not is_open:
        play.do("enew | bwipeout notes.txt")
    play.write_disk(join_lines(FIRST))
    play.end()
    play.editor.expect_lua(PENDING, 1)
    play.do("edit notes.txt | call append('$', 'mine') | write")
    if not is_open:
        play.do("enew | bwipeout notes.txt")
    play.turn()
    if looks:
        play.order(*call_edit(str(play.path), id="look"))
    play.order(tool("edit", kind="edit", status="in_progress", locations=[{"path": str(play.path)}]))
    assert play.write(SECOND) == {}
    assert play.path.read_text() == join_lines(SECOND if looks else [*SECOND, "mine"])


@pytest.mark.parametrize("is_open", [True, False])
def test_what_the_user_saves_stays_also_while_git_is_still_asked_about_the_turn_before(
    open_editor: Open, tmp_path: Path, is_open: bool
) -> None:
    hold, folder = tmp_path / "hold", tmp_path / "bin"
    folder.mkdir()
    wait = f"while [ -e {hold} ]; do read -t 0.02 _ <> <(:); done"
    (folder / "git").write_text(f'#!/bin/bash\n{wait}\nexec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    play = Play(open_editor, tmp_path, env={"PATH": f"{folder}:{os.environ['PATH']}"})
    subprocess.run(["git", "init", "-q"], cwd=play.editor.project, check=True)
    play.turn()
    play.write_disk(join_lines(FIRST))
    play.editor.expect_lua(PENDING, 1)
    hold.touch()
    play.end()
    play.do("edit notes.txt | call append('$', 'mine') | write")
    if not is_open:
        play.do("enew | bwipeout notes.txt")
    hold.unlink()
    play.editor.lua("require('acp_nvim.review').wait_for_disk()")
    play.turn()
    assert play.write(SECOND) == {}
    assert play.path.read_text() == join_lines([*SECOND, "mine"])
