"""The first unsaved line is typed over a file that another program has changed unseen: no answer loses a line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import ask, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import call_edit, join_lines
from tests.steps.review import PENDING, TEN
from tests.steps.turns import Play

Open = Callable[..., Editor]
DISK = [*TEN[:2], "OTHER 3", *TEN[3:]]  # which Neovim has not read
AGENTS = [*DISK[:8], "AGENT 9", TEN[9]]  # the agent has read the disk
LIVE = [*TEN[:5], "mine", *TEN[5:]]


def asked(open_editor: Open, tmp_path: Path) -> Play:
    """The user has typed, and the agent writes through us: the question is open and in sight."""
    play = Play(open_editor, tmp_path, size=(140, 40))
    play.path.write_text(join_lines(DISK))
    play.editor.type("5Gomine<Esc>")
    play.editor.expect_lua("return vim.bo.modified")
    play.turn()
    write = {"sessionId": "{session}", "path": str(play.path), "content": join_lines(AGENTS)}
    play.order(ask("fs/write_text_file", write))
    play.editor.wait_event("AcpQuestion")
    play.editor.type(":Acp<CR><C-w>t")
    expect_answerable(play.editor)
    return play


def test_the_agents_lines_are_those_of_the_disk_as_well(open_editor: Open, tmp_path: Path) -> None:
    play = asked(open_editor, tmp_path)
    play.editor.type(":Acp accept<CR>")
    wait_until(lambda: play.path.read_text() == join_lines(AGENTS))
    assert play.lines() == AGENTS
    play.editor.type("u")
    play.editor.expect_lua("return vim.fn.getline(6)", "mine")


def test_my_lines_leave_the_disk_as_it_is(open_editor: Open, tmp_path: Path) -> None:
    play = asked(open_editor, tmp_path)
    play.editor.type(":Acp reject<CR>")
    play.editor.expect_lua("return #require('acp_nvim').questions()", 0)
    assert play.lines() == LIVE
    assert play.editor.lua("return vim.bo.modified")
    assert play.path.read_text() == join_lines(DISK)


def test_a_merge_shows_the_lines_of_both(open_editor: Open, tmp_path: Path) -> None:
    play = asked(open_editor, tmp_path)
    play.editor.type(":Acp answer merge<CR>")
    play.editor.screen.expect("what will be saved")
    shown = play.editor.screen.text()
    assert [line for line in ("OTHER 3", "mine", "AGENT 9") if line not in shown] == []


# --- the agent writes the disk itself


@pytest.mark.parametrize("command", ["write!", "edit!"])
def test_a_save_over_an_open_conflict_is_the_users(open_editor: Open, tmp_path: Path, command: str) -> None:
    play = Play(open_editor, tmp_path, size=(140, 40))
    play.turn()
    play.read()
    play.editor.type("3Gccmine<Esc>7Gomore<Esc>")
    play.editor.expect_lua("return vim.fn.getline(8)", "more")
    live, agents = play.lines(), [*TEN[:2], "AGENT 3", *TEN[3:]]
    play.order(*call_edit(str(play.path), write_file(str(play.path), join_lines(agents))))
    play.editor.wait_event("AcpQuestion")
    play.do(command)
    play.editor.expect_lua("return #require('acp_nvim').questions()", 0)
    play.end()
    play.editor.expect_lua(PENDING, 0 if command == "write!" else 1)
    assert play.lines() == (live if command == "write!" else agents)
