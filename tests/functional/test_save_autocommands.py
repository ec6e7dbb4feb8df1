"""Autocommands of the user that touch the buffer while an agent's write is saved: the agent is told what is on disk."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.functional.editor import Editor
from tests.steps.files import LINES, join_lines
from tests.steps.review import TEN
from tests.steps.turns import Play

Open = Callable[..., Editor]
NEW = [*TEN[:1], "AGENT 2", *TEN[2:]]
COMMANDS = {
    "renames it before": "BufWritePre notes.txt file other.txt",
    "renames it after": "BufWritePost notes.txt file other.txt",
    "reads it again before": "BufWritePre notes.txt edit!",
    "reads it again after": "BufWritePost notes.txt edit!",
    "wipes it before": "BufWritePre notes.txt bwipeout!",
    "wipes it after": "BufWritePost notes.txt bwipeout!",
    "unloads it after": "BufWritePost notes.txt enew | bunload! notes.txt",
    "says that it is saved": "BufWritePre notes.txt set nomodified",
    "says that it is not": "BufWritePost notes.txt set modified",
    "writes it itself": "BufWriteCmd notes.txt call writefile(getline(1, '$'), expand('<afile>')) | set nomodified",
    "goes elsewhere": "BufWritePre notes.txt new",
    "fails before": "BufWritePre notes.txt throw 'no'",
    "fails after": "BufWritePost notes.txt throw 'no'",
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_the_agent_is_told_what_is_on_disk(open_editor: Open, tmp_path: Path, command: str) -> None:
    play = Play(open_editor, tmp_path)
    play.do("set hidden")
    play.do(f"autocmd {COMMANDS[command]}")
    play.turn()
    play.read()
    answer = play.write(NEW) or {}
    disk = play.path.read_text() if play.path.exists() else None
    assert ("code" not in answer) == (disk == join_lines(NEW)), (answer, disk)
    assert play.editor.mode()["blocking"] is False


@pytest.mark.parametrize("levels", [0, -1])
@pytest.mark.parametrize("scope", ["set", "setlocal"])
def test_a_buffer_without_undo_takes_up_the_disk(
    open_editor: Open, tmp_path: Path, levels: int, scope: str
) -> None:
    play = Play(open_editor, tmp_path)
    play.do(f"{scope} undolevels={levels}")
    play.turn()
    play.read()
    play.write_disk(join_lines(NEW))
    play.editor.expect_lua(LINES, NEW)
    assert play.editor.lua("return vim.bo.modified") is False
    play.read()
    play.write(["through us"])
    assert play.lines() == ["through us"]
    assert play.editor.lua("return vim.o.undolevels") == levels
    play.end()
    assert "E5767" not in play.editor.lua("return vim.fn.execute('messages')")
