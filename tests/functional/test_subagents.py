"""Subagents as the user sees them: one line with a count and the current step, unfolded to its calls; what a child asks
is asked in the chat of its parent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    Step,
    notify,
    on_prompt,
    permission,
    request,
    say,
    script,
    tool,
    update,
    wait_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key, go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]
TASK = "Explore the prices"


def nested(id: str, title: str, kind: str = "read", status: str = "completed") -> Step:
    meta = {"claudeCode": {"toolName": "Read", "parentToolUseId": "task"}}
    return tool(id, title=title, kind=kind, status=status, _meta=meta)


def rows(editor: Editor) -> list[str]:
    return [line for line in read_chat(editor) if line and not line.startswith("##")]


@pytest.mark.statement(137)
def test_the_calls_of_a_subagent_are_one_line(open_editor: Open, tmp_path: Path) -> None:
    go, end = tmp_path / "go", tmp_path / "end"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("task", title=TASK, kind="think", status="in_progress"),
            nested("one", "price.py"),
            nested("two", "TODO", kind="search", status="in_progress"),
            wait_file(str(go)),
            tool("two", known=True, status="completed"),
            tool("task", known=True, status="completed"),
            say("Found it."),
            wait_file(str(end)),
        ),
    )
    editor = open_chat(open_editor, agent, size=(140, 30))
    send(editor, "go")
    editor.screen.expect("search TODO")
    assert rows(editor)[1:] == [f"agent   {TASK}  ▸ search TODO"]
    editor.screen.expect("2 calls")
    go_to_line(editor, TASK)
    editor.type("za")
    editor.screen.expect("read    price.py")
    assert rows(editor)[2:] == ["read    price.py", "search  TODO"]
    go.touch()
    editor.screen.expect("Found it.")
    go_to_line(editor, TASK)
    editor.type("za")
    editor.screen.expect_gone("price.py")
    assert rows(editor)[1:] == [f"agent   {TASK}", "Found it."]
    end.touch()
    editor.wait_event("AcpTurnEnded")


@pytest.mark.statement(137)
def test_a_nested_call_that_asks_is_seen_and_answered(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("task", title=TASK, kind="think", status="in_progress"),
            nested("one", "price.py"),
            nested("two", "Count", kind="execute", status="pending"),
            permission("Count", id="two", kind="execute", rawInput={"command": "wc -l prices"}),
            say("it said {answer}"),
        ),
    )
    editor = open_chat(open_editor, agent, size=(140, 30))
    send(editor, "go")
    editor.screen.expect("wc -l prices")
    assert "price.py" not in editor.screen.text(), "what does not ask stays folded"
    expect_key(editor, "g1")
    editor.type("g1")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
    assert editor.wait_event("AcpTurnEnded")["stop_reason"] == "end_turn"
    editor.screen.expect_gone("wc -l prices")


@pytest.mark.statement(139)
def test_a_child_asks_in_the_chat_of_its_parent(open_editor: Open, tmp_path: Path) -> None:
    params = {
        "sessionId": "explorer",
        "toolCall": {
            "toolCallId": "x",
            "title": "Count",
            "kind": "execute",
            "rawInput": {"command": "wc -l prices"},
        },
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    }
    agent = script(
        tmp_path, on_prompt("", request("session/request_permission", params), say("it said {answer}"))
    )
    editor = open_chat(open_editor, agent, size=(120, 30))
    send(editor, "go")
    editor.screen.expect("asked by session explorer")
    expect_key(editor, "g1")
    editor.type("g1")
    assert editor.wait_event("AcpTurnEnded")["stop_reason"] == "end_turn"
    assert '"optionId": "yes"' in "\n".join(read_chat(editor))


@pytest.mark.statement(138)
def test_a_child_is_listed_under_its_session_and_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    def in_child(**told: Any) -> Step:
        return notify("session/update", {"sessionId": "child", "update": told})

    words = {"type": "text", "text": "The prices are here."}
    agent = script(
        tmp_path,
        on_prompt(
            "",
            update(
                {
                    "sessionUpdate": "subagent_update",
                    "sessionId": "child",
                    "title": "Look for prices",
                    "state": {"state": "running"},
                }
            ),
            in_child(
                sessionUpdate="tool_call", toolCallId="a", title="price.py", kind="read", status="completed"
            ),
            in_child(sessionUpdate="agent_message_chunk", content=words),
            wait_file(str(tmp_path / "end")),
        ),
    )
    editor = open_chat(open_editor, agent, size=(120, 40))
    send(editor, "go")
    editor.screen.expect("agent   Look for prices")
    editor.type("<Esc>:Acp sessions<CR>")
    editor.screen.expect("└ Look for prices")
    editor.lua("vim.fn.search('└')")
    editor.type("l")
    editor.screen.expect("a subagent can only be read")
    editor.type("<CR>")
    editor.screen.expect("The prices are here.")
    assert editor.lua("return vim.bo.modifiable") is False
    assert "The prices are here." not in "\n".join(read_chat(editor))
    editor.type("q")
    editor.screen.expect_gone("The prices are here.")
    go_to_line(editor, "Look for prices")
    editor.type("K")
    editor.screen.expect("The prices are here.")
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
