"""Where a comment stands after edits that nobody planned: in a real buffer, against what a reader would say."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor

Open = Callable[..., Editor]

PLACES = """
local place = require("acp_nvim.comments.place")
local out = {}
for i, case in ipairs(...) do
  out[i] = { place.shift(unpack(case)) }
end
return out
"""

FIND = """
local place = require("acp_nvim.comments.place")
local text, wanted, near, from, to = unpack(..., 1, 5)
return { place.find(text, wanted, near, from, to) or -1, place.nearest(text, wanted, near) }
"""


@pytest.fixture
def neovim(open_editor: Open) -> Editor:
    return open_editor()


def test_rows_move_through_an_edit(neovim: Editor) -> None:
    """Each case: rows first..last, an edit of rows from..to-1 by n rows."""
    cases: list[tuple[list[int], list[Any]]] = [
        ([2, 2, 2, 2, 1], [3, 3, False]),  # a line above
        ([2, 2, 3, 3, 1], [2, 2, False]),  # a line below
        ([2, 2, 0, 1, 0], [1, 1, False]),
        ([2, 2, 2, 3, 1], [2, 2, True]),  # changed
        ([2, 2, 2, 3, 0], [2, 2, True]),  # deleted
        ([2, 2, 1, 4, 1], [1, 1, True]),
        ([2, 4, 3, 3, 2], [2, 6, False]),  # lines within
        ([2, 4, 3, 4, 0], [2, 3, False]),
        ([2, 4, 2, 3, 0], [2, 3, False]),  # the head
        ([2, 4, 1, 3, 0], [1, 2, False]),
        ([2, 4, 4, 6, 0], [2, 3, False]),  # the tail
        ([2, 4, 0, 9, 9], [2, 4, True]),
        ([5, 6, 0, 9, 3], [2, 2, True]),
    ]
    assert neovim.lua(PLACES, [case for case, _ in cases]) == [wanted for _, wanted in cases]


def test_lines_are_found_by_their_neighbours_and_then_by_distance(neovim: Editor) -> None:
    def find(text: str, lines: str, near: int, before: str = "", after: str = "", *rows: int) -> int:
        wanted = {"lines": lines.split(), "before": before or None, "after": after or None}
        wanted = {key: value for key, value in wanted.items() if value is not None}
        return int(neovim.lua(FIND, [text.split(), wanted, near, *rows])[0])

    assert find("a x b x c", "x", 3) == 3
    assert find("a x b x c", "x", 3, before="a") == 1
    assert find("a x b x c", "x", 0, after="c") == 3
    assert find("a b c", "x", 0) == -1
    assert find("a b c d", "b c", 3) == 1
    assert find("a b c", "c d", 1) == -1
    assert find("a } b } c", "}", 1, before="z") == -1  # stands everywhere
    assert find("a } b } c", "}", 1, before="b") == 3
    assert find("x a x", "x", 0, "", "", 1, 2) == 2
    assert find("x a b", "x", 0, "", "", 1, 2) == -1


@pytest.mark.every_nvim
@pytest.mark.parametrize("seed", range(3))
def test_comments_stay_with_their_lines_through_random_edits_and_undo(
    open_editor: Open, tmp_path: Path, seed: int
) -> None:
    """Every line is unlike all others, so that a reader knows where each is: a comment whose line is in the buffer
    stands there, any other is said to be gone; after undo of everything all are where they began."""
    chance = random.Random(seed)
    editor = open_editor(size=(60, 40))
    editor.type(":edit story.txt<CR>")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", [f"line {n}" for n in range(30)])
    editor.type(":write<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    lines = chance.sample(range(30), 6)
    for line in lines:
        editor.acp("comment", {"first": line + 1, "text": f"about {line}"})
    start = editor.lua("return vim.fn.undotree().seq_cur")
    for number in range(25):
        at, size = chance.randint(1, 40), chance.randint(1, 4)
        step = chance.choice(
            [
                f":silent! {at},+{size}delete<CR>",
                f":silent! {at}<CR>:silent! put<CR>",
                f":silent! {at}<CR>onew {seed} {number}<Esc>",
                f":silent! {at},+{size}move 0<CR>",
                f":silent! {at},+{size}move $<CR>",
                "u",
                "<C-r>",
                f":silent! {at},+8!sort -R<CR>",
            ]
        )
        editor.type(step)
        editor.settle()
        text = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        for comment in editor.acp("comments"):
            line = f"line {comment['text'].split()[1]}"
            where = [row for row, each in enumerate(text, 1) if each == line]
            assert comment["moved"] is (not where), (number, step, comment, text)
            assert not where or comment["first"] in where, (number, step, comment, text)
            assert 1 <= comment["first"] <= len(text)
    editor.lua("vim.cmd('undo ' .. ...)", start)
    editor.settle()
    found = {each["text"]: each["first"] for each in editor.acp("comments")}
    assert found == {f"about {line}": line + 1 for line in lines}
