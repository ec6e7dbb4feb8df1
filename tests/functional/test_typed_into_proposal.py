"""Lines that the user types into the right side of a proposal are the user's: review neither counts nor undoes them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, read_disk, write
from tests.steps.proposals import (
    NEW,
    OLD,
    ask_edit,
    expect_closed,
    get_outcomes,
    make_diff,
    open_diff,
    open_old,
    write_through,
)
from tests.steps.review import PENDING, list_hunks

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


# --- what is left of the agent's in a hunk that the user has edited

FUNCTION = "def twice(n):\n    return n * 2\n"
FUNCTIONS = """def twice(n):
    return 2 * n


def half(n):
    return n / 2


def third(n):
    return n / 3
"""


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize(
    ("keys", "plus", "rest"),
    [
        ("5GA  # mine<Esc>", 8, "def twice(n):\n    return n * 2\ndef half(n):  # mine\n"),
        ("10GA  # mine<Esc>", 8, "def twice(n):\n    return n * 2\n    return n / 3  # mine\n"),
        ("2GA  # mine<Esc>", 8, "def twice(n):\n    return 2 * n  # mine\n"),
        ("7Gomine<Esc>", 9, "def twice(n):\n    return n * 2\nmine\n"),
        ("9Gdd", 8, FUNCTION),
    ],
)
def test_an_edited_line_of_a_hunk_leaves_the_rest_of_it_the_agents(
    open_editor: Open, tmp_path: Path, way: str, keys: str, plus: int, rest: str
) -> None:
    put = (write if way == "through us" else write_file)(NOTES, FUNCTIONS)
    ask = ask_edit(make_diff(old=FUNCTION, new=FUNCTIONS))
    agent = script(tmp_path, on_prompt("", ask, put, tool("call", known=True, status="completed")))
    editor = open_old(open_editor, agent, FUNCTION)
    open_diff(editor)
    editor.type(keys + ":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp<CR><C-w>t")
    editor.screen.expect(f"± notes.txt +{plus}")
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(LINES, rest.splitlines())
    editor.type("<C-w>t:w<CR>")
    wait_until(lambda: read_disk(editor) == rest)


# --- beside unsaved lines

FAR, NEAR, ON = "1Gccunsaved<Esc>", "11Gccunsaved<Esc>", "10Gccunsaved<Esc>"


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize("saves", ["", "before", "after"])
@pytest.mark.parametrize("unsaved", [FAR, NEAR, ON], ids=["far", "near", "over a hunk"])
@pytest.mark.parametrize("when", ["before", "later"])
def test_a_typed_line_is_the_users_whatever_is_unsaved(
    open_editor: Open, tmp_path: Path, way: str, saves: str, unsaved: str, when: str
) -> None:
    """One hunk is refused, a line typed: both hold, in the buffer and on the disk, and after an undo."""
    go = tmp_path / "go"
    put = (write if way == "through us" else write_file)(NOTES, NEW)
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", ask_edit(), wait_file(str(go)), put, done))
    editor = open_old(open_editor, agent)
    if when == "before":
        editor.type(unsaved)
    open_diff(editor)
    if when == "later":
        editor.type(f"<C-w>h{unsaved}<C-w>l")
    if saves == "before":
        editor.type("<C-w>h:w<CR><C-w>l")
    editor.expect_lua("return vim.fn.search('unsaved', 'nw') > 0", unsaved != ON)
    editor.type("/SEVENTEEN<CR>do5Gomine<Esc>")
    expect_answerable(editor)
    editor.type(":w<CR>")
    wait_until(lambda: get_outcomes(agent) == ["yes"])
    expect_closed(editor)
    if saves == "after":
        editor.type("<C-w>t:w<CR>")
        editor.expect_lua("return vim.bo.modified", False)
        editor.type(":Acp why<CR>")  # the backend has heard of it once it answers
        editor.screen.expect("you sent your version")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    wanted = NEW.replace("SEVENTEEN", "line 17").replace("line 5\n", "line 5\nmine\n").splitlines()
    typed = OLD.replace("line 5\n", "line 5\nmine\n").splitlines()
    if unsaved != ON:
        row = 0 if unsaved == FAR else 11
        wanted[row] = typed[row] = "unsaved"
    else:
        typed[10] = "unsaved"
    editor.expect_lua(LINES, wanted)
    assert editor.acp("questions") == []
    editor.type("<C-w>t:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor).splitlines() == wanted
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(LINES, typed)
    assert read_disk(editor).splitlines() == typed


@pytest.mark.parametrize("way", ["through us", "on disk"])
@pytest.mark.parametrize("keys", [FAR, NEAR, f"{FAR}:w<CR>", f"{NEAR}:w<CR>"])
def test_a_typed_line_is_the_users_whatever_follows_the_decision(
    open_editor: Open, tmp_path: Path, way: str, keys: str
) -> None:
    go = tmp_path / "go"
    put = (write if way == "through us" else write_file)(NOTES, NEW)
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", ask_edit(), wait_file(str(go)), put, done))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("/SEVENTEEN<CR>do5Gomine<Esc>:w<CR>")
    wait_until(lambda: get_outcomes(agent) == ["yes"])
    expect_closed(editor)
    editor.type(f"<C-w>t{keys}")
    editor.type(":Acp why<CR>")  # the backend has heard of it once it answers
    editor.screen.expect("you sent your version")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    wanted = NEW.replace("SEVENTEEN", "line 17").replace("line 5\n", "line 5\nmine\n").splitlines()
    typed = OLD.replace("line 5\n", "line 5\nmine\n").splitlines()
    row = 0 if keys.startswith(FAR) else 11
    wanted[row] = typed[row] = "unsaved"
    editor.expect_lua(LINES, wanted)
    assert editor.acp("questions") == []
    editor.type("<C-w>t:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert read_disk(editor).splitlines() == wanted
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(LINES, typed)
    assert read_disk(editor).splitlines() == typed


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_line_typed_into_a_new_file_stays_in_it(open_editor: Open, tmp_path: Path, way: str) -> None:
    path = "{cwd}/new.py"
    put = (write if way == "through us" else write_file)(path, "import os\nimport sys\n")
    ask = ask_edit(make_diff(path, None, "import os\nimport sys\n"))
    agent = script(tmp_path, on_prompt("", ask, put, tool("call", known=True, status="completed")))
    editor = open_old(open_editor, agent)
    editor.acp("prompt", "go on")
    editor.screen.expect("new file · new.py")
    editor.type("<C-w>t2GOimport mine<Esc>")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert read_disk(editor, "new.py") == "import os\nimport mine\nimport sys\n"
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp undo all<CR>")
    wait_until(lambda: read_disk(editor, "new.py") == "import mine\n")
