"""`do` on the right side of a proposal refuses the whole hunk under the cursor, whatever 'diffopt' says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, tool, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, read_disk, write
from tests.steps.proposals import (
    NEW,
    OLD,
    ask_edit,
    get_outcomes,
    get_report,
    make_diff,
    open_diff,
    open_old,
)
from tests.steps.review import PENDING

Open = Callable[..., Editor]
RIGHT = "return vim.api.nvim_buf_get_lines(0, 0, -1, false)"


def lines_of(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


FEWER = OLD.replace(lines_of(3, 6), "line 5 and more\n")
MORE = OLD.replace(lines_of(3, 4), "line 3 now\nbetween\nline 4 now\n")


@pytest.mark.parametrize(
    ("changed", "keys"),
    [
        pytest.param(FEWER, "3G", id="fewer lines"),
        pytest.param(MORE, "3G", id="first of more lines"),
        pytest.param(MORE, "4G", id="middle of more lines"),
        pytest.param(MORE, "6G", id="below the hunk"),
        pytest.param(OLD.replace(lines_of(3, 6), ""), "3G", id="below removed lines"),
        pytest.param(OLD.replace(lines_of(1, 2), ""), "gg", id="below the removed beginning"),
        pytest.param(OLD.replace("line 3\n", "line 3\nnew\nnew\n"), "5G", id="added lines"),
    ],
)
def test_the_hunk_under_the_cursor_goes_and_no_other(
    open_editor: Open, tmp_path: Path, changed: str, keys: str
) -> None:
    new, wanted = (text.replace("line 15\n", "FIFTEEN\n") for text in (changed, OLD))
    agent = script(
        tmp_path,
        on_prompt(
            "", ask_edit(make_diff(new=new)), write(NOTES, new), tool("call", known=True, status="completed")
        ),
    )
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(f"{keys}do")
    editor.expect_lua(RIGHT, wanted.splitlines())
    editor.type("u")
    editor.expect_lua(RIGHT, new.splitlines())
    expect_answerable(editor)
    editor.type(f"{keys}do:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == wanted


def test_a_removed_end_comes_back_on_the_last_line(open_editor: Open, tmp_path: Path) -> None:
    new = OLD.replace(lines_of(18, 20), "")
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(new=new)), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("Gdo")
    editor.expect_lua(RIGHT, OLD.splitlines())
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpAnswered")
    wait_until(lambda: get_outcomes(agent) == ["no"])


def test_a_line_without_a_change_stays(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(new=MORE)), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("8Gdo")
    editor.screen.expect("not refused: no hunk is under the cursor, ]c goes to the next")
    editor.type("9Gccnine<Esc>")
    editor.expect_lua(RIGHT, MORE.replace("line 8\n", "nine\n").splitlines())


@pytest.mark.parametrize(
    ("keys", "line_three_on"),
    [
        pytest.param("4Gccmine<Esc>3Gdo", "line 3\nmine\nline 4 now\n", id="above what was typed"),
        pytest.param("4Gccmine<Esc>5Gdo", "line 3 now\nmine\n", id="below what was typed"),
        pytest.param("4Gccmine<Esc>3Gdo5Gdo", "line 3\nmine\n", id="both"),
        pytest.param("3GA, mine<Esc>4Gdo", "line 3 now, mine\nline 4\n", id="what is left of it"),
        pytest.param("3Gomine<Esc>3Gdo", "line 3\nmine\nbetween\nline 4 now\n", id="above a new line"),
    ],
)
def test_what_the_user_has_typed_in_a_hunk_stays_when_it_is_refused(
    open_editor: Open, tmp_path: Path, keys: str, line_three_on: str
) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(new=MORE)), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(keys)
    wanted = OLD.replace(lines_of(3, 4), line_three_on)
    editor.expect_lua(RIGHT, wanted.splitlines())
    editor.type("u")
    editor.expect_lua(RIGHT, lambda now: now != wanted.splitlines())
    editor.type("<C-r>")
    editor.expect_lua(RIGHT, wanted.splitlines())


def test_a_hunk_of_the_users_alone_is_taken_back(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(new=MORE)), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("9Gccmine<Esc>do")
    editor.expect_lua(RIGHT, MORE.splitlines())
    editor.type("9Gccmine<Esc>3Gdo8Gdo")
    editor.expect_lua(RIGHT, OLD.splitlines())


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_hunks_that_go_by_other_keys_are_refused_as_well(open_editor: Open, tmp_path: Path, way: str) -> None:
    """Neovim's own commands put a hunk back, from either side; what was typed stays the user's."""
    put = (write if way == "through us" else write_file)(NOTES, NEW)
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("edit", ask_edit(), put, done), on_prompt("and now"))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("5Gomine<Esc><C-w>h3Gdp<C-w>l")
    editor.expect_lua("return vim.fn.getline(3)", "line 3")
    editor.type("11G:.diffget<CR>")
    editor.expect_lua("return vim.fn.getline(11)", "line 10")
    editor.type("u")
    editor.expect_lua("return vim.fn.getline(11)", "TEN")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    typed = OLD.replace("line 5\n", "line 5\nmine\n")
    wanted = typed.replace("line 10\n", "TEN\n").replace("line 17\n", "SEVENTEEN\n")
    editor.expect_lua(LINES, wanted.splitlines())
    assert read_disk(editor) == wanted
    editor.type("<C-w>t:Acp undo all<CR>")
    editor.expect_lua(LINES, typed.splitlines())
    assert "-THREE" in get_report(editor, agent)


@pytest.mark.parametrize(
    ("keys", "hunks", "typed"),
    [
        ("3Gdou5Gomine<Esc>", 3, {5: "line 5\nmine"}),
        ("3Gdou3Gdo5Gomine<Esc>u", 2, {}),
        ("3Gdo5Gomine<Esc>uu<C-r>", 2, {}),
        ("3Gccmine<Esc>uu10Gdo", 2, {}),
        ("3Gdo10Gdo17Gdo:earlier 2<CR>", 2, {}),
    ],
)
def test_u_takes_back_whose_line_is_whose(
    open_editor: Open, tmp_path: Path, keys: str, hunks: int, typed: dict[int, str]
) -> None:
    """All keys come at once, as in a macro."""
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", ask_edit(), write(NOTES, NEW), done))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(keys)
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, hunks)
    editor.type("<C-w>t:Acp undo all<CR>")
    stays = [typed.get(number, line) for number, line in enumerate(OLD.splitlines(), 1)]
    editor.expect_lua(LINES, "\n".join(stays).split("\n"))
