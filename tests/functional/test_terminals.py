"""The agents' commands in a real Neovim: seen in the chat and in a buffer of their own, stopped, and gone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, on_prompt, request, say, script, tool
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.terminals import create_terminal

Open = Callable[..., Editor]
FIRST = {"sessionId": "{session}", "terminalId": "terminal-1"}
SHOWN = tool(
    "call", title="run it", kind="execute", content=[{"type": "terminal", "terminalId": "terminal-1"}]
)


def runs(command: str, *more: list[Any], **params: Any) -> list[Any]:
    wait = request("terminal/wait_for_exit", FIRST)
    return [create_terminal(command, **params), SHOWN, wait, say("ended with {answer}"), *more]


def chat(open_editor: Open, agent: ScriptedAgent) -> Editor:
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": mine}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def go(editor: Editor) -> None:
    editor.type("igo<Esc><CR>")
    editor.wait_event("AcpTurnStarted")


def test_a_command_is_watched_and_stopped_where_one_works(open_editor: Open, tmp_path: Path) -> None:
    line = "printf '\\033[31m\\162ed\\033[0m plain words\\n'; sleep 1000"
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs(line))))
    go(editor)
    editor.wait_event("AcpToolCall")
    editor.type("<Esc>:Acp terminals<CR>")
    editor.screen.expect("1  running")
    editor.type("<CR>")

    def place(screen: Screen) -> tuple[int, int] | None:
        """Where its terminal shows it: the chat does so, too, beside an edge."""
        rows = [
            (row, line.index("red plain")) for row, line in enumerate(screen.lines()) if "red plain" in line
        ]
        return next((each for each in rows if "  │ red plain" not in screen.lines()[each[0]]), None)

    editor.screen.expect(place, what="the terminal")
    row, column = place(editor.screen) or (0, 0)
    colours = [editor.screen.attrs_at(row, at).get("foreground") for at in (column, column + 5)]
    assert colours[0] != colours[1]
    editor.type("<C-c>")
    editor.screen.expect("[SIGTERM]")
    editor.screen.expect('"SIGTERM"')


def test_the_chat_shows_the_end_of_the_output(open_editor: Open, tmp_path: Path) -> None:
    released = request("terminal/release", FIRST)
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs("seq 300; exit 3", released))))
    go(editor)
    editor.wait_event("AcpTurnEnded")
    editor.acp("close")
    editor.type(":Acp terminals 1<CR>")
    editor.screen.expect("[exit 3]")


def waits_in_a_flood(open_editor: Open, folder: Path) -> float:
    """What another client waits, in milliseconds, while a terminal that is watched prints 200 MB."""
    folder.mkdir()
    line = "yes 'some line of ordinary output' | head -c 200000000"
    editor = chat(open_editor, script(folder, on_prompt("go", *runs(line, outputByteLimit=4096))))
    with editor.second_client() as probe:
        go(editor)
        editor.wait_event("AcpToolCall")
        editor.type("<Esc>:Acp terminals 1<CR>")
        editor.wait_event("AcpTurnEnded", timeout=20)
        editor.screen.expect("[exit 0]")
    return probe.percentile(99)


@pytest.mark.alone
def test_a_flood_is_not_felt(open_editor: Open, tmp_path: Path) -> None:
    rounds = (waits_in_a_flood(open_editor, tmp_path / str(number)) for number in range(3))
    assert any(wait < 50 for wait in rounds)  # the best of three: others may need the machine, too


def test_nothing_runs_on_when_neovim_has_gone(open_editor: Open, tmp_path: Path) -> None:
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs("sleep 1000 & sleep 1000"))))
    go(editor)
    editor.wait_event("AcpToolCall")
    editor.quit()
    editor.assert_no_orphans()


def test_nothing_runs_on_when_the_agent_has_gone(open_editor: Open, tmp_path: Path) -> None:
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs("sleep 1000"))))
    go(editor)
    editor.wait_event("AcpToolCall")
    editor.type("<Esc>:Acp stop<CR>")
    editor.wait_event("AcpSessionEnded")
    editor.type(":Acp terminals<CR>")
    editor.screen.expect("1  SIGTERM")


def test_nothing_is_typed_into_a_command_that_has_ended(open_editor: Open, tmp_path: Path) -> None:
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs("echo done; exit 3"))))
    go(editor)
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:Acp terminals 1<CR>")
    editor.screen.expect("[exit 3]")
    editor.type("i")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "nt")
    windows = editor.lua("return #vim.api.nvim_list_wins()")
    editor.type("q")
    editor.expect_lua("return #vim.api.nvim_list_wins()", windows - 1)


def test_a_long_command_is_one_row_of_the_list(open_editor: Open, tmp_path: Path) -> None:
    line = "true " + "x" * 300
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs(line))))
    go(editor)
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:Acp terminals<CR>")
    editor.screen.expect("1  exit 0")
    assert editor.lua("return vim.api.nvim_win_text_height(0, {}).all") == 1


def test_a_restart_tells_once_how_a_command_ended(open_editor: Open, tmp_path: Path) -> None:
    editor = chat(open_editor, script(tmp_path, on_prompt("go", *runs("sleep 1000"))))
    go(editor)
    editor.wait_event("AcpToolCall")
    editor.type("<Esc>:Acp terminals 1<CR>")
    editor.screen.expect("running")
    editor.type(":Acp restart<CR>")
    editor.wait_event("AcpSessionEnded")
    editor.screen.expect("[SIGTERM]")
    assert "[gone]" not in editor.screen.text()
