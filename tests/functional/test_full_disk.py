"""A disk that takes no more: Neovim may write no file larger than a limit, which fails as a full disk does."""

import resource
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, get_answers, open_notes, read, write

LIMIT = 4096
LONG = ["long " * 20] * 100


@pytest.fixture
def small(program: Path, tmp_path: Path) -> Path:
    """Neovim that survives the signal of the limit."""
    wrapper = tmp_path / "nvim"
    wrapper.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec '{program}' \"$@\"\n")
    wrapper.chmod(0o755)
    return wrapper


def test_a_full_disk_is_an_error_and_the_buffer_is_as_it_was(small: Path, tmp_path: Path) -> None:
    new = "one\nTWO\nthree\n"
    long = "\n".join(LONG) + "\n"
    agent = script(tmp_path, on_prompt("", read(NOTES), write(NOTES, long), write(NOTES, new)))
    opened: list[Editor] = []

    def open_editor(**options: object) -> Editor:
        opened.append(Editor(small, tmp_path / "editor", **options))  # type: ignore[arg-type]
        return opened[-1]

    try:
        editor = open_notes(open_editor, agent)
        editor.lua(
            "vim.o.backupskip = ''"
        )  # else there is no backup below /tmp, and the file stays as it broke off
        resource.prlimit(editor.pid, resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
        editor.acp("prompt", "write")
        editor.wait_event("AcpTurnEnded")
        _, first, second = get_answers(agent)
        assert first["code"] == -32603
        assert "E514" in first["message"]
        assert second in ({}, None)
        assert editor.lua(LINES) == new.split()
        assert (editor.project / "notes.txt").read_text() == new
        editor.type("u")
        editor.expect_lua(LINES, ["one", "two", "three"])
        assert editor.mode()["blocking"] is False
    finally:
        for editor in opened:
            editor.close()
