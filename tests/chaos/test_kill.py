"""Kill -9 of Neovim, of the backend, of the agent, in the middle of everything: nothing runs on, no file is half
written, and the next start works and says what has happened."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    Step,
    ask,
    on,
    on_initialize,
    on_prompt,
    permission,
    request,
    say,
    script,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor, command_line
from tests.functional.test_conversation import send

Open = Callable[..., Editor]
BEFORE, AFTER = "before\n" * 20_000, "after\n" * 300_000
NOTES = "{cwd}/notes.txt"
SESSION = {"sessionId": "{session}"}
DIFF = {"type": "diff", "path": NOTES, "oldText": BEFORE, "newText": AFTER}
CHAOS = "ACP_CHAOS" in os.environ

# What the agent does, and the Lua that is true when it is in the middle of that.
STATE = "return (require('acp_nvim').status() or {}).state"
FLOWS: dict[str, tuple[list[Step], str, Any]] = {
    "a prompt": ([say("working"), wait_file("/nowhere")], STATE, "running"),
    "a question": ([permission("May I?")], STATE, "asking"),
    "a proposal": (
        [permission("edit", kind="edit", content=[DIFF])],
        "return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins())",
        2,
    ),
    "a write": (
        [ask("fs/write_text_file", {**SESSION, "path": NOTES, "content": AFTER}) for _ in range(5)]
        + [say("writing"), wait_file("/nowhere")],
        STATE,
        "running",
    ),
    "a terminal": (
        [
            request("terminal/create", {**SESSION, "command": "sh", "args": ["-c", "sleep 600 & sleep 600"]}),
            wait_file("/nowhere"),
        ],
        "return #require('acp_nvim.terminal').list()",
        1,
    ),
    "a load": ([], STATE, "starting"),
}
FIRST = ("a write",)  # in `make test`; all of them in `make chaos`
flows = pytest.mark.parametrize("flow", list(FLOWS) if CHAOS else FIRST)


def in_the_middle(open_editor: Open, tmp_path: Path, flow: str) -> tuple[Editor, ScriptedAgent]:
    steps, code, wanted = FLOWS[flow]
    rules = [on_initialize(loadSession=True), on("session/load", wait_file(str(tmp_path / "loaded")))]
    agent = script(tmp_path, *rules, on_prompt("go", *steps), on_prompt("hello", say("Hello yourself.")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}, "transcripts": {"keep": 5}})
    (editor.project / "notes.txt").write_text(BEFORE)
    if flow == "a write":
        editor.lua("vim.cmd.edit('notes.txt')")
    editor.type(":Acp load old<CR>" if flow == "a load" else ":Acp<CR>")
    if flow != "a load":
        editor.wait_event("AcpSessionStarted")
        send(editor, "go")
    editor.expect_lua(code, wanted)
    wait_until(lambda: agent.logged("start"))
    return editor, agent


def whole(editor: Editor) -> None:
    """The file is the old or the new one, and nothing of a write lies beside it."""
    assert (editor.project / "notes.txt").read_text() in (BEFORE, AFTER)
    assert sorted(path.name for path in editor.project.iterdir()) == ["notes.txt"]


def converses(editor: Editor) -> None:
    before = len(editor.events("AcpTurnEnded"))
    editor.lua("vim.cmd('stopinsert')")
    editor.acp("prompt", "hello")
    wait_until(lambda: len(editor.events("AcpTurnEnded")) > before, 10)
    chat = "return table.concat(vim.api.nvim_buf_get_lines(require('acp_nvim.chat').buffer(1), 0, -1, false), '\\n')"
    editor.expect_lua(chat, lambda text: "Hello yourself." in text)


@flows
def test_neovim_is_killed(open_editor: Open, tmp_path: Path, flow: str) -> None:
    editor, agent = in_the_middle(open_editor, tmp_path, flow)
    assert editor.pids()
    editor.kill()
    editor.assert_no_orphans()
    whole(editor)
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    state = {"XDG_STATE_HOME": str(editor.home / "state")}
    again = open_editor(setup={"agents": {"mine": spec}, "transcripts": {"keep": 5}}, env=state)
    again.type(":Acp new mine<CR>")
    again.wait_event("AcpSessionStarted")
    converses(again)


@flows
def test_the_backend_is_killed(open_editor: Open, tmp_path: Path, flow: str) -> None:
    editor, _ = in_the_middle(open_editor, tmp_path, flow)
    (backend,) = (pid for pid in editor.pids() if command_line(pid).endswith("-m acp_nvim "))
    os.kill(backend, signal.SIGKILL)
    editor.wait_event("AcpSessionEnded")
    editor.assert_no_orphans()
    whole(editor)
    assert editor.lua(STATE) == "failed"
    assert "backend" in editor.lua("return require('acp_nvim').status().error")
    assert editor.lua("return #require('acp_nvim').questions()") == 0
    (tmp_path / "loaded").touch()
    converses(editor)


@flows
def test_the_agent_is_killed(open_editor: Open, tmp_path: Path, flow: str) -> None:
    editor, agent = in_the_middle(open_editor, tmp_path, flow)
    pid = agent.logged("start")[-1]["pid"]
    os.kill(pid, signal.SIGKILL)
    editor.wait_event("AcpSessionEnded")
    whole(editor)
    assert "SIGKILL" in editor.lua("return require('acp_nvim').status().error")
    assert editor.lua("return #require('acp_nvim').questions()") == 0
    assert not [pid for pid in editor.pids() if "sleep" in command_line(pid)], "a terminal of a dead agent"
    (tmp_path / "loaded").touch()
    converses(editor)
