"""A fork at a message: `:Acp fork here` takes the conversation above the cursor in the chat."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on, on_prompt, result, script, update, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, open_chat, send

Open = Callable[..., Editor]


@pytest.mark.statement(144)
def test_a_fork_ends_at_the_message_under_the_cursor(open_editor: Open, tmp_path: Path) -> None:
    info = {"name": "@agentclientprotocol/claude-agent-acp", "title": "Claude"}
    abilities = {"sessionCapabilities": {"fork": {}}}

    def message(id: str, text: str) -> list[object]:
        content = {"type": "text", "text": text}
        return update({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": content})

    agent = script(
        tmp_path,
        on("initialize", result({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": abilities})),
        on("session/fork", result({"sessionId": "forked"})),
        on_prompt("one", message("m1", "The first answer.")),
        on_prompt("two", message("m2", "The second answer.")),
    )
    editor = open_chat(open_editor, agent, size=(120, 30))
    for number, words in enumerate(("one", "two"), 1):
        send(editor, words)
        editor.wait_event("AcpTurnEnded", turn=number)
    editor.type("<Esc>:Acp fork here<CR>")
    editor.screen.expect("not forked: put the cursor in a chat")
    go_to_line(editor, "The first answer.")
    editor.type(":Acp fork here<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    (sent,) = wait_until(lambda: agent.got("session/fork"))
    assert sent["params"]["_meta"]["jetbrains"]["air"]["fork"]["messageId"] == "m1"
    editor.expect_lua("return require('acp_nvim').status().session", 2)
