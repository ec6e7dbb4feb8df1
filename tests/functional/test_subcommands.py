"""`:Acp` takes the beginning of a subcommand's name where only one subcommand begins so."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat

Open = Callable[..., Editor]


def test_the_beginning_of_a_name_is_enough_where_it_is_the_only_one(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("got it"))), size=(120, 30))
    editor.type("<Esc>:Acp prom hello<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("got it")
    editor.type(":Acp sess<CR>")
    editor.screen.expect("go to")
    editor.type("q:Acp re<CR>")
    editor.screen.expect(lambda screen: "'re' may be redo, " in screen.text() and "review" in screen.text())
    editor.type(":Acp clo it<CR>")
    editor.screen.expect(":Acp close takes no argument")
    editor.type(":Acp can!<CR>")
    editor.screen.expect("nothing is running")
    editor.type(":Acp trance<CR>")
    editor.screen.expect("no subcommand 'trance': did you mean 'trace'?")
    assert editor.mode() == {"mode": "n", "blocking": False}


def test_an_exact_name_wins_and_completion_is_as_before(editor: Editor) -> None:
    completed = "return vim.fn.getcompletion(..., 'cmdline')"
    assert set(editor.lua(completed, "Acp ke")) == {"keep"}
    assert "sessions" in editor.lua(completed, "Acp sess")
    assert editor.lua(completed, "Acp trac o") == ["on", "off"]
    assert editor.lua(completed, "Acp re o") == []
    editor.type(":Acp log<CR>")  # `login` and `logout` begin so, too
    editor.expect_lua("return vim.bo.filetype", "acp_log")


def test_what_is_not_there_names_what_is(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("hello"))), size=(80, 24))
    editor.type("<Esc>:Acp open 99<CR>")
    editor.screen.expect("no session 99. Open: 1")
    editor.type(f":Acp new agent0 {tmp_path}/nowhere<CR>")
    editor.screen.expect("no such folder: ")
    assert len(editor.acp("sessions")) == 1, "nothing is started"
