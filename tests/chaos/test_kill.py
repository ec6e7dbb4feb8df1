"""Kill -9 of Neovim, of the backend, of the agent, in the middle of everything: nothing runs on, no file is half
written, and the next start works and says what has happened."""

import json
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
    error,
    on,
    on_prompt,
    permission,
    repeat,
    request,
    result,
    say,
    script,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor, command_line
from tests.steps.conversation import send

Open = Callable[..., Editor]
BEFORE, AFTER = "before\n" * 20_000, "after\n" * 300_000
NOTES = "{cwd}/notes.txt"
SESSION = {"sessionId": "{session}"}
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
DIFF = {"type": "diff", "path": NOTES, "oldText": BEFORE, "newText": BEFORE + "after\n" * 20_000}
CHAOS = "ACP_CHAOS" in os.environ

# What the agent does, and the Lua that is true when it is in the middle of that.
STATE = "return (require('acp_nvim').status({ session = 1 }) or {}).state"
CHAT = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://1/chat$'), 0, -1, false), '\\n')"
REPLAY = CHAT.replace("acp://1", "acp://2")
FLOWS: dict[str, tuple[list[Step], str, Any]] = {
    "a start": ([], STATE, "starting"),
    "a login": ([], "return vim.api.nvim_get_mode().mode", "t"),
    "a stream": (
        [say("working"), repeat(20_000, say(" word{n}")), wait_file("/nowhere")],
        CHAT,
        lambda text: "word50" in text,
    ),
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
            say("it runs"),
            wait_file("/nowhere"),
        ],
        CHAT,
        lambda text: "it runs" in text,
    ),
    "a load": ([], CHAT, lambda text: "told49 " in text),
    "a replay": ([], REPLAY, lambda text: "told50" in text),
    "a form": (
        [request("elicitation/create", {**SESSION, "mode": "form", "message": "?", "requestedSchema": FORM})],
        "return vim.bo.filetype",
        "acp_form",
    ),
    "an undo": (
        [
            request("fs/write_text_file", {**SESSION, "path": NOTES, "content": AFTER}),
            say("written"),
            wait_file("/nowhere"),
        ],
        CHAT,
        lambda text: "written" in text,
    ),
}
# What the user does once the agent is there.
KEYS = {
    "a form": ("AcpQuestion", "<Esc>:Acp accept<CR>"),
    "an undo": ("AcpFileWritten", "<Esc>:edit notes.txt<CR>"),
}
LAST = {"an undo": ":Acp undo all<CR>"}  # just before the kill
WITHOUT_A_TURN = ("a start", "a login", "a load", "a replay")
FIRST = ("a write",)  # in `make test`; all of them in `make chaos`
flows = pytest.mark.parametrize("flow", list(FLOWS) if CHAOS else FIRST)


WAY = {"label": "Sign in", "command": "sh", "args": ["-c", "echo who?; sleep 600"]}
ABLE = {
    "protocolVersion": 1,
    "agentCapabilities": {"loadSession": True},
    "authMethods": [{"id": "key", "name": "Key", "_meta": {"terminal-auth": WAY}}],
}


def in_the_middle(open_editor: Open, tmp_path: Path, flow: str) -> tuple[Editor, ScriptedAgent]:
    steps, code, wanted = FLOWS[flow]
    gate = wait_file(str(tmp_path / "gate"))
    begin = (gate,) if flow == "a start" else ()
    rules = [
        on("initialize", *begin, result(ABLE)),
        on("session/load", repeat(50, say("told{n} ")), gate),
        on_prompt("go", *steps),
        on_prompt("hello", say("Hello yourself.")),
    ]
    if flow == "a login":
        rules.append(on("session/new", error(-32000, "log in")))
    agent = script(tmp_path, *rules)
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}, "transcripts": {"keep": 5}})
    (editor.project / "notes.txt").write_text(BEFORE)
    if flow == "a write":
        editor.lua("vim.cmd.edit('notes.txt')")
    editor.type(":Acp load old<CR>" if flow == "a load" else ":Acp<CR>")
    if flow == "a login":
        editor.expect_lua(STATE, "auth")
        editor.type("<Esc>:Acp login<CR>")
        editor.screen.expect("who?")
    elif steps:
        editor.wait_event("AcpSessionStarted")
        send(editor, "go")
    if flow == "a replay":
        editor.wait_event("AcpSessionStarted")
        (tmp_path / "wire.jsonl").write_text(told())
        editor.type(f"<Esc>:Acp replay {tmp_path}/wire.jsonl<CR>")
    if flow in KEYS:
        event, keys = KEYS[flow]
        editor.wait_event(event)
        editor.type(keys)
    editor.expect_lua(code, wanted)
    wait_until(lambda: agent.logged("start"))
    if flow not in WITHOUT_A_TURN:  # that it began has been written down: what comes next can tell of it
        wait_until(lambda: any("session/prompt" in file.read_text() for file in editor.home.rglob("*.jsonl")))
    editor.type(LAST.get(flow, ""))
    return editor, agent


