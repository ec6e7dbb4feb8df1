"""A write that fails half-way: the buffer has its text and stays modified, the user is told, and the agent, too."""

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, get_answers, open_notes, read, read_disk, write

Open = Callable[..., Editor]
LIMIT = 4096
OLD = ["one", "two", "three"]
LONG = "long " * 2000 + "\n"
WITHOUT_BACKUP = ["set nowritebackup", "set backupskip=*", "set backupcopy=yes nowritebackup"]


@pytest.fixture
def open_small(program: Path, tmp_path: Path) -> Iterator[Open]:
    """Neovim that may write no file larger than LIMIT, which fails as a full disk does."""
    wrapper = tmp_path / "nvim"
    wrapper.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec '{program}' \"$@\"\n")
    wrapper.chmod(0o755)
    opened: list[Editor] = []

    def start(**options: object) -> Editor:
        opened.append(Editor(wrapper, tmp_path / "editor", **options))  # type: ignore[arg-type]
        return opened[-1]

    yield start
    for editor in opened:
        editor.close()


def limit(editor: Editor, size: int = LIMIT) -> None:
    resource.prlimit(editor.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.mark.parametrize("keys", ["", "Gomine<Esc>"], ids=["saved", "unsaved"])
@pytest.mark.parametrize("command", WITHOUT_BACKUP)
def test_the_text_is_in_the_buffer_and_nowhere_else(
    open_small: Open, tmp_path: Path, command: str, keys: str
) -> None:
    agent = script(tmp_path, on_prompt("write", read(NOTES), write(NOTES, LONG)), on_prompt("", read(NOTES)))
    editor = open_notes(open_small, agent, init=f"vim.cmd({command!r})", size=(160, 30))
    editor.type(keys)
    lines = [*OLD, "mine"] if keys else OLD
    editor.expect_lua(LINES, lines)
    limit(editor)
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "and now?")  # the files are looked at when a turn begins, and when it ends
    editor.wait_event("AcpTurnEnded")
    text = "".join(f"{line}\n" for line in lines)
    before, failed, after = get_answers(agent)
    assert failed["code"] == -32603
    assert "notes.txt" in failed["message"]
    assert before == after == {"content": text}
    assert editor.lua(LINES) == lines
    assert editor.lua("return vim.bo.modified") is True, "its text is not on disk"
    assert "notes.txt" in editor.lua("return vim.fn.execute('messages')"), "the user is told"
    limit(editor, resource.RLIM_INFINITY)
    editor.type(":w!<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor) == text
    assert editor.mode()["blocking"] is False
