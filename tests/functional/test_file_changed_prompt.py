"""Neovim asks about a changed file (W12) when the user goes there, never because the plugin shows the buffer."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import mark, on_prompt, script, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit
from tests.steps.proposals import DIFFS, OLD, ask_edit, open_old

Open = Callable[..., Editor]
OTHERS = OLD.replace("line 20\n", "another program's\n")
SAID = "notes.txt has also changed on disk"


def change_under_unsaved_lines(editor: Editor) -> None:
    """The user types a line, and another program changes the file; Neovim has not looked."""
    editor.type("ggOmine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    (editor.project / "notes.txt").write_text(OTHERS)


def test_a_proposal_that_opens_by_itself_asks_nothing(open_editor: Open, tmp_path: Path) -> None:
    """The next key would answer: `l` loads the file and drops the unsaved lines."""
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    change_under_unsaved_lines(editor)
    editor.acp("prompt", "edit it")
    editor.wait_event("AcpQuestion")
    editor.expect_lua(DIFFS, 2)
    assert not editor.mode()["blocking"]
    editor.screen.expect(SAID)
    editor.type("l")
    editor.expect_lua(LINES, ["mine", *OLD.splitlines()])
    editor.type("<C-w>j:write<CR>")
    editor.screen.expect("Do you really want to write to it")
    editor.type("n")


def test_a_window_that_follows_asks_nothing(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    look = call_edit(NOTES, mark("named"), wait_file(str(go)))
    agent = script(tmp_path, on_prompt("", *look))
    editor = open_old(open_editor, agent)
    change_under_unsaved_lines(editor)
    editor.type(":vsplit other.txt<CR>:Acp follow<CR><C-w>w")
    editor.acp("prompt", "look at it")
    wait_until(lambda: agent.logged("mark"))
    editor.screen.expect(SAID)
    assert not editor.mode()["blocking"]
    editor.type("l")
    editor.expect_lua(LINES, ["mine", *OLD.splitlines()])
    go.touch()
    editor.wait_event("AcpTurnEnded")
