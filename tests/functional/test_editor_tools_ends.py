"""The editor's tools when something ends, waits or is far too much: an error each, and nothing is left behind."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import Editor
from tests.steps.editor_tools import begin, connect, entry_of

Open = Callable[..., Editor]


def sockets(editor: Editor) -> list[Path]:
    return list(Path(os.path.dirname(editor.address)).glob("acp_nvim/*"))


def backend_of(editor: Editor) -> int:
    code = "return vim.fn.jobpid(vim.iter(vim.api.nvim_list_chans()):find(function(c) return c.argv ~= nil end).id)"
    return int(editor.lua(code))


@pytest.mark.cold
def test_a_dead_backend_leaves_no_server_and_no_socket(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        assert len(sockets(editor)) == 1
        number = server.begin_call("open_files")
        server.answer(number)
        os.kill(backend_of(editor), signal.SIGKILL)
        assert server.wait() < 1
        wait_until(lambda: sockets(editor) == [])


@pytest.mark.cold
def test_a_dead_neovim_leaves_no_server_and_no_socket(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        editor.kill()
        server.wait(3)
        wait_until(lambda: sockets(editor) == [])
        editor.assert_no_orphans()


def test_a_killed_agent_leaves_no_server_and_no_socket(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        os.kill(agent.logged("start")[0]["pid"], signal.SIGKILL)
        assert server.wait() < 3
        wait_until(lambda: sockets(editor) == [])
        editor.wait_event("AcpTools", state="ended")
    editor.type(":Acp restart<CR>")
    editor.wait_event("AcpSessionStarted")
    assert len(sockets(editor)) == 1


def test_a_session_that_is_closed_leaves_none(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        editor.acp("close_session", {"session": 1})
        server.wait(3)
        wait_until(lambda: sockets(editor) == [])


def test_a_flood_of_calls_is_answered_and_the_user_types_on(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        numbers = [server.begin_call("read_buffer", path="cart.py") for _ in range(1000)]
        editor.type("otyped<Esc>")
        editor.expect_lua("return vim.trim(vim.fn.getline(2))", "typed")
        assert {server.result(number)[0].split("\n")[1] for number in numbers} == {"1: def total(orders):"}


def test_a_large_file_is_cut_and_tells_how_to_go_on(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    (editor.project / "large.txt").write_text("word " * 2_000_000 + "\n" + "line\n" * 50_000)
    with connect(agent) as server:
        text = server.call("read_buffer", path="large.txt")
        assert len(text) < 64 * 1024
        assert text.endswith("more: true (ask for first = 1001; the file has 50001 lines)")
        assert server.call("read_buffer", path="large.txt", first=50001).split("\n") == [
            "large.txt",
            "50001: line",
        ]
        long = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"x": "y" * 10_000_000}}
        server.send(**long)
        error = server.answer(None)["error"]
        assert error["code"] == -32600
        assert server.call("open_files")


@pytest.mark.every_nvim
def test_a_prompt_of_neovims_is_left_to_the_user(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        editor.type(":echo 1 | echo 2 | echo 3<CR>")
        wait_until(lambda: editor.mode()["blocking"])
        text, is_error = server.result(server.begin_call("open_files"), seconds=15)
        assert is_error
        assert text.startswith("Neovim waits for a key of the user")
        assert server.request("ping")["result"] == {}
        assert editor.mode()["blocking"]
        editor.type("<CR>")
        assert server.call("open_files").startswith("cart.py")


def test_a_restart_serves_the_same_entry(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    entry = entry_of(agent)
    editor.type(":Acp restart<CR>")
    wait_until(lambda: len(agent.got("session/new")) == 2)
    assert entry_of(agent) == entry
    with connect(agent) as server:
        assert server.call("open_files").startswith("cart.py")
