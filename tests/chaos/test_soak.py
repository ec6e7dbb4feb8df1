"""An hour's work in little time: nothing grows with it, and nothing of what is closed is left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.agent.connection import Connection
from acp_nvim.chat.chat_view import ChatView
from acp_nvim.host.host import Host
from acp_nvim.session.session import Session
from acp_nvim.session.transcript import Transcript
from acp_nvim.terminals.screen import Screen
from tests.client.conftest import Desk, desk
from tests.fakes.script import (
    eventually,
    on_initialize,
    on_prompt,
    permission,
    repeat,
    request,
    say,
    script,
    tool,
    when,
)
from tests.functional.editor import Editor, command_line
from tests.steps.conversation import open_chat

__all__ = ["desk"]
Open = Callable[..., Editor]
LONG = "ACP_SOAK" in os.environ
TURNS, UPDATES, SESSIONS = (100, 100, 25) if LONG else (3, 50, 1)  # in each half
KEPT = (Session, Transcript, ChatView, Host, Connection, Screen)
TERMINAL = request("terminal/create", {"sessionId": "{session}", "command": "echo", "args": ["done"]})
WORK = (
    repeat(
        UPDATES // 2,
        tool("t{n}", title="work", status="in_progress"),
        tool("t{n}", known=True, status="completed"),
    ),
    say("some words\n```lua\nlocal x = 1\n```\n"),
    permission("May I?"),
    when("yes", say("thanks")),
    TERMINAL,
    request("fs/write_text_file", {"sessionId": "{session}", "path": "{cwd}/f.txt", "content": "text\n"}),
)

# What Lua opens of the loop's. Neovim's own vim.uv.walk() ends a Neovim 0.10 now and then: it meets handles not of Lua.
HANDLES = """
  -- weak values go before their finalizers run, weak keys only after that, when they point to nothing
  local open, kinds = setmetatable({}, { __mode = "v" }), {}
  local function noted(kind, make)
    vim.uv[kind] = function(...)
      local handle, problem, code = make(...)
      if handle then
        kinds[#kinds + 1] = kind
        open[#kinds] = handle
      end
      return handle, problem, code
    end
  end
  for _, kind in ipairs(vim.tbl_keys(vim.uv)) do
    if kind == "spawn" or (kind:find("^new_") and kind ~= "new_thread" and kind ~= "new_work") then
      noted(kind, vim.uv[kind])
    end
  end
  function _G.open_handles()
    collectgarbage()
    local counts = {}
    for number, handle in pairs(open) do
      if not handle:is_closing() then
        counts[kinds[number]] = (counts[kinds[number]] or 0) + 1
      end
    end
    return counts
  end
"""
COUNTS = """
  local marks = 0
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    for _, namespace in pairs(vim.api.nvim_get_namespaces()) do
      if not vim.api.nvim_buf_get_name(buf):find("/chat$") then
        marks = marks + #vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, {})
      end
    end
  end
  return {
    handles = _G.open_handles(),
    marks = marks,
    autocommands = #vim.api.nvim_get_autocmds({}),
    buffers = vim.tbl_filter(function(name)
      return name ~= "" -- of a window that had to show something
    end, vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())),
    windows = #vim.api.nvim_list_wins(),
    timers = #vim.fn.timer_info(),
    namespaces = vim.tbl_count(vim.api.nvim_get_namespaces()),
    maps = vim.iter({ "n", "i", "v", "o", "c", "t" }):map(function(mode)
      return #vim.api.nvim_get_keymap(mode)
    end):totable(),
    channels = #vim.api.nvim_list_chans(),
    sessions = #require("acp_nvim").sessions(),
  }
"""
LUA_MEMORY = "collectgarbage() collectgarbage() return collectgarbage('count')"


def backend_of(editor: Editor) -> int:
    (found,) = (pid for pid in editor.pids() if command_line(pid).endswith("-m acp_nvim "))
    return found


def resident(pid: int) -> int:
    """KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def turn(editor: Editor, number: int) -> None:
    editor.acp("prompt", "go", {"session": number})
    asked = editor.wait_event("AcpQuestion", session=number)
    assert editor.acp("answer", asked["question"]["id"] if "question" in asked else asked["id"], "yes")
    editor.wait_event("AcpTurnEnded", session=number, timeout=60)


COMMANDS = (
    ":Acp close<CR>", ":Acp<CR>", ":Acp toggle<CR>", ":Acp log<CR>q", ":Acp terminals<CR>q", ":Acp review<CR>",
    ":only<CR>", ":split<CR>", ":tabnew<CR>:tabclose<CR>", ":Acp follow<CR>", ":Acp agents<CR>q", ":Acp sessions<CR>q",
    ":Acp keep all<CR>", ":Acp queue<CR>:silent! close<CR>", ":bufdo echo<CR>", ":cclose<CR>",
)  # fmt: skip


def half(editor: Editor, rng: random.Random) -> None:
    for _ in range(TURNS):
        turn(editor, 1)
        editor.type("<Esc>" + rng.choice(COMMANDS))
        editor.lua("vim.cmd('silent! only')")
    for _ in range(SESSIONS):
        number = editor.acp("new_session", {"agent": "agent0"})
        editor.wait_event("AcpSessionStarted", session=number)
        turn(editor, number)
        editor.acp("open", {"session": number})
        editor.acp("close_session", {"session": number})
        editor.wait_event("AcpSessionEnded", session=number)
    # no last command's: what is pending, and what belongs to a window that would be the only one
    editor.type("<Esc>:Acp keep all<CR>")
    editor.lua("vim.cmd('silent! tabnew | tabonly')")
    editor.expect_lua("return #require('acp_nvim').sessions()", 1)


def settled(editor: Editor) -> dict[str, Any]:
    """What is left after the last of it: some things of the review stay for five seconds."""
    last: tuple[Any, float] = None, 0

    def same(counts: Any) -> bool:
        nonlocal last
        now = time.monotonic()
        last = last if counts == last[0] else (counts, now)
        return now - last[1] > 6

    return dict(editor.expect_lua(COUNTS, same, timeout=40))


def test_neovim_and_the_backend_are_as_they_were(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_initialize(sessionCapabilities={"close": {}}), on_prompt("", *WORK))
    editor = open_chat(open_editor, agent, setup={"transcripts": {"keep": 3}}, init=HANDLES)
    rng = random.Random(7)
    for command in COMMANDS:  # each once: what is loaded once stays
        editor.type("<Esc>" + command)
    editor.lua("vim.cmd('silent! tabonly | only | edit f.txt')")
    turn(editor, 1)  # its file is new, and kept, before it is counted
    editor.type("<Esc>:Acp keep all<CR>")
    half(editor, rng)
    backend = backend_of(editor)
    first = (settled(editor), descriptors(editor.pid), descriptors(backend), len(editor.pids()))
    memory = [editor.lua(LUA_MEMORY), resident(backend), resident(editor.pid)]
    half(editor, rng)
    assert backend_of(editor) == backend
    second = (settled(editor), descriptors(editor.pid), descriptors(backend), len(editor.pids()))
    assert second == first, f"{first}\n{second}"
    grown = [editor.lua(LUA_MEMORY), resident(backend), resident(editor.pid)]
    # what one session has said stays: that is all that may be more
    room = {"Lua": (1024, 0.25), "backend": (6144, 2), "Neovim": (6144, 0.7)}  # KiB; and for each update
    for (name, (some, each)), before, after in zip(room.items(), memory, grown, strict=True):
        assert after - before < some + each * TURNS * UPDATES, f"{name}: {before:.0f} KiB, then {after:.0f}"
    print(memory, grown)


def kept() -> list[Any]:
    gc.collect()
    return [each for each in gc.get_objects() if type(each) in KEPT]


def threads() -> set[str]:
    """Those of the pool wait for the next that there is to do."""
    return {thread.name for thread in threading.enumerate() if thread.name != "AnyIO worker thread"}


async def test_the_backend_lets_go_of_what_is_closed(desk: Desk) -> None:
    desk.agent(on_initialize(sessionCapabilities={"close": {}}), on_prompt("", *WORK[:-1]))
    client, terminals = desk.client, desk.client.services.terminals
    tasks, strings, strangers = asyncio.all_tasks(), threads(), kept()  # as they are without a session
    known = set(map(id, strangers))

    def running() -> list[Any]:
        return [
            *client.sessions,
            *(host for host in client.hosts if host.alive),
            *(asyncio.all_tasks() - tasks),
            *(threads() - strings),
            *terminals._screens._screens,
            *terminals._terminals,
            *terminals._commands,
        ]

    def left() -> list[Any]:
        """An agent that has ended may be asked for its log until the next one starts."""
        ended = {id(each) for host in client.hosts for each in (host, host.connection)}
        return [each for each in kept() if id(each) not in known | ended]

    for _ in range(50 if LONG else 4):
        talk = await desk.ready()
        talk.prompt("go")
        await talk.asked()
        talk.answer("yes")
        await talk.ended(1)
        talk.send("close")
        await eventually(lambda talk=talk: not talk.is_listed)
    try:
        await eventually(lambda: not running() and not left(), 30)
    except AssertionError:
        pytest.fail(f"{running()}\n{left()}")
    await desk.ready()
    assert len(client.hosts) == 1


async def test_a_session_that_is_closed_within_its_turn_is_let_go(desk: Desk) -> None:
    desk.agent(on_initialize(sessionCapabilities={"close": {}}), on_prompt("", permission("May I?")))
    known = set(map(id, kept()))
    talk = await desk.ready()
    talk.prompt("go")
    await talk.asked()
    talk.send("close")
    await eventually(lambda: not talk.is_listed)
    await eventually(lambda: not [each for each in kept() if type(each) is Session and id(each) not in known])
