"""A write meets a user in the middle of something: it waits, and the command does what it was begun for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, get_answers, open_notes, write

pytestmark = pytest.mark.every_nvim
Open = Callable[..., Editor]
MODE = "return vim.api.nvim_get_mode().mode"
WAITS = "return #vim.api.nvim_get_autocmds({ group = 'acp_nvim.documents.locked' }) > 0"
TEXT = "first\nsecond\nxone\nxtwo\nxthree\n"


def begun(open_editor: Open, tmp_path: Path, way: str, new: str, text: str = TEXT) -> tuple[Editor, Path]:
    """The agent is about to write: by way of the editor, or on disk under the buffer."""
    go = tmp_path / "go"
    steps = {
        "editor": [mark("named"), wait_file(str(go)), write(NOTES, new)],
        "disk": call_edit(NOTES, mark("named"), wait_file(str(go)), write_file(NOTES, new)),
    }
    agent = script(tmp_path, on_prompt("", *steps[way]))
    editor = open_notes(open_editor, agent, text=text)
    editor.acp("prompt", "write")
    wait_until(lambda: agent.logged("mark"))
    return editor, go


def waits(editor: Editor) -> None:
    """The write has come and was put off; Neovim before 0.12 does not even answer at a prompt."""
    if not editor.mode()["blocking"]:
        editor.expect_lua(WAITS)


ways = pytest.mark.parametrize("way", ["editor", "disk"])


@ways
def test_a_substitution_that_asks_hits_its_own_lines(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, go = begun(open_editor, tmp_path, way, "new\n" + TEXT)
    editor.type(":%s/x/y/gc<CR>")
    editor.screen.expect("replace with y")
    go.touch()
    waits(editor)
    editor.ask("nvim_input", "yyy")
    editor.expect_lua(LINES, ["new", "first", "second", "yone", "ytwo", "ythree"])
    editor.wait_event("AcpTurnEnded")


@ways
def test_a_pending_operator_takes_its_own_lines(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, go = begun(open_editor, tmp_path, way, "new\n" + TEXT)
    editor.type("3Gd")
    editor.expect_lua(MODE, "no")
    go.touch()
    waits(editor)
    assert editor.lua(LINES) == TEXT.split()
    editor.type("4G")
    editor.expect_lua(LINES, ["new", "first", "second", "xthree"])
    editor.wait_event("AcpTurnEnded")


@ways
def test_a_pattern_after_an_operator_is_waited_for(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, go = begun(open_editor, tmp_path, way, "new\n" + TEXT)
    editor.type("3Gd/xth")
    editor.expect_lua(MODE, "c")
    go.touch()
    waits(editor)
    editor.type("<CR>")
    editor.expect_lua(LINES, ["new", "first", "second", "xthree"])
    editor.wait_event("AcpTurnEnded")


@ways
def test_a_completion_stays_where_it_was_begun(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor, go = begun(open_editor, tmp_path, way, "new\n" + TEXT)
    editor.type("Gox<C-n>")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    go.touch()
    waits(editor)
    editor.type("<C-n>")
    editor.expect_lua("return vim.fn.getline('.')", lambda line: line in TEXT.split())
    word = editor.lua("return vim.fn.getline('.')")
    editor.type("<C-y> mine")
    editor.expect_lua(LINES, ["new", *TEXT.split(), f"{word} mine"])
    editor.wait_event("AcpTurnEnded")


def test_other_buffers_wait_for_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor, go = begun(open_editor, tmp_path, "editor", "new\n")
    editor.type(":split other.txt<CR>ione<Esc>d")
    editor.expect_lua(MODE, "no")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(LINES) == ["new"]
    assert editor.lua(MODE) == "no"


def test_the_user_is_told_once_what_waits(open_editor: Open, tmp_path: Path) -> None:
    editor, go = begun(open_editor, tmp_path, "editor", "new\n" + TEXT)
    editor.type("3Gd")
    editor.expect_lua(MODE, "no")
    go.touch()
    line = "a write to notes.txt waits until you finish the command"
    editor.screen.expect(line)
    assert not editor.mode()["blocking"]
    editor.type("d")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua("return vim.fn.execute('messages')").count(line) == 1


def test_cancelling_the_turn_ends_the_waiting(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", mark("named"), wait_file(str(go)), write(NOTES, "new\n")))
    editor = open_notes(open_editor, agent, text=TEXT)
    editor.acp("prompt", "write")
    wait_until(lambda: agent.logged("mark"))
    editor.type("3Gd")
    editor.expect_lua(MODE, "no")
    go.touch()
    editor.expect_lua(WAITS)
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")
    assert [answer.get("code") for answer in get_answers(agent)] == [-32800]
    assert editor.lua(MODE) == "no"
    editor.type("d")
    editor.expect_lua(LINES, ["first", "second", "xtwo", "xthree"])
    assert (editor.project / "notes.txt").read_text() == TEXT


@ways
@pytest.mark.parametrize("keys", ["v", "V", "<C-v>", "v$"])
def test_a_selection_keeps_its_text(open_editor: Open, tmp_path: Path, way: str, keys: str) -> None:
    editor, go = begun(open_editor, tmp_path, way, "new\nnewer\n" + TEXT)
    editor.type(f"4G2l{keys}jh")
    editor.expect_lua("return vim.fn.line('.')", 5)
    mode = editor.lua(MODE)
    region = (
        "return { vim.fn.getline(vim.fn.line('v')), vim.fn.col('v'), vim.fn.getline('.'), vim.fn.col('.') }"
    )
    before = editor.lua(region)
    go.touch()
    editor.expect_lua("return vim.fn.getline(1)", "new")
    assert editor.lua(MODE) == mode
    assert editor.lua(region) == before
    editor.wait_event("AcpTurnEnded")
    editor.type("d")
    editor.expect_lua("return vim.fn.getline(5)", "xone")
    assert editor.lua("return vim.fn.getline(1, 2)") == ["new", "newer"]
