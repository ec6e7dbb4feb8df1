"""`:Acp undo turn` pressed in the moment in which a turn ends: the agent's last write may not be known yet."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, run_command, script, tool, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read, read_and_edit, read_disk
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
FIRST = [*TEN[:4], "first", *TEN[5:]]
SECOND = [*TEN[:4], "second", *TEN[5:]]
AT_ONCE = """vim.api.nvim_create_autocmd("User", { pattern = "AcpTurnEnded", once = true, callback = function()
  vim.api.nvim_input(":Acp undo turn<CR>")
end })"""

# The call never ends, so that nobody looks at the file before the turn is over.
BEGINS = tool("edit", kind="edit", status="in_progress", locations=[{"path": NOTES}])


def test_the_write_at_the_end_of_the_turn_is_undone(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("one", *read_and_edit(NOTES, write_file(NOTES, join_lines(FIRST)))),
        on_prompt("two", BEGINS, write_file(NOTES, join_lines(SECOND))),
    )
    editor = open_notes(open_editor, agent, join_lines(TEN))
    editor.acp("prompt", "one")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    editor.expect_lua(LINES, FIRST)
    editor.lua(AT_ONCE)
    editor.acp("prompt", "two")
    editor.screen.expect("undone: 1 change in ")
    editor.expect_lua(LINES, FIRST)
    assert read_disk(editor) == join_lines(FIRST)


SYNC = """local path, known, stamp = ...
local by = { kind = "agent", by = "agent", session = 1, turn = 1, given = path }
known = { text = known, stamp = stamp ~= vim.NIL and stamp or nil }
return require("acp_nvim.documents.disk_into_buffer").sync({ path = path, by = by, known = known })"""


def get_stamp(path: Path) -> list[int]:
    at = path.stat()
    return [*divmod(at.st_mtime_ns, 10**9), at.st_size, at.st_ino]


@pytest.mark.parametrize("reader", ["backend", "editor"])
def test_a_file_that_was_read_empty_while_it_was_written_is_undone_as_a_whole(
    open_editor: Open, tmp_path: Path, reader: str
) -> None:
    """One of the two reads a file that the agent has emptied, the other one only once the agent has written it."""
    editor = open_notes(open_editor, script(tmp_path, on_prompt("")), join_lines(TEN))
    path = editor.project / "notes.txt"
    ten = get_stamp(path)
    if reader == "editor":
        path.write_text("")
        assert editor.lua(SYNC, str(path), join_lines(TEN), ten) == {"ok": True}
    path.write_text(join_lines(FIRST))
    assert editor.lua(SYNC, str(path), join_lines(TEN), ten) == {"ok": True}
    if reader == "backend":
        assert editor.lua(SYNC, str(path), "", None) == {"ok": True}
    editor.expect_lua(LINES, FIRST)
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(LINES, TEN)
    assert read_disk(editor) == join_lines(TEN)


@pytest.mark.parametrize("count", [1, 6])
def test_files_that_a_command_has_emptied_are_undone_at_once(
    open_editor: Open, tmp_path: Path, count: int
) -> None:
    """Who empties a file may be about to write it, but not an agent that has answered."""
    names = [f"{n}.txt" for n in range(count)]
    empties = "; ".join(f": > {name}" for name in names)
    agent = script(tmp_path, on_prompt("", *run_command(empties, read(NOTES))))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    for name in names:
        (editor.project / name).write_text(join_lines(TEN))
        editor.type(f":edit {name}<CR>")
        editor.expect_lua("return vim.fn.expand('%:t')", name)
    editor.lua(AT_ONCE)
    editor.acp("prompt", "go")
    where = names[0] if count == 1 else f"{count} files"
    editor.screen.expect(f"undone: {count} change{'s' if count > 1 else ''} in {where} (turn 1)")
    for name in names:
        assert read_disk(editor, name) == join_lines(TEN)
