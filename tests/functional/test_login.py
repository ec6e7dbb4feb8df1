"""Logging in: by the agent itself, by a choice, by a program in a real terminal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, error, on, on_prompt, result, say, script
from tests.functional.editor import Editor

Open = Callable[..., Editor]
REFUSED = error(-32000, "log in")
STATE = "return require('acp_nvim').status().state"


def agent_of(tmp_path: Path, *methods: Any, times: int = 1) -> ScriptedAgent:
    info = {"name": "scripted", "title": "Scripted", "version": "1"}
    capabilities = {"auth": {"logout": {}}}
    answer = {
        "protocolVersion": 1,
        "agentInfo": info,
        "agentCapabilities": capabilities,
        "authMethods": methods,
    }
    refused = on("session/new", REFUSED, times=times)
    return script(tmp_path, on("initialize", result(answer)), refused, on_prompt("", say("Here I am.")))


def locked(open_editor: Open, agent: ScriptedAgent) -> Editor:
    editor = open_editor(setup={"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}})
    editor.type(":Acp<CR>")
    editor.expect_lua(STATE, "auth")
    return editor


@pytest.mark.statement(31, 32)
def test_what_was_typed_before_the_login_goes_out_after_it(open_editor: Open, tmp_path: Path) -> None:
    agent = agent_of(tmp_path, {"id": "key", "name": "API key", "description": "a paper key"})
    editor = locked(open_editor, agent)
    editor.screen.expect("key: API key: a paper key")
    editor.screen.expect("needs login")
    editor.type("ihello<Esc><CR>")
    editor.screen.expect("the prompt waits")
    assert not agent.got("session/prompt")
    editor.type(":Acp login<CR>")
    editor.screen.expect("Here I am.")
    assert [message["params"] for message in agent.got("authenticate")] == [{"methodId": "key"}]
    editor.type(":Acp logout<CR>")
    editor.expect_lua(STATE, "auth")


def test_of_several_ways_the_user_chooses_one(open_editor: Open, tmp_path: Path) -> None:
    agent = agent_of(tmp_path, {"id": "key", "name": "API key"}, {"id": "web", "name": "Browser"})
    editor = locked(open_editor, agent)
    editor.type(":Acp login<CR>")
    editor.screen.expect("2  Browser")
    assert editor.mode()["blocking"] is False
    editor.type("j<CR>")
    editor.expect_lua(STATE, "idle")
    assert [message["params"] for message in agent.got("authenticate")] == [{"methodId": "web"}]
    assert editor.lua("return vim.fn.getcompletion('Acp login ', 'cmdline')") == ["key", "web"]


@pytest.mark.every_nvim
@pytest.mark.statement(33)
def test_a_terminal_way_runs_in_a_real_terminal_and_then_reconnects(
    open_editor: Open, tmp_path: Path
) -> None:
    program, secret = tmp_path / "login.sh", tmp_path / "secret"
    program.write_text(
        f'printf "Who are you? "; read name; echo "$name $COLOUR [$NVIM] $(tty)" > {secret}; test "$name" = me\n'
    )
    way = {"label": "Sign in", "command": "sh", "args": [str(program)], "env": {"COLOUR": "blue"}}
    agent = agent_of(tmp_path, {"id": "tui", "name": "Console", "_meta": {"terminal-auth": way}})
    editor = locked(open_editor, agent)
    editor.type("ihello<Esc><CR>")
    editor.screen.expect("the prompt waits")
    editor.type(":Acp login<CR>")
    editor.screen.expect("Who are you?")
    editor.screen.expect("Login: Sign in")
    editor.type("nobody<CR>")
    editor.screen.expect("the login failed with exit code 1")
    assert editor.lua(STATE) == "auth"
    (tmp_path / "agent.json").write_text(  # from now on the agent is logged in
        (tmp_path / "agent.json").read_text().replace('"session/new"', '"nothing"')
    )
    editor.type("<C-\\><C-n>:Acp login tui<CR>")
    editor.expect_lua("return vim.fn.mode()", "t")
    editor.type("me<CR>")
    editor.screen.expect("logged in   :q closes")
    editor.type("iGx")  # whoever types on closes nothing by that
    editor.screen.expect("Here I am.")
    assert editor.lua("return { vim.wo.winbar, vim.fn.mode() }") == [" logged in   :q closes", "n"]
    editor.type(":q<CR>")
    editor.screen.expect_gone("logged in   :q closes")
    assert secret.read_text().startswith("me blue [] /dev/pts/")
    assert agent.got("authenticate") == []
    assert len(agent.logged("start")) == 2
    editor.expect_lua(STATE, "idle")
