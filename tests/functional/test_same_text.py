"""Changes that leave the text as it is: they are known in a buffer that is followed all the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, join_lines, open_notes, read_and_edit, read_disk, write
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
FIRST = [*TEN[:4], "first", *TEN[5:]]


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_later_turn_takes_only_the_last_newline(open_editor: Open, tmp_path: Path, way: str) -> None:
    texts = join_lines(FIRST), join_lines(FIRST).rstrip("\n")
    turns = [
        [write(NOTES, text)] if way == "through us" else read_and_edit(NOTES, write_file(NOTES, text))
        for text in texts
    ]
    agent = script(tmp_path, on_prompt("one", *turns[0]), on_prompt("two", *turns[1]))
    editor = open_notes(open_editor, agent, join_lines(TEN))
    for n, words in enumerate(("one", "two"), 1):
        editor.acp("prompt", words)
        editor.wait_event("AcpTurnEnded", turn=n)
        editor.expect_lua(PENDING, n)
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 1)
    assert read_disk(editor) == texts[0]


def test_a_turn_of_which_no_line_is_left_is_undone_once(open_editor: Open, tmp_path: Path) -> None:
    """The later turn has written over all of the earlier one: undoing that changes no text, and is over."""
    second = [*TEN[:4], "second", *TEN[5:]]
    agent = script(
        tmp_path,
        on_prompt("one", write(NOTES, join_lines(FIRST))),
        on_prompt("two", write(NOTES, join_lines(second))),
    )
    editor = open_notes(
        open_editor, agent, join_lines(TEN), init="vim.g.maplocalleader = ','\n", size=(160, 40)
    )
    for n, words in enumerate(("one", "two"), 1):
        editor.acp("prompt", words)
        editor.wait_event("AcpTurnEnded", turn=n)
    editor.expect_lua(LINES, second)
    editor.type(":Acp<CR><Esc><C-w>k")
    editor.screen.expect("± notes.txt +1 −1 · ,k keep")
    editor.type("gg/+1 −1<CR>,u")
    editor.screen.expect("± undone 1")
    editor.expect_lua(LINES, second)
    turns = (
        "return vim.tbl_map(function(h) return { h.turn, h.old } end, require('acp_nvim').changes()[1].hunks)"
    )
    wait_until(lambda: [2, ["line 5"]] in editor.lua(turns))
    editor.type("<C-w>h:Acp undo turn<CR>")
    editor.expect_lua(LINES, TEN)
    editor.expect_lua(PENDING, 0)