def told() -> str:
    """A conversation, as the wire of it is kept."""
    update = {"sessionUpdate": "agent_message_chunk"}
    params = [
        {"sessionId": "s", "update": {**update, "content": {"type": "text", "text": f"told{n}\n"}}}
        for n in range(50_000)
    ]
    messages = ({"jsonrpc": "2.0", "method": "session/update", "params": each} for each in params)
    return "\n".join(json.dumps({"t": 0.0, "dir": "<-", "msg": each}) for each in messages)


def whole(editor: Editor) -> None:
    """The file is the old or the new one, and nothing of a write lies beside it."""
    assert (editor.project / "notes.txt").read_text() in (BEFORE, AFTER)
    assert sorted(path.name for path in editor.project.iterdir()) == ["notes.txt"]


def goes_on(editor: Editor, tmp_path: Path, flow: str) -> None:
    """A prompt starts all anew, and is answered; without a login it waits for one."""
    (tmp_path / "gate").touch()
    before = len(editor.events("AcpTurnEnded"))
    editor.type("<C-\\><C-n><Esc>")
    editor.acp("prompt", "hello", {"session": 1})
    if flow == "a login":
        editor.expect_lua(STATE, "auth")
        return
    if not editor.screen.wait_for(lambda: len(editor.events("AcpTurnEnded")) > before or None, 10):
        raise AssertionError(f"no answer\n{told_by(editor)}")
    editor.expect_lua(CHAT, lambda text: "Hello yourself." in text)


def has_failed(editor: Editor) -> None:
    try:
        editor.expect_lua(STATE, "failed")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{told_by(editor)}") from error


def told_by(editor: Editor) -> str:
    """What there is to find out by why nothing happens."""
    seen = editor.screen.picture()
    editor.type("<C-\\><C-n><Esc>:Acp log<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_log")
    log = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    return "\n".join([seen, f"{editor.events()}", *log, editor.stderr()])


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
    again.lua("vim.cmd.cd(...)", str(editor.project))
    again.type(":Acp new mine<CR>")
    if flow not in WITHOUT_A_TURN:
        again.screen.expect("go on from the turn")
    goes_on(again, tmp_path, flow)


@flows
def test_the_backend_is_killed(open_editor: Open, tmp_path: Path, flow: str) -> None:
    editor, _ = in_the_middle(open_editor, tmp_path, flow)
    (backend,) = (pid for pid in editor.pids() if command_line(pid).endswith("-m acp_nvim "))
    os.kill(backend, signal.SIGKILL)
    has_failed(editor)
    if flow == "a login":  # its program is the user's, in a terminal of Neovim's
        editor.type("<C-\\><C-n>:quit!<CR>:bwipeout! term://*<CR>")
    editor.assert_no_orphans()
    whole(editor)
    assert "backend" in editor.lua("return require('acp_nvim').status({ session = 1 }).error")
    assert editor.lua("return #require('acp_nvim').questions()") == 0
    goes_on(editor, tmp_path, flow)


@flows
def test_the_agent_is_killed(open_editor: Open, tmp_path: Path, flow: str) -> None:
    editor, agent = in_the_middle(open_editor, tmp_path, flow)
    pid = agent.logged("start")[-1]["pid"]
    os.kill(pid, signal.SIGKILL)
    has_failed(editor)
    whole(editor)
    assert "SIGKILL" in editor.lua("return require('acp_nvim').status({ session = 1 }).error")
    assert editor.lua("return #require('acp_nvim').questions()") == 0
    sleeping = [pid for pid in editor.pids() if "sleep" in command_line(pid)]
    assert flow == "a login" or not sleeping, "a terminal of a dead agent"
    goes_on(editor, tmp_path, flow)


DIES_UNDER_A_LOCK = """
  vim.keymap.set("n", "<F2>", function()
    local port = require("acp_nvim.backend_calls")
    port.frame({ { "status", 1, { state = "asking" } }, { "event", "AcpLast", { session = 1 } } })
    vim.uv.kill(vim.g.backend, "sigkill")
    vim.wait(5000, function()
      return table.concat(require("acp_nvim.ui.log").lines()):find("the backend ended") ~= nil
    end)
    return ""
  end, { expr = true })
"""


def test_what_a_dead_backend_has_told_is_not_the_last_word(open_editor: Open, tmp_path: Path) -> None:
    """Its last frame waits, for the editor forbids changes just then."""
    agent = script(tmp_path, on_prompt("hello", say("Hello yourself.")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}}, init=DIES_UNDER_A_LOCK)
    editor.type(":Acp<CR><Esc>")
    editor.wait_event("AcpSessionStarted")
    (backend,) = (pid for pid in editor.pids() if command_line(pid).endswith("-m acp_nvim "))
    editor.lua("vim.g.backend = ...", backend)
    editor.type("<Esc><F2>")
    editor.wait_event("AcpLast")
    editor.wait_event("AcpSessionEnded")
    assert editor.lua(STATE) == "failed"
    goes_on(editor, tmp_path, "")
