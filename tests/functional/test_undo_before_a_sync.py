"""`:Acp undo` while the backend has not looked at the file: `u` brings back what it took, and it takes no more."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, join_lines, open_notes, read_and_edit, read_disk
from tests.steps.messages import expect_message
from tests.steps.processes import find_backend
from tests.steps.review import CHANGED, PENDING, TEN, WAYS, start_review

Open = Callable[..., Editor]
# A look of the backend that has begun before the undo and comes to the editor after it.
SYNC = "return require('acp_nvim.documents.disk_into_buffer').sync({ path = vim.uv.fs_realpath(vim.fn.expand('%:p')) })"


@pytest.mark.parametrize("own", [[], ["mine"]], ids=["saved", "unsaved"])
def test_u_after_a_look_at_the_file(open_editor: Open, tmp_path: Path, own: list[str]) -> None:
    """A look that finds nothing new leaves no step in the undo history: the next `u` is the user's."""
    looked = call_edit(NOTES, id="look")
    change = read_and_edit(NOTES, write_file(NOTES, join_lines(CHANGED)))
    agent = script(tmp_path, on_prompt("", *change, mark("edited"), wait_file(str(tmp_path / "go")), *looked))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    editor.expect_lua(PENDING, 3)
    if own:
        editor.type(f"Go{own[0]}<Esc>")
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    editor.expect_lua(LINES, [*TEN, *own])
    (tmp_path / "go").touch()
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(SYNC) == {"ok": True}
    editor.type("u")
    editor.expect_lua(LINES, [*CHANGED, *own])
    editor.expect_lua(PENDING, 3)
    assert editor.lua(SYNC) == {"ok": True}
    editor.expect_lua(LINES, [*CHANGED, *own])
    editor.expect_lua(PENDING, 3)


@pytest.mark.cold
def test_what_another_program_has_written_meanwhile_is_not_lost(open_editor: Open, tmp_path: Path) -> None:
    """The unsaved lines build on an older file: saved with what is theirs, they would take the new line along."""
    editor = start_review(open_editor, tmp_path, *WAYS["on disk"])
    editor.type("Gomine<Esc>")
    os.kill(find_backend(editor), signal.SIGKILL)  # which would look at the file, and merge
    expect_message(editor, "the backend ended", ":Acp restart")
    (editor.project / "notes.txt").write_text(join_lines(["pulled", *CHANGED]))
    editor.type("2G:Acp undo<CR>")
    editor.screen.expect("the file changed on disk and the buffer has unsaved lines")
    assert read_disk(editor) == join_lines(["pulled", *CHANGED])
    assert editor.lua(LINES) == [*CHANGED, "mine"]
    editor.expect_lua(PENDING, 3)
