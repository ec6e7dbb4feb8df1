"""Files behind `:Acp` are named as in Vim: `%`, `#`, `%:h`, `~`; what an agent names is taken as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]


@pytest.fixture
def editor(open_editor: Open, tmp_path: Path) -> Editor:
    """Two files have been edited, the second one is in the window; a turn has ended."""
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("So."))))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    folder = editor.project / "a [x] folder"
    folder.mkdir()
    editor.type("<Esc>:Acp close<CR>")
    for name in ("first.txt", "second.txt"):
        (folder / name).write_text(f"{name}\n")
        editor.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(folder / name))
    return editor


EXPORTS = [
    ("%:h/out.md", "project/a [x] folder/out.md"),
    ("%:r.md", "project/a [x] folder/second.md"),
    ("#.md", "project/a [x] folder/first.txt.md"),
    ("~/out.md", "home/out.md"),
    ("\\%", "project/%"),
    ("%20out.md", "project/%20out.md"),
    ("100%.md", "project/100%.md"),
    ("a\\ b.md", "project/a b.md"),
    ("c d.md", "project/c d.md"),
]


def test_an_export_goes_where_vim_would_write(editor: Editor) -> None:
    for typed, file in EXPORTS:
        path = editor.home.parent / file
        editor.lua("vim.cmd.echo() vim.cmd('Acp export ' .. ...)", typed)
        editor.screen.expect(path.name)
        editor.expect_lua("return vim.fn.filereadable(...)", 1, str(path))


def test_a_trace_is_saved_and_played_by_such_a_name(editor: Editor) -> None:
    wanted = editor.project / "a [x] folder" / "wire.jsonl"
    editor.type(":Acp trace save %:h/wire.jsonl<CR>")
    editor.screen.expect("messages in")
    assert wanted.exists()
    editor.type(":Acp replay %:h/wire.jsonl<CR>")
    editor.expect_lua("return require('acp_nvim').status().agent", "replay")


def test_a_new_session_has_such_roots(editor: Editor) -> None:
    (editor.project / "my dir").mkdir()
    wanted = [str(editor.project / name) for name in ("a [x] folder", "my dir")]
    origin = "return require('acp_nvim.backend.session_store').session(...).origin.roots"
    for n, typed in ((2, "%:h my\\ dir"), (3, "my dir/")):
        editor.lua("vim.cmd('Acp new agent0 ' .. ...)", typed)
        assert editor.lua(origin, n) == wanted[n - 2 :][: 4 - n]


def test_a_name_with_a_blank_is_completed_as_it_is_taken(editor: Editor) -> None:
    (editor.project / "my dir").mkdir()
    (editor.project / "my dir" / "wi re.jsonl").write_text("")
    complete = "return vim.fn.getcompletion('Acp ' .. ..., 'cmdline')"
    for command in ("add", "add image", "export", "replay", "trace save", "new agent0"):
        assert editor.lua(complete, f"{command} my") == ["my\\ dir/"]
    assert editor.lua(complete, "replay my\\ dir/wi\\ ") == ["my\\ dir/wi\\ re.jsonl"]
    editor.type(":Acp replay my<Tab>wi<Tab><CR>")
    editor.screen.expect("the file is empty")


def test_files_go_along_by_such_names(editor: Editor) -> None:
    editor.type(":Acp add #<CR>")
    editor.screen.expect("first.txt to the prompt")
    editor.type("<C-w>p:Acp add %:p<CR>")
    editor.screen.expect("second.txt to the prompt")


def test_where_there_is_no_file_nothing_happens(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path))
    before = sorted(editor.project.iterdir())
    for command, name in (
        ("export %:h/x", "%"),
        ("trace save #5", "#5"),
        ("replay %", "%"),
        ("add #7", "#7"),
        ("new agent0 %:h", "%"),
    ):
        editor.type(f":Acp {command}<CR>")
        editor.screen.expect(f"there is no file for '{name}'")
        assert sorted(editor.project.iterdir()) == before
        assert len(editor.acp("sessions")) == 1
