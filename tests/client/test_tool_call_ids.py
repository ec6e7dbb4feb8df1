"""Ids of tool calls that come again: another call has an entry of its own, and the past stays as it was."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    ask,
    eventually,
    on,
    on_prompt,
    permission,
    result,
    tool,
    update,
    wait,
)


def calls(talk: Talk) -> list[str]:
    """The lines of the tool calls, in order."""
    kinds = ("read", "edit", "execute", "tool")
    return [" ".join(line.split()) for line in talk.lines if line.startswith(kinds)]


def answers(agent: ScriptedAgent) -> list[Any]:
    outcomes = [message["result"]["outcome"] for message in agent.got() if "method" not in message]
    return [outcome.get("optionId", outcome["outcome"]) for outcome in outcomes]


def edit(path: str, new: str) -> dict[str, Any]:
    content = [{"type": "diff", "path": path, "oldText": "old\n", "newText": new}]
    return {"title": f"Edit {path}", "kind": "edit", "content": content}


@pytest.mark.parametrize("announced", [True, False])
async def test_a_permission_of_a_later_turn_is_about_another_call(desk: Desk, announced: bool) -> None:
    """Its question stands where the user looks, and carries nothing of the old call."""
    first, second = (
        edit("/w/a.py", "a\n"),
        {"title": "make", "kind": "execute", "rawInput": {"command": "make"}},
    )
    done = tool("call_0", known=True, status="completed")
    agent = desk.agent(
        on_prompt("one", tool("call_0", **first), permission("Edit /w/a.py", id="call_0"), done),
        on_prompt(
            "two",
            *([tool("call_0", **second)] if announced else []),
            permission(id="call_0", **second),
        ),
    )
    talk = await desk.ready()
    talk.prompt("one")
    await talk.asked()
    talk.answer("always")
    await talk.ended(1)
    talk.prompt("two")
    (question,) = await talk.asked()
    assert (question["title"], question["has_diff"], question["path"]) == ("make", False, None)
    assert calls(talk) == ["edit /w/a.py", "execute make"]
    assert talk.lines.index("two") < next(at for at, line in enumerate(talk.lines) if "execute" in line)
    talk.answer("no")
    await talk.ended(2)
    assert answers(agent) == ["always", "no"]
    marks = [mark.get("eol", []) for mark in desk.editor.chat(1).marks if mark["kind"] == "tool"]
    told = ["".join(text for text, _ in eol) for eol in marks]
    assert "allowed always" in told[0]
    assert "rejected" not in told[0]
    assert "rejected" in told[1]


async def test_a_call_that_is_announced_again_after_its_end_is_another(desk: Desk) -> None:
    """Some agents always use one id."""
    steps = [
        step
        for name in ("a.py", "b.py", "b.py")
        for step in (
            tool("t", title=f"Edit {name}", kind="edit", status="pending"),
            tool("t", known=True, status="in_progress"),
            tool("t", known=True, status="completed"),
        )
    ]
    desk.agent(on_prompt("work", *steps))
    talk = await desk.ready()
    await talk.turn("work")
    assert calls(talk) == ["edit a.py", "edit b.py", "edit b.py"]
    told = [(data["title"], data["status"]) for data in talk.data("AcpToolCall")]
    assert told.count(("Edit b.py", "completed")) == 2


@pytest.mark.parametrize(
    "late", [{}, {"status": "completed"}, {"status": "pending", "rawInput": {"path": "a.py"}}]
)
async def test_an_announcement_that_comes_late_is_of_the_same_call(desk: Desk, late: dict[str, Any]) -> None:
    first = tool("t", known=True, title="Read a.py", kind="read", status="in_progress")
    second = tool("t", known=True, status="completed", rawInput={"path": "a.py"})
    desk.agent(on_prompt("work", first, second, tool("t", title="Read a.py", kind="read", **late)))
    talk = await desk.ready()
    await talk.turn("work")
    assert calls(talk) == ["read a.py"]


async def test_an_open_call_that_is_announced_twice_is_one(desk: Desk) -> None:
    desk.agent(on_prompt("work", tool("t", title="Read"), tool("t", title="Read a.py", kind="read")))
    talk = await desk.ready()
    await talk.turn("work")
    assert calls(talk) == ["read a.py"]


async def test_a_permission_before_the_call_and_its_announcement_are_one(desk: Desk) -> None:
    desk.agent(
        on_prompt(
            "work",
            permission("Edit a.py", id="t", kind="edit"),
            tool("t", title="Edit a.py", kind="edit", status="in_progress"),
            tool("t", known=True, status="completed"),
            permission("Edit b.py", id="t", kind="edit"),
            tool("t", title="Edit b.py", kind="edit", status="in_progress"),
        )
    )
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.answer("yes")
    await eventually(lambda: [each["title"] for each in talk.questions] == ["Edit b.py"])
    talk.answer("no")
    await talk.ended(1)
    assert calls(talk) == ["edit a.py", "edit b.py"]


async def test_late_news_of_an_earlier_turn_belongs_to_its_call(desk: Desk) -> None:
    late = tool("t", known=True, status="completed", rawOutput={"lines": 3})
    desk.agent(on_prompt("one", tool("t", title="Read a.py", kind="read")), on_prompt("two", late))
    talk = await desk.ready()
    await talk.turn("one")
    await talk.turn("two")
    assert calls(talk) == ["read a.py"]
    assert talk.data("AcpToolCall")[-1]["status"] == "completed"


async def test_an_update_that_begins_a_call_in_a_later_turn_is_another(desk: Desk) -> None:
    def of(name: str) -> list[Any]:
        begun = {"title": f"Read {name}", "kind": "read", "status": "in_progress", "rawInput": {"path": name}}
        end = {"status": "completed", "rawInput": {"path": name}}
        return [tool("t", known=True, **begun), tool("t", known=True, **end), tool("t", **begun)]

    desk.agent(on_prompt("one", *of("a.py")[:2]), on_prompt("two", *of("b.py")))
    talk = await desk.ready()
    await talk.turn("one")
    await talk.turn("two")
    assert calls(talk) == ["read a.py", "read b.py"]


@pytest.mark.parametrize("times", [1, 3])
async def test_a_replay_that_repeats_a_call_shows_it_once_a_turn(
    desk: Desk, tmp_path: Path, times: int
) -> None:
    def turn(words: str, name: str) -> list[Any]:
        said = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": words}}
        call = tool("0", title=f"Read {name}", kind="read", status="completed", rawInput={"path": name})
        return [update(said), *[call] * times, tool("0", known=True, rawOutput="3 lines")]

    steps = [*turn("one", "a.py"), *turn("two", "b.py"), *turn("three", "b.py")]
    rules = [on("session/load", *steps, result({})), on_prompt("work", *turn("", "c.py")[1:2])]
    initialize = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
    desk.agent(on("initialize", result(initialize)), *rules)
    await desk.ready()
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    assert calls(talk) == ["read a.py", "read b.py", "read b.py"]
    await talk.turn("work")
    assert calls(talk)[3:] == ["read c.py"]


async def test_a_question_stays_about_its_own_call_when_another_takes_the_id(desk: Desk) -> None:
    """Nor is it judged by rules, or shown as a diff, as what the later call wants."""
    _, method, params = permission("Read a.py", id="t", kind="read", rawInput={"path": "a.py"})
    agent = desk.agent(
        on_prompt(
            "work",
            tool("t", title="Read a.py", kind="read", rawInput={"path": "a.py"}, status="completed"),
            ask(method, params),
            tool("t", title="Remove all", kind="execute", rawInput={"command": "rm -rf /"}),
            tool("t", known=True, title="Remove all", rawInput={"command": "rm -rf /home"}),
            wait("session/cancel"),
        )
    )
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    await eventually(lambda: any("rm -rf /home" in line for line in talk.lines))
    (question,) = talk.questions
    assert (question["title"], question["version"]) == ("Read a.py", 1)
    above = talk.lines[: next(at for at, line in enumerate(talk.lines) if "rm -rf" in line)]
    assert any("Yes" in line for line in above)
    talk.answer("no")
    await eventually(lambda: answers(agent) == ["no"])
