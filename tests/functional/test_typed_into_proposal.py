"""Lines that the user types into the right side of a proposal are the user's: review neither counts nor undoes them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, script, tool, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, read_disk
from tests.steps.proposals import NEW, OLD, ask_edit, open_diff, open_old, write_through
from tests.steps.review import list_hunks

Open = Callable[..., Editor]


def decide(open_editor: Open, tmp_path: Path, way: str, keys: str, is_open: bool = True) -> Editor:
    """The user types these keys on the right side, and sends it."""
    done = tool("call", known=True, status="completed")
    steps: tuple[Any, ...] = (ask_edit(), write_file(NOTES, NEW), done)
    agent = script(tmp_path, on_prompt("", *(write_through() if way == "through us" else steps)))
    editor = open_old(open_editor, agent)
    if not is_open:
        editor.type(":enew | bwipeout! notes.txt<CR>")
    open_diff(editor)
    editor.type(keys + ":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 1)
    return editor


def describe(editor: Editor) -> list[tuple[list[str], list[str]]]:
    return [(each["old"], each["new"]) for each in list_hunks(editor) if each["state"] == "pending"]


CASES = [
    ("5Gomine<Esc>", [("3", "THREE"), ("10", "TEN"), ("17", "SEVENTEEN")], {5: "line 5\nmine"}),
    ("3Gomine<Esc>", [("3", "THREE"), ("10", "TEN"), ("17", "SEVENTEEN")], {3: "line 3\nmine"}),
    ("5Gccmine<Esc>", [("3", "THREE"), ("10", "TEN"), ("17", "SEVENTEEN")], {5: "mine"}),
    ("5Gdd", [("3", "THREE"), ("10", "TEN"), ("17", "SEVENTEEN")], {5: None}),
    (
        "3Gccmine<Esc>",
        [("10", "TEN"), ("17", "SEVENTEEN")],
        {3: "mine"},
    ),  # leaves the hunk as it would in review
    ("3Gdo10Gomine<Esc>", [("10", "TEN"), ("17", "SEVENTEEN")], {10: "line 10\nmine"}),
]


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize(("keys", "hunks", "typed"), CASES)
def test_lines_of_the_user_are_no_hunks(
    open_editor: Open,
    tmp_path: Path,
    way: str,
    keys: str,
    hunks: list[tuple[str, str]],
    typed: dict[int, str | None],
) -> None:
    editor = decide(open_editor, tmp_path, way, keys)
    assert describe(editor) == [([f"line {old}"], [new]) for old, new in hunks]
    editor.type(":Acp review<CR>")
    title = "return vim.fn.getqflist({ title = 0 }).title"
    editor.expect_lua(title, f"turn 1: notes.txt +{len(hunks)} −{len(hunks)}")
    editor.type(":Acp undo all<CR>")
    stays: list[str] = []
    for number, line in enumerate(OLD.splitlines(), 1):
        text = typed.get(number, line)
        stays += [] if text is None else text.split("\n")
    editor.expect_lua(LINES, stays)
    assert read_disk(editor).splitlines() == stays


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_the_same_of_a_file_that_no_buffer_holds(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor = decide(open_editor, tmp_path, way, "5Gomine<Esc>", is_open=False)
    assert describe(editor) == [(["line 3"], ["THREE"]), (["line 10"], ["TEN"]), (["line 17"], ["SEVENTEEN"])]
