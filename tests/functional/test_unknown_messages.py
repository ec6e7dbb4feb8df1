"""A message between the halves that the other does not know: the plugin was updated while both ran."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, read_chat, send
from tests.steps.messages import expect_message

Open = Callable[..., Editor]


def answers(editor: Editor) -> None:
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert "Hello yourself." in read_chat(editor)


def test_a_call_that_lua_does_not_know_is_one_line_and_the_rest_is_done(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("Hello yourself."))))
    frame = "return require('acp_nvim.backend_calls').frame({ { 'fly', 1 }, { 'fill_prompt', 1, 'what I said' } })"
    assert editor.lua(frame) == []
    expect_message(editor, "the editor has no 'fly': restart Neovim after an update")
    editor.screen.expect("what I said")


def test_what_lua_says_in_a_call_that_fails_is_said_all_the_same(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("Hello yourself."))))
    editor.lua(
        """local backend = require('acp_nvim.backend.process')
        pcall(backend.answer, function()
          backend.notify('fly', {})
          error('a call that fails')
        end)"""
    )
    expect_message(editor, "the backend has no 'fly': restart Neovim after an update")
    answers(editor)


def test_a_command_that_the_backend_does_not_know_is_one_line(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("Hello yourself."))))
    editor.lua("require('acp_nvim.backend.process').notify('fly', {})")
    expect_message(editor, "the backend has no 'fly': restart Neovim after an update")
    answers(editor)


def test_a_command_that_does_not_fit_fails_its_test(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("Hello yourself."))))
    editor.lua("require('acp_nvim.backend.process').notify('recall', { session = 1, key = 'two' })")
    expect_message(editor, "recall: key: input should be a valid integer; restart Neovim after an update")
    answers(editor)
    assert editor.take_misfits() == ["recall: key: input should be a valid integer"]
