"""Agents to the letter of the four documents, in a real Neovim: nobody has to know that there are dialects."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import documents
from tests.fakes.script import Rule, script
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key, go_to_line, read_chat, send

Open = Callable[..., Editor]
AGENTS: dict[str, tuple[list[Rule], str]] = {
    "simse": (documents.simse(), "bash"),
    "iac-code": (documents.iac_code(), "bash"),
    "agentao": (documents.agentao(), "run_shell"),
    "bridge": (documents.bridge(), "Bash"),
}


@pytest.mark.parametrize("dialect", AGENTS)
def test_a_story_by_keys(open_editor: Open, tmp_path: Path, dialect: str) -> None:
    rules, tool = AGENTS[dialect]
    agent = script(tmp_path, *rules)
    by_name = dialect in ("simse", "iac-code")
    spec = {"command": agent.argv[0], "args": agent.argv[1:], **({} if by_name else {"dialect": dialect})}
    editor = open_editor(setup={"agents": {"mine": spec}}, size=(120, 40))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "work")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("$ make all")
    go_to_line(editor, "1 Allow")
    expect_key(editor, "g1")
    editor.type("1")
    editor.wait_event("AcpTurnEnded", turn=1, stop_reason="end_turn")
    assert "Let me see." in "\n".join(read_chat(editor))
    assert status_of(editor, tool) == ["completed"]
    send(editor, "again")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("$ make all")
    expect_key(editor, "g1")
    editor.type("<Esc>:Acp reject<CR>")
    editor.wait_event("AcpTurnEnded", turn=2, stop_reason="end_turn")
    assert status_of(editor, tool) == ["completed", "failed"]
    send(editor, "slow")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.type("<Esc>:Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded", turn=3)
    editor.type(":Acp stop<CR>")
    editor.wait_event("AcpSessionEnded")


def status_of(editor: Editor, tool: str) -> list[str]:
    """The last status of each call of the tool, in their order."""
    last: dict[str, str] = {}
    for _, data in editor.events("AcpToolCall"):
        if data["title"] == tool:
            last[data["id"]] = data["status"]
    return list(last.values())
