"""An agent that writes the disk empties the file first: a look in that moment leaves the buffer alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import cut_file, on_prompt, script, wait_file, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, join_lines, open_notes, read
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
AFTER = [*TEN[:4], "agent's", *TEN[5:]]
WHEN_READ_EMPTY = """local origin, go = require("acp_nvim.documents.origin"), ...
local read = origin.read
origin.read = function(buf)
  local data, stamp = read(buf)
  if data == "" then vim.fn.writefile({}, go) end
  return data, stamp
end"""


@pytest.mark.parametrize("mine", [[], ["mine"]], ids=["saved", "unsaved"])
def test_a_file_that_is_empty_for_a_moment(open_editor: Open, tmp_path: Path, mine: list[str]) -> None:
    """The agent writes it once the editor has found it empty."""
    go = tmp_path / "go"
    writes = wait_file(str(go)), write_file(NOTES, join_lines(AFTER))
    agent = script(tmp_path, on_prompt("", read(NOTES), *call_edit(NOTES, cut_file(NOTES, 0)), *writes))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.lua(WHEN_READ_EMPTY, str(go))
    for line in mine:
        editor.type(f"Go{line}<Esc>")
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, [*AFTER, *mine])
    editor.expect_lua(PENDING, 1)
    assert not editor.events("AcpQuestion")
    editor.type("u")
    editor.expect_lua(LINES, [*TEN, *mine])


def test_a_file_that_stays_empty(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", read(NOTES), *call_edit(NOTES, cut_file(NOTES, 0))))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "write")
    editor.expect_lua(LINES, [""])
    editor.expect_lua(PENDING, 1)
    editor.type("u")
    editor.expect_lua(LINES, TEN)
