"""`u` brings back what `:Acp undo` took, also when the backend looks at the file in between."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, join_lines, open_notes, read_and_edit
from tests.steps.review import CHANGED, PENDING, TEN

Open = Callable[..., Editor]
# A look of the backend that has begun before the undo and comes to the editor after it.
SYNC = "return require('acp_nvim.documents.sync').sync({ path = vim.uv.fs_realpath(vim.fn.expand('%:p')) })"


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
