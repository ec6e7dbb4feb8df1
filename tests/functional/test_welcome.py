"""What an empty chat shows: who answers, where, the keys to begin with, and what can be continued."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import error, on, on_initialize, on_prompt, result, say, script, wait_file
from tests.functional.editor import Editor
from tests.steps.sessions import converse_and_quit

Open = Callable[..., Editor]
MODES = {"availableModes": [{"id": "ask", "name": "Ask"}], "currentModeId": "ask"}
MODELS = {"availableModels": [{"modelId": "opus", "name": "Opus"}], "currentModelId": "opus"}
OPENED = on("session/new", result({"sessionId": "fresh", "modes": MODES, "models": MODELS}))
KEYS = ["write a prompt", "send it", "file, command", "answer a question", "all keys"]


def opened(
    open_editor: Open, tmp_path: Path, *rules: Any, start: Any = (), setup: Any = None, **options: Any
) -> Editor:
    agent = script(tmp_path, on_initialize(loadSession=True), *rules, name="second", start=list(start))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"my agent": spec}, **(setup or {})}, **options)
    editor.type(":Acp<CR>")
    return editor


def chat(editor: Editor) -> list[str]:
    """The lines of the chat's window as they are on the screen."""
    where = "return { vim.fn.win_screenpos(w)[1], vim.fn.win_screenpos(w)[2], vim.fn.winwidth(w), vim.fn.winheight(w) }"
    row, column, width, height = editor.lua(f"local w = vim.fn.bufwinid('acp://1/chat') {where}")
    lines = [line.ljust(300)[column - 1 : column - 1 + width] for line in editor.screen.lines()]
    return [line.rstrip() for line in lines[row - 1 : row + height]]


def test_an_empty_chat_says_who_where_and_how(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    editor = opened(
        open_editor, tmp_path, OPENED, on_prompt("", say("Fine.")), start=[wait_file(str(go))], size=(140, 36)
    )
    subprocess.run(["git", "init", "-q", "-b", "topic/one"], cwd=editor.project, check=True)
    editor.screen.expect("my agent  starting …")
    go.touch()
    editor.wait_event("AcpSessionStarted")
    editor.screen.expect("  Scripted · Opus · Ask")
    editor.type(":Acp close<CR>:Acp<CR>")
    editor.screen.expect("on topic/one")
    shown = "\n".join(chat(editor))
    assert all(text in shown for text in KEYS)
    assert 'keys = "<leader>a"' in shown
    assert "<CR>" not in shown, "there is nothing to continue"
    # none of it is text
    assert editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://1/chat'), 0, -1, false)") == [""]
    # with the first entry it is gone
    editor.type("ihello<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("Fine.")
    assert not any(text in editor.screen.text() for text in KEYS)
    editor.type(":Acp close<CR>:Acp<CR>")
    editor.screen.expect("Fine.")
    assert not any(text in editor.screen.text() for text in KEYS)


def test_it_is_whole_at_every_width(open_editor: Open, tmp_path: Path) -> None:
    title = "tidy up the project and tell me at length what you have found"
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("All is tidy."))), title)
    again["size"] = (200, 36)
    editor = opened(open_editor, tmp_path, OPENED, setup={"chat": {"position": "tab"}}, **again)
    editor.screen.expect(f'continue "{title}" (just now)')
    for columns in (120, 80, 60, 40, 30, 200):
        editor.type(f":set columns={columns}<CR>")
        editor.screen.expect(lambda screen, columns=columns: len(screen._grid.cells[0]) == columns)
        wanted = ["<CR> ", "continue", "(just now)", '"tidy up the', *KEYS]
        editor.screen.expect(
            lambda screen, wanted=wanted: all(text in screen.text() for text in wanted), what=f"{columns}"
        )
        lines = [line for line in chat(editor)[1:-1] if any(text in line for text in [*wanted, "on", "maps"])]
        assert lines
        assert max(map(len, lines)) < columns, "a column of margin"
        assert columns < 120 or f'continue "{title}" (just now)' in editor.screen.text()


def test_a_conversation_with_another_agent_is_said_to_be(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("All is tidy."))), "tidy up")
    agent = script(tmp_path, OPENED, on_prompt("", say("So.")), name="second")
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    setup = {"agents": {"my agent": spec, "other": spec, "third": spec}, "default_agent": "other"}
    editor = open_editor(setup=setup, **again)
    editor.type(":Acp<CR>")
    editor.screen.expect('continue "tidy up" (my agent, just now)')
    editor.type("ihello<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp new third<CR>")
    editor.screen.expect('go to "hello" (other, session 1)')


def test_a_session_that_could_not_start_is_not_offered(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("All is tidy."))), "tidy up")
    bad = script(tmp_path, on("session/new", error(-32603, "no luck")), name="bad")
    good = script(tmp_path, OPENED, name="good")
    named = {"bad": bad, "my agent": good}
    agents = {name: {"command": agent.argv[0], "args": agent.argv[1:]} for name, agent in named.items()}
    editor = open_editor(setup={"agents": agents, "default_agent": "my agent"}, **again)
    editor.type(":Acp new bad<CR>")
    editor.screen.expect("no luck")
    editor.type("ihello<Esc><CR>")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.expect_lua("return require('acp_nvim').status().state", "failed")
    editor.type(":Acp new<CR>")
    editor.screen.expect('continue "tidy up" (just now)')


@pytest.mark.parametrize("where", ["the chat", "the prompt"])
def test_enter_continues(open_editor: Open, tmp_path: Path, where: str) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("All is tidy."))), "tidy up")
    load = on("session/load", result({}))
    editor = opened(open_editor, tmp_path, OPENED, load, on_prompt("", say("more")), **again)
    editor.screen.expect('continue "tidy up" (just now)')
    editor.wait_event("AcpSessionStarted")
    if where == "the chat":
        editor.type("<C-w>k")
    editor.type("<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.expect_lua(
        "return vim.tbl_map(function(s) return s.session end, require('acp_nvim').sessions())", [2]
    )
    assert editor.acp("status")["session_id"] == "s1"
    editor.type(":Acp<CR>igo on<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("more")


def test_it_follows_what_becomes_of_the_session_and_of_its_window(open_editor: Open, tmp_path: Path) -> None:
    editor = opened(open_editor, tmp_path, OPENED, setup={"keys": "<leader>a"}, size=(100, 30))
    editor.wait_event("AcpSessionStarted")
    editor.screen.expect("all keys")
    assert "maps the rest" not in editor.screen.text()
    editor.type(":set columns=50 lines=12<CR>")
    editor.screen.expect(lambda screen: "Scripted" in screen.text() and "all keys" not in screen.text())
    editor.type(":set columns=100 lines=16<CR>")  # low: side by side
    editor.screen.expect("i write a prompt   <C-s> send it")
    editor.screen.expect("g? all keys")
    editor.type(":set columns=100 lines=30<CR>")
    editor.screen.expect("all keys")
    editor.type(":Acp stop<CR>")
    editor.screen.expect("stopped: :Acp restart")
    # an empty prompt is not sent, and where nothing can be continued <CR> says so
    editor.type("<CR>")
    editor.screen.expect("nothing to send: the prompt is empty")
