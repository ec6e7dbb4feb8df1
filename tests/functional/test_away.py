"""The user is elsewhere: in another program, or about to quit while a turn runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, permission, say, script, wait, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, open_chat, send
from tests.steps.proposals import make_diff

Open = Callable[..., Editor]
# Neovim 0.10 has no such function: there its standard output is the terminal
SPY = "_G.rung = {} vim.api.nvim_ui_send = function(text) table.insert(_G.rung, text) end"


@pytest.mark.every_nvim
@pytest.mark.parametrize(
    ("away", "rings"), [("bell", ["\7"]), ("osc9", ["\33]9;Scripted needs you\7"]), ("none", [])]
)
def test_the_terminal_rings_once_while_the_user_is_away(
    open_editor: Open, tmp_path: Path, away: str, rings: list[str]
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), permission("May I?"), say("So.")))
    editor = open_chat(open_editor, agent, setup={"away": away}, init=SPY)
    send(editor, "one")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.type("<Esc>:echo 'here'<CR>")
    editor.screen.expect("here")
    assert editor.lua("return _G.rung") == [], "the user is before it"
    expect_key(editor, "g1")
    editor.type("g1")
    editor.wait_event("AcpTurnEnded")
    go.unlink()
    send(editor, "two")
    editor.wait_event("AcpTurnStarted", turn=2)
    editor.lua("vim.api.nvim_exec_autocmds('FocusLost', {})")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.expect_lua("return _G.rung", rings)
    editor.lua("require('acp_nvim').answer(require('acp_nvim').questions()[1].id, 'yes')")
    editor.wait_event("AcpTurnEnded", turn=2)
    assert editor.lua("return _G.rung") == rings, "once"
    editor.lua("vim.api.nvim_exec_autocmds('FocusGained', {})")
    send(editor, "three")
    editor.lua("vim.api.nvim_exec_autocmds('FocusLost', {})")
    editor.wait_event("AcpQuestion")
    editor.expect_lua("return #_G.rung", 2 * len(rings))


@pytest.mark.parametrize("quit", [":qa", ":wqa"])
def test_quitting_amid_a_turn_asks_once(open_editor: Open, tmp_path: Path, quit: str) -> None:
    agent = script(tmp_path, on_prompt("", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent)
    send(editor, "hello there")
    editor.screen.expect("busy")
    editor.type(f"<Esc>{quit}<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    editor.screen.expect("Scripted: hello there")
    editor.type("q")
    editor.screen.expect_gone("A turn is running")
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")
    assert editor.lua("return vim.api.nvim_get_mode()") == {"mode": "n", "blocking": False}
    editor.type(f"{quit}<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    editor.type(f"{quit}<CR>")
    assert editor.wait_exit() == 0


@pytest.mark.every_nvim
def test_quitting_by_a_mapping_asks_too(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent, init="vim.keymap.set('n', 'Q', '<Cmd>qa<CR>')")
    send(editor, "hello")
    editor.screen.expect("busy")
    editor.type("<Esc>Q")
    editor.screen.expect(lambda screen: "A turn is running" in screen.text() or "E162" in screen.text())
    if editor.mode()["blocking"]:  # Neovim 0.10 waits behind its own error
        editor.type("<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    assert not editor.mode()["blocking"]
    editor.type("Q")
    assert editor.wait_exit() == 0


def test_a_proposal_that_is_being_edited_is_sent_as_ever(open_editor: Open, tmp_path: Path) -> None:
    change = make_diff(path="{cwd}/a.txt", old="one\n", new="two\n")
    agent = script(tmp_path, on_prompt("", permission("edit", kind="edit", content=[change])))
    editor = open_chat(open_editor, agent, size=(140, 40))
    (editor.project / "a.txt").write_text("one\n")
    send(editor, "change")
    editor.wait_event("AcpQuestion")
    editor.type("<Esc>:Acp diff<CR>")
    editor.expect_lua("return vim.b.acp_question ~= nil")
    expect_answerable(editor)
    editor.type("ccmine<Esc>:wqa<CR>")
    assert editor.wait_exit() == 0


def test_quitting_by_q_in_the_last_window_asks_too(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.screen.expect("busy")
    editor.type("<Esc>:Acp close<CR>:q<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    editor.type(":qa<CR>")
    assert editor.wait_exit() == 0


def test_leaving_the_question_is_staying(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.screen.expect("busy")
    editor.type("<Esc>:qa<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    editor.type("<C-w>t")
    editor.screen.expect_gone("A turn is running")
    editor.type("ichanged<Esc>:qa<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")
    editor.type(":qa<CR>")
    editor.screen.expect_gone("A turn is running")
    editor.type("<CR>:bwipeout!<CR>:qa<CR>")
    assert editor.wait_exit() == 0


def test_closing_a_chat_that_floats_is_no_quitting(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("busy"), wait("session/cancel")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "float"}})
    send(editor, "hello")
    editor.screen.expect("busy")
    editor.type("<Esc>:q<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.screen.expect_gone("A turn is running")
    editor.type(":q<CR>")
    editor.screen.expect("A turn is running. Quitting ends it.")


def test_quitting_with_nothing_running_asks_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("So."))))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:qa<CR>")
    assert editor.wait_exit() == 0
