"""A file that an agent creates or deletes is one window and one hunk: `do` refuses it, and `u` takes that back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    delete_file,
    on_prompt,
    permission,
    script,
    tool,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import NOTES, read_disk, write
from tests.steps.proposals import DIFFS, NEW, OLD, get_outcomes, get_report, make_diff, open_old

Open = Callable[..., Editor]
TEXT = "return vim.api.nvim_buf_get_lines(0, 0, -1, false)"
WINDOWS = "return #vim.api.nvim_tabpage_list_wins(0)"
CREATED, GONE = "{cwd}/new.py", "{cwd}/gone.txt"
LONG = "".join(f"old line {n}\n" for n in range(1, 201))
DONE = tool("call", known=True, status="completed")


def ask(*content: dict[str, Any], kind: str = "edit") -> list[Any]:
    return permission("change files", kind=kind, content=list(content))


def begin(open_editor: Open, agent: ScriptedAgent, bar: str) -> Editor:
    """Open notes.txt and send a prompt; the proposal opens by itself, and the user goes there."""
    editor = open_old(open_editor, agent)
    (editor.project / "gone.txt").write_text(LONG)
    editor.acp("prompt", "go on")
    editor.screen.expect(bar)
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    return editor


@pytest.mark.parametrize(
    ("path", "old", "new", "kind", "bar"),
    [
        pytest.param(CREATED, None, "\nimport os\n", "edit", " new file · new.py · ", id="new"),
        pytest.param(
            GONE, LONG, "", "delete", " now · gone.txt · deletes the file · :w send · ", id="deleted"
        ),
    ],
)
def test_do_refuses_the_file_and_u_brings_it_back(
    open_editor: Open, tmp_path: Path, path: str, old: str | None, new: str, kind: str, bar: str
) -> None:
    agent = script(tmp_path, on_prompt("", ask(make_diff(path, old, new), kind=kind)))
    editor = begin(open_editor, agent, bar)
    shown = (old or new).splitlines()
    assert [editor.lua(DIFFS), editor.lua(WINDOWS)] == [0, 2]
    assert editor.lua("return { vim.fn.line('w0'), vim.fn.line('.') }") == [1, 1]
    assert "deletes the file" not in editor.lua("return vim.fn.execute('messages')")
    editor.type("do")
    editor.expect_lua(TEXT, [""])
    editor.screen.expect(":w rejects · :q later")
    editor.type("u")
    editor.expect_lua(TEXT, shown)
    editor.screen.expect(bar)
    editor.type("Gdo")
    editor.expect_lua(TEXT, [""])
    assert "E5108" not in editor.lua("return vim.fn.execute('messages')")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["no"]
    assert not (editor.project / "new.py").exists()
    assert (editor.project / "gone.txt").read_text() == LONG


@pytest.mark.parametrize("through", [True, False], ids=["through us", "on the disk"])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_files_refused_among_others_are_as_they_were(
    open_editor: Open, tmp_path: Path, through: bool, is_open: bool
) -> None:
    put = write if through else write_file
    agent = script(
        tmp_path,
        on_prompt(
            "go on",
            ask(
                make_diff(NOTES, OLD, NEW),
                make_diff(GONE, LONG, ""),
                make_diff(CREATED, None, "import os\n"),
                kind="delete",
            ),
            put(NOTES, NEW),
            put(CREATED, "import os\n"),
            delete_file(GONE),
            DONE,
        ),
        on_prompt("and now"),
    )
    editor = open_old(open_editor, agent, size=(200, 40))
    (editor.project / "gone.txt").write_text(LONG)
    if is_open:
        editor.type(":badd gone.txt<CR>:call bufload('gone.txt')<CR>")
    editor.acp("prompt", "go on")
    editor.screen.expect("notes.txt (1 of 3)")
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.screen.expect("gone.txt (2 of 3) · deletes the file · do refuse")
    editor.type("do")
    editor.screen.expect(":w rejects, next file")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.screen.expect("new.py (3 of 3)")
    editor.type("do")
    editor.screen.expect(":w rejects, sends the rest")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    wait_until(lambda: not (editor.project / "new.py").exists())
    assert (read_disk(editor), (editor.project / "gone.txt").read_text()) == (NEW, LONG)
    report = get_report(editor, agent)
    assert "new.py: the user wants no such file." in report
    assert "gone.txt: the user refused to delete it." in report


def test_all_files_refused_reject_the_proposal(open_editor: Open, tmp_path: Path) -> None:
    both = ask(make_diff(GONE, LONG, ""), make_diff(CREATED, None, "import os\n"), kind="delete")
    agent = script(tmp_path, on_prompt("", both))
    editor = begin(open_editor, agent, "gone.txt (1 of 2)")
    expect_answerable(editor)
    editor.type("do:w<CR>")
    editor.screen.expect("new.py (2 of 2)")
    editor.type("do")
    editor.screen.expect(":w rejects · :q later")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["no"]


def test_a_deleted_file_shows_what_the_user_makes_of_it_meanwhile(open_editor: Open, tmp_path: Path) -> None:
    """A refused one stays refused, and closing and opening the diff keeps that."""
    agent = script(tmp_path, on_prompt("", ask(make_diff(NOTES, OLD, ""), kind="delete")))
    editor = begin(open_editor, agent, "deletes the file")
    rename = "return vim.api.nvim_buf_set_lines(vim.fn.bufnr('^notes.txt$'), 0, 1, false, { 'first' })"
    editor.lua(rename)
    editor.expect_lua(TEXT, ["first", *OLD.splitlines()[1:]])
    editor.expect_lua("return vim.bo.modifiable", False)
    editor.type("do:q<CR>:Acp diff<CR>")
    editor.screen.expect(":w rejects")
    editor.expect_lua(TEXT, [""])
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["no"]
    assert read_disk(editor) == OLD


def test_what_is_one_change_as_a_whole_says_how_to_refuse_it(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask(make_diff(NOTES, "same\n", "other\n"))))
    editor = open_old(open_editor, agent, "same\nx\nsame\n")
    editor.acp("prompt", "edit it")
    editor.screen.expect("Scripted asks: change files")
    editor.type(":Acp diff<CR>")
    editor.screen.expect("now · The text to replace occurs more than once ")
    editor.type("do")
    editor.screen.expect("not refused: this change is taken or refused as a whole, :Acp reject refuses it")
    editor.expect_lua(TEXT, ["other"])


@pytest.mark.parametrize("through", [True, False], ids=["through us", "on the disk"])
@pytest.mark.parametrize("keys", ["do", ":%d<CR>"])
@pytest.mark.parametrize("way", ["unknown", "an empty buffer", "emptied first"])
def test_a_refused_new_file_among_others_is_not_there_not_even_empty(
    open_editor: Open, tmp_path: Path, through: bool, keys: str, way: str
) -> None:
    put = write if through else write_file
    empty = [write_file(CREATED, "")] if way == "emptied first" else []
    changes = [make_diff(NOTES, OLD, NEW), make_diff(CREATED, None, "import os\n")]
    steps = [put(NOTES, NEW), *empty, put(CREATED, "import os\n"), DONE]
    agent = script(tmp_path, on_prompt("go on", ask(*changes), *steps), on_prompt("and now"))
    editor = open_old(open_editor, agent, size=(200, 40))
    if way == "an empty buffer":
        editor.type(":edit new.py<CR>:buffer notes.txt<CR>")
    editor.acp("prompt", "go on")
    editor.screen.expect("notes.txt (1 of 2)")
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l:w<CR>")
    editor.screen.expect("new.py (2 of 2)")
    editor.type(keys)
    editor.screen.expect(":w rejects, sends the rest")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    report = get_report(editor, agent)
    assert "new.py: the user wants no such file." in report
    assert read_disk(editor) == NEW
    assert not (editor.project / "new.py").exists()
    editor.expect_lua(
        "return vim.fn.bufloaded('new.py') == 0 or vim.fn.getbufline('new.py', 1, '$')[1] == ''"
    )
