"""Which call a permission is about, where the agent gives it an id of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    eventually,
    on,
    on_prompt,
    permission,
    result,
    say,
    tool,
)

TEXT = {"path": "notes.txt", "content": "first line\nlast line\n"}


def answers(agent: ScriptedAgent) -> list[Any]:
    outcomes = [message["result"]["outcome"] for message in agent.got() if "method" not in message]
    return [outcome.get("optionId", outcome["outcome"]) for outcome in outcomes]


def heads(talk: Talk) -> list[str]:
    return [line for line in talk.lines if line.startswith(("tool", "edit", "read", "execute"))]


async def asking(desk: Desk, *steps: Any, rules: tuple[Any, ...] = ()) -> tuple[Talk, ScriptedAgent]:
    agent = desk.agent(on_prompt("work", *steps))
    desk.send("setup", config={"agents": desk._agents, "permissions": list(rules)})
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    return talk, agent


async def close(talk: Talk, agent: ScriptedAgent) -> None:
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent)[-1] == "no"


async def test_a_permission_with_a_title_alone_shows_the_call_above_it(desk: Desk) -> None:
    above = tool("t1", title="Write notes.txt", kind="edit", rawInput=TEXT, status="pending")
    talk, agent = await asking(
        desk, above, permission("Allow write_file?", id="perm-7"), rules=({"action": "allow", "path": "**"},)
    )
    (question,) = talk.questions
    assert (question["tool_call_id"], question["has_diff"]) == ("t1", True)
    assert question["title"] == "Allow write_file?"
    text = "\n".join(talk.lines)
    assert "Allow write_file?" in text
    assert all(word in text for word in ("notes.txt", "first line", "last line"))
    assert len(heads(talk)) == 1
    await close(talk, agent)  # and no rule has allowed it: the agent has not said what it is about


@pytest.mark.parametrize(
    ("title", "call"),
    [
        ("Write `notes.txt`?", {"kind": "edit", "rawInput": TEXT}),
        ("write notes.txt", {"rawInput": {"path": "notes.txt"}}),
        ("notes.txt", {"kind": "edit", "rawInput": TEXT}),
        (None, {"rawInput": TEXT}),
        ("Write notes.txt", {}),
    ],
)
async def test_a_permission_whose_title_differs_a_little_stands_once(
    desk: Desk, title: str | None, call: dict[str, Any]
) -> None:
    above = tool("t1", title="Write notes.txt", kind="edit", rawInput=TEXT, status="pending")
    other = tool("t0", title="Read price.py", kind="read", rawInput={"path": "price.py"})
    asks = permission(title, id="perm-7", **call)  # type: ignore[arg-type]
    talk, agent = await asking(desk, above, other, asks)
    assert talk.questions[0]["tool_call_id"] == "t1"
    assert len(heads(talk)) == 2
    await close(talk, agent)


@pytest.mark.parametrize(
    "call",
    [
        {"title": "Write notes.txt", "rawInput": {**TEXT, "content": "evil"}},
        {"title": "Write notes.txt", "kind": "execute", "rawInput": TEXT},
        {"title": "Delete notes.txt", "rawInput": {"path": "other.txt"}},
        {"title": "Write notes.txt", "locations": [{"path": "/etc/hosts"}], "rawInput": TEXT},
    ],
)
async def test_a_permission_that_says_something_else_stands_alone(desk: Desk, call: dict[str, Any]) -> None:
    above = tool("t1", title="Write notes.txt", kind="edit", rawInput=TEXT, locations=[{"path": "notes.txt"}])
    talk, agent = await asking(desk, above, permission(id="perm-7", **call))
    assert talk.questions[0]["tool_call_id"] == "perm-7"
    assert len(heads(talk)) == 2
    await close(talk, agent)


async def test_of_several_calls_none_is_guessed(desk: Desk) -> None:
    above = [
        tool(f"t{at}", title=f"Write {at}", kind="edit", rawInput={**TEXT, "path": f"{at}"}) for at in "ab"
    ]
    talk, agent = await asking(desk, *above, permission("May I?", id="perm-7"))
    assert talk.questions[0]["tool_call_id"] == "perm-7"
    assert any("May I?" in line for line in talk.lines)
    await close(talk, agent)


async def test_a_call_further_up_is_not_guessed(desk: Desk) -> None:
    above = tool("t1", title="Look after it", kind="think", status="in_progress")
    done = tool("t2", title="Read a.py", kind="read", status="completed")
    talk, agent = await asking(desk, above, done, permission("rm -rf build", id="perm-7"))
    assert talk.questions[0]["tool_call_id"] == "perm-7"
    await close(talk, agent)


async def test_an_edit_whose_permission_has_other_arguments_stands_once(desk: Desk) -> None:
    """dcode: an id of its own and other arguments, the same title and path."""
    told = {"path": "notes.txt", "old": "a", "new": "b"}
    above = tool("t1", title="edit_file", kind="edit", rawInput=told, status="pending")
    other = {"path": "notes.txt", "preview": "-a\n+b"}
    talk, agent = await asking(desk, above, permission("edit_file", id="perm-7", rawInput=other))
    assert talk.questions[0]["tool_call_id"] == "t1"
    assert len(heads(talk)) == 1
    assert "preview" in "\n".join(talk.lines)
    await close(talk, agent)


async def test_of_two_edits_of_one_title_neither_is_taken_for_the_other(desk: Desk) -> None:
    calls = [
        tool(id, title="edit_file", kind="edit", rawInput={"path": "notes.txt", "old": id}, status="pending")
        for id in ("t1", "t2")
    ]
    asks = permission("edit_file", id="perm-7", rawInput={"path": "notes.txt", "preview": "-a\n+b"})
    talk, agent = await asking(desk, *calls, asks)
    assert talk.questions[0]["tool_call_id"] == "perm-7"
    await close(talk, agent)


@pytest.mark.parametrize("has_input", [True, False])
async def test_a_title_that_is_the_input_as_json_keeps_the_title_of_the_call(
    desk: Desk, has_input: bool
) -> None:
    said = {"text": "x2"}
    above = tool(
        "t1",
        title="shout (words MCP Server)",
        kind="other",
        status="pending",
        rawInput=said,
        _meta={"toolName": "mcp__words__shout"},
    )
    asks = permission('{"text":"x2"}', id="t1", **({"rawInput": said} if has_input else {}))
    talk, agent = await asking(desk, above, asks, rules=({"action": "reject", "tool": "mcp__other__shout"},))
    assert talk.questions[0]["title"] == "shout (words MCP Server)"
    assert '{"text":"x2"}' not in "\n".join(talk.lines)
    await close(talk, agent)


@pytest.mark.parametrize(
    ("name", "call", "tool_name"),
    [
        (
            "@agentclientprotocol/codex-acp",
            {
                "title": "mcp.words.shout",
                "kind": "execute",
                "rawInput": {"server": "words", "tool": "shout", "arguments": {"text": "x2"}},
            },
            "mcp__words__shout",
        ),
        ("qwen-code", {"title": "shout", "_meta": {"toolName": "mcp__words__shout"}}, "mcp__words__shout"),
        (
            "goose",
            {"title": "words: shout", "_meta": {"goose": {"toolCall": {"toolName": "words__shout"}}}},
            "words__shout",
        ),
        ("Kimi Code CLI", {"title": "mcp__words__shout"}, "mcp__words__shout"),
        ("agentao", {"title": "mcp_words_shout"}, "mcp_words_shout"),
    ],
)
async def test_a_rule_reaches_the_tool_of_an_mcp_server(
    desk: Desk, tmp_path: Path, name: str, call: dict[str, Any], tool_name: str
) -> None:
    info = on("initialize", result({"protocolVersion": 1, "agentInfo": {"name": name, "version": "1"}}))
    asks = [tool("t1", status="pending", **call), permission(None, id="t1")]  # type: ignore[arg-type]
    desk.agent(info, on_prompt("work", *asks, say("{answer}")))
    desk.send(
        "setup",
        config={"agents": desk._agents, "permissions": [{"action": "allow", "tool": tool_name}]},
        state=str(tmp_path / "state"),
    )
    talk = await desk.ready()
    await talk.turn("work")
    assert '"optionId": "yes"' in talk.says
    log = tmp_path / "state" / "permissions.jsonl"
    await eventually(lambda: log.exists() and log.read_text().endswith("\n"))
    (entry,) = map(json.loads, log.read_text().splitlines())
    assert (entry["tool"], entry["command"]) == (tool_name, [])
