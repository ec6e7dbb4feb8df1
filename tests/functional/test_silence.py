"""The heading of an answer stands as soon as its prompt is sent, and says so when the agent is silent for long."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import notify, on_prompt, say, script, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, read_chat, send

Open = Callable[..., Editor]


def test_the_heading_stands_before_the_first_word(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", wait_file(str(gate)), say("At last."))))
    send(editor, "work")
    editor.wait_event("AcpTurnStarted")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.screen.expect("▎Scripted")
    assert read_chat(editor) == ["## You", "work", "", "## Scripted"]
    gate.touch()
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("At last.")
    assert read_chat(editor)[:5] == ["## You", "work", "", "## Scripted", "At last."]


def test_silence_is_told_with_what_the_agent_said_of_it(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    retrying = {"sessionId": "{session}", "category": "rate_limited", "detail": "HTTP 429"}
    agent = script(
        tmp_path,
        on_prompt("", say("Well."), notify("_session/retrying", retrying), wait_file(str(gate)), say("So.")),
    )
    editor = open_chat(open_editor, agent, size=(160, 30))
    send(editor, "work")
    editor.screen.expect("Well.")
    editor.screen.expect("no word from Scripted for 11 s: rate limited", timeout=20)
    editor.screen.expect("no word from Scripted for 12 s: rate limited")
    gate.touch()
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect_gone("no word from")
