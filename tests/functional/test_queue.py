"""Prompts that wait while a turn runs: held by a cancel, released, edited in a buffer, given back to the history."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    on_prompt,
    say,
    script,
    wait,
)
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]


@pytest.mark.statement(62)
def test_prompts_queue_are_held_by_a_cancel_and_released(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("got it"))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "first")
    editor.screen.expect("busy")
    send(editor, "second")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.screen.expect("1 queued")
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("1 paused")
    assert len(agent.got("session/prompt")) == 1
    editor.type(":Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("got it")


def test_the_queue_is_an_editable_buffer(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("got it"))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "first")
    editor.screen.expect("busy")
    send(editor, "secand")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.type(":Acp queue<CR>")
    editor.screen.expect("secand")
    editor.expect_lua("return vim.fn.search('secand', 'cw') > 0", True)
    editor.type(":%s/secand/second/<CR>:w<CR>:q<CR>:Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert agent.got("session/prompt")[1]["params"]["prompt"][0]["text"] == "second"


def test_prompt_with_a_bang_cancels_waits_and_sends(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("got it"))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "first")
    editor.screen.expect("busy")
    editor.type(":Acp prompt! do this<CR>")
    editor.screen.expect("got it")
    assert editor.wait_event("AcpTurnEnded")["stop_reason"] == "cancelled"


def test_cancel_with_a_bang_puts_the_queue_into_the_history(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("first", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent)
    send(editor, "first")
    editor.screen.expect("busy")
    send(editor, "not yet")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.type(":Acp cancel!<CR>")
    editor.wait_event("AcpTurnEnded")
    assert editor.acp("status")["queue"] == 0
    editor.type(":Acp<CR><C-p>")
    editor.expect_lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false))", "not yet")


def test_edit_in_the_queue_shows_it_again(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("ok"))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "first")
    editor.screen.expect("busy")
    send(editor, "one")
    send(editor, "two")
    editor.expect_lua("return require('acp_nvim').status().queue", 2)
    editor.type(":Acp queue<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_queue")
    shown = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    editor.type("ggccmine<Esc>:edit!<CR>")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", shown)
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, 1, false)", ["mine"])
    editor.type(":edit!<CR>:w<CR>:q<CR>:Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    sent = [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]
    assert sent == ["first", "one", "two"]
