"""What agents tell beside their answers: usage, cost, notices, compactions; and the statusline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, say, script, stderr, update, wait
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]


def usage(used: int, size: int, **more: Any) -> list[Any]:
    return update({"sessionUpdate": "usage_update", "used": used, "size": size, **more})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


@pytest.mark.statement(95)
def test_usage_is_a_gauge_and_a_warning(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("one", usage(21, 100, cost={"amount": 0.5, "currency": "EUR"}), say("First.")),
        on_prompt("two", usage(85, 100), say("Second.")),
        on_prompt("three", usage(5, 0), say("Third.")),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "one")
    editor.screen.expect("◔ 21%")
    editor.screen.expect("0.50 EUR")
    assert "◔ 21%%" in editor.acp("statusline")
    send(editor, "two")
    editor.screen.expect("85 % of the context window is used")
    editor.screen.expect("0.50 EUR")
    editor.wait_event("AcpTurnEnded", turn=2)
    send(editor, "three")
    editor.wait_event("AcpTurnEnded", turn=3)
    editor.expect_lua("return require('acp_nvim').status().usage.size", 0)
    assert "%" not in editor.acp("statusline")
    assert len([line for line in read_chat(editor) if "context window is used" in line]) == 1


@pytest.mark.statement(95)
def test_a_full_memory_is_announced_where_the_chat_is_not_seen(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", usage(9, 10), wait("session/cancel")))
    editor = open_chat(open_editor, agent)
    editor.type("<Esc>:Acp close<CR>")
    editor.acp("prompt", "hello")
    editor.screen.expect("90 % of the context window is used")


def test_a_compaction_changes_in_place_and_unfolds(open_editor: Open, tmp_path: Path) -> None:
    tell = {"sessionUpdate": "compaction_update", "compactionId": "c"}
    piece = {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text("we spoke")}
    agent = script(
        tmp_path,
        on_prompt(
            "", update({**tell, "status": "in_progress"}), update(piece), say("On."), permission("Go?")
        ),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.screen.expect("is compacting")
    go_to_line(editor, "is compacting")
    editor.type("za")
    editor.screen.expect("we spoke")
    editor.screen.expect("On.")


def test_notices_stand_in_the_chat_by_their_severity(open_editor: Open, tmp_path: Path) -> None:
    notices = [
        update(
            {
                "sessionUpdate": "notice",
                "severity": level,
                "title": f"{level} title",
                "description": "more\x1b[8m",
            }
        )
        for level in ("info", "warning", "error")
    ]
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", *notices, say("So."))))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("So.")
    shown = editor.screen.text()
    assert "· info title" in shown
    assert "! warning title" in shown
    assert "✗ error title" in shown
    assert not any("\x1b" in line for line in read_chat(editor))


def test_the_statusline_tells_who_does_what(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("Go?")))
    editor = open_chat(open_editor, agent)
    assert editor.acp("statusline") == "Scripted idle"
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.acp("prompt", "next")
    editor.expect_lua("return require('acp_nvim').statusline()", "Scripted needs you 1 queued")


def test_a_hostile_name_is_no_item_of_a_statusline(open_editor: Open, tmp_path: Path) -> None:
    name = "%{%v:lua.error('!')%}%#Error#\u202e" + "x" * 300
    info = {"protocolVersion": 1, "agentInfo": {"name": "a", "title": name}, "agentCapabilities": {}}
    agent = script(tmp_path, {"method": "initialize", "text": "", "do": [["result", info]]})
    editor = open_chat(
        open_editor, agent, init="vim.o.statusline = \"%{%v:lua.require'acp_nvim'.statusline()%}\""
    )
    line = editor.acp("statusline")
    assert editor.lua("return vim.api.nvim_eval_statusline((...), {}).str", line).startswith(
        "%{%v:lua.error("
    )
    assert line.endswith("idle")
    assert "\u202e" not in line


@pytest.mark.parametrize("wire", [True, False])
def test_the_wire_is_written_from_the_start_if_wanted(open_editor: Open, tmp_path: Path, wire: bool) -> None:
    agent = script(tmp_path, on_prompt("", stderr("key s3cret\n"), say("it is s3cret")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:], "env": {"KEY": "s3cret"}}
    editor = open_editor(setup={"agents": {"mine": spec}, "log": {"wire": wire}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    folder = Path(editor.lua("return vim.fn.stdpath('log')")) / "acp_nvim"
    files = list(folder.glob("wire-*.jsonl"))
    assert len(files) == wire
    for file in files:
        written = file.read_text()
        assert '"method": "initialize"' in written.splitlines()[0]
        assert "it is ***" in written
        assert "s3cret" not in written


def test_the_log_shows_stderr_and_what_nobody_knew(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            stderr("a word of its own\n"),
            update({"sessionUpdate": "weather_update", "sky": "clear"}),
            ["raw", "no message\n"],
            ["notify", "_vendor/news", {}],
            say("So."),
        ),
    )
    editor = open_chat(open_editor, agent, size=(120, 40), setup={"log": {"level": "debug"}})
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp log<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_log")
    log = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
    shown = editor.expect_lua(log, lambda found: "a word of its own" in found)
    assert "unknown update 'weather_update'" in shown
    assert "no message" in shown
    assert "_vendor/news" in shown
