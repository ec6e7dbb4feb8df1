"""Subagents: sessions that an agent begins by itself. What they ask is asked in the session of their parent."""

from typing import Any

import pytest

from acp_nvim import limits
from tests.client.conftest import Desk
from tests.fakes.script import (
    ask,
    eventually,
    leave,
    on,
    on_initialize,
    on_prompt,
    permission,
    repeat,
    request,
    result,
    say,
    update,
    wait,
)
from tests.steps.questions import get_outcomes_by_id

OFFERED = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def asked_for(session: Any, title: str = "Run the tests", id: str = "call") -> dict[str, Any]:
    call = {"toolCallId": id, "title": title, "kind": "execute", "rawInput": {"command": "make test"}}
    return {"sessionId": session, "toolCall": call, "options": OFFERED}


def question_of(session: Any, **more: Any) -> list[Any]:
    return request("session/request_permission", asked_for(session, **more))


# --- a child that was never announced


@pytest.mark.statement(139)
async def test_a_question_of_an_unknown_session_is_asked_in_the_one_that_runs(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", question_of("child-7"), say("{answer}")))
    idle, talk = await desk.ready(), await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"] == "session child-7"
    assert "    asked by session child-7" in talk.lines
    assert (talk.state, idle.questions) == ("asking", [])
    talk.answer("yes")
    ended = await talk.ended(1)
    assert ended["stop_reason"] == "end_turn"
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "yes"}}
    assert (talk.state, talk.questions) == ("idle", [])


@pytest.mark.statement(139)
async def test_the_name_of_an_unknown_session_hides_nothing(desk: Desk) -> None:
    desk.agent(on_prompt("work", question_of("a\u202eb\nasked by nobody" + "x" * 5000)))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"].startswith("session a<202E>b asked by nobodyxxx")
    assert len(question["asked_by"]) < 300
    assert len([line for line in talk.lines if line.startswith("    asked by")]) == 1


@pytest.mark.statement(139)
async def test_an_unknown_session_that_could_be_of_two_is_refused(desk: Desk) -> None:
    desk.agent(on_prompt("work", question_of("child"), say("{answer}")), on_prompt("wait", wait("go on")))
    talk, other = await desk.ready(), await desk.ready()
    other.prompt("wait")
    await other.until("running")
    await talk.turn("work")
    assert "-32602" in talk.says
    assert talk.questions == other.questions == []


@pytest.mark.statement(139)
async def test_without_a_running_session_an_unknown_one_is_refused(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("work", result({"stopReason": "end_turn"}), wait("go on"), question_of("child"))
    )
    talk = await desk.ready()
    await talk.turn("work")
    desk.client.hosts[0].connection.notify("go on", {})
    (refused,) = await eventually(lambda: [each for each in agent.got() if "error" in each])
    assert refused["error"]["code"] == -32602
    assert talk.questions == []


@pytest.mark.statement(139)
async def test_a_call_of_a_child_is_none_of_its_parents(desk: Desk) -> None:
    """Ids are unique in their own session only."""
    own = {"sessionUpdate": "tool_call", "toolCallId": "call", "title": "Look around", "kind": "search"}
    desk.agent(on_prompt("work", update(own), question_of("child"), wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["tool_call_id"] == "child/call"
    lines = "\n".join(talk.lines)
    assert "Look around" in lines
    assert "make test" in lines


@pytest.mark.statement(139)
async def test_the_asked_call_of_a_child_goes_on_where_it_was_asked(desk: Desk) -> None:
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "call", "status": "completed"}
    steps = [question_of("child"), ["notify", "session/update", {"sessionId": "child", "update": done}]]
    desk.agent(on_prompt("work", *steps, wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.answer("yes")
    await eventually(
        lambda: any(
            data["id"] == "child/call" and data["status"] == "completed" for data in talk.data("AcpToolCall")
        )
    )


@pytest.mark.statement(139)
async def test_a_cancel_answers_the_question_of_a_child(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", question_of("child"), permission("mine")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    talk.send("cancel")
    await talk.ended(1)
    assert set(map(str, get_outcomes_by_id(agent).values())) == {"{'outcome': 'cancelled'}"}


# --- children that were announced


def announce(session: str = "{session}", **fields: Any) -> list[Any]:
    told = {"sessionUpdate": "subagent_update", "sessionId": "child", **fields}
    return ["notify", "session/update", {"sessionId": session, "update": told}]


def in_child(update: dict[str, Any], session: str = "child") -> list[Any]:
    return ["notify", "session/update", {"sessionId": session, "update": update}]


def called(id: str, tag: str = "tool_call", **fields: Any) -> list[Any]:
    return in_child({"sessionUpdate": tag, "toolCallId": id, **fields})


def said(text: str, tag: str = "agent_message_chunk") -> list[Any]:
    return in_child({"sessionUpdate": tag, "content": {"type": "text", "text": text}})


RUNNING, IDLE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}


@pytest.mark.statement(129)
async def test_the_capability_is_sent(desk: Desk) -> None:
    agent = desk.agent()
    await desk.ready()
    assert agent.got("initialize")[0]["params"]["clientCapabilities"]["subagents"] == {}


@pytest.mark.statement(138)
async def test_a_child_is_a_line_and_listed_under_its_session(desk: Desk) -> None:
    desk.agent(
        on_prompt(
            "work",
            announce(title="Explore\u202e", description="prices", state=RUNNING),
            called("a", title="price.py", kind="read", status="completed"),
            called("b", title="TODO", kind="search", status="in_progress"),
            wait("go on"),
            called("b", tag="tool_call_update", status="failed"),
            announce(state=IDLE),
            announce(title=None),
            wait("go on"),
        )
    )
    talk = await desk.ready()
    assert talk.status["subagents"] == []
    talk.prompt("work")
    await eventually(lambda: "agent   Explore<202E>  ▸ search TODO" in talk.lines)
    assert talk.status["subagents"] == [{"id": "child", "title": "Explore<202E>", "state": "running"}]
    desk.client.hosts[0].connection.notify("go on", {})
    await eventually(
        lambda: talk.status["subagents"][0] == {"id": "child", "title": "prices", "state": "idle"}
    )
    assert "agent   prices" in talk.lines


@pytest.mark.statement(138)
async def test_its_messages_can_be_read(desk: Desk) -> None:
    told = {"senderSessionId": "{session}", "recipientSessionId": "child"}
    message = {"sessionUpdate": "session_message", "messageId": "m", **told}
    piece = {
        "sessionUpdate": "session_message_chunk",
        "messageId": "m",
        "content": {"type": "text", "text": "!"},
    }
    content = [{"type": "text", "text": "Look around"}]
    answer = {"sessionUpdate": "session_message", "messageId": "m:reply", "senderSessionId": "child"}
    desk.agent(
        on_prompt(
            "work",
            announce(title="Explore", state=RUNNING),
            update({**message, "content": content}),
            update(piece),
            in_child({**message, "content": content}),
            in_child(piece),
            said("I look."),
            called("a", title="price.py", kind="read", status="completed"),
            said("There it is.\u202e"),
            update({**answer, "content": [{"type": "text", "text": "In price.py"}]}),
        )
    )
    talk = await desk.ready()
    await talk.turn("work")
    desk.send("open_subagent", session=1, id="child")
    name, _, lines = await eventually(lambda: desk.editor.windows and desk.editor.windows[-1])
    assert name == "acp://1/subagent/child"
    assert [line for line in lines if line] == [
        "## Told",
        "Look around!",
        "## Explore",
        "I look.",
        "read    price.py",
        "There it is.\u202e",
    ]
    assert "I look." not in "\n".join(talk.lines), "its words are not those of its parent"
    (row,) = [row for row, line in enumerate(talk.lines) if line.startswith("agent ")]
    mark = desk.editor.chat(1).at(row)
    assert mark
    talk.send("toggle", key=mark["key"])
    await eventually(lambda: len(talk.lines) > row + 1)
    assert talk.lines[row + 1 :] == [
        "  │ prompt:",
        "  │ Look around!",
        "read    price.py",
        "  │ answer:",
        "  │ In price.py",
    ]


@pytest.mark.statement(138)
async def test_a_question_of_a_child_is_asked_with_its_name_and_the_turn_goes_on(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", announce(title="Explore"), question_of("child"), say("{answer}")))
    other, talk = await desk.ready(), await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert (question["asked_by"], question["tool_call_id"]) == ("Explore", "child/call")
    assert "    asked by Explore" in talk.lines
    talk.answer("yes")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "yes"}}
    assert other.questions == []


@pytest.mark.statement(138)
async def test_a_child_may_ask_when_the_turn_of_its_parent_is_over(desk: Desk) -> None:
    end = result({"stopReason": "end_turn"})
    asks = question_of("child")
    agent = desk.agent(on_prompt("work", announce(title="Explore", state=RUNNING), end, wait("go on"), asks))
    talk = await desk.ready()
    await talk.turn("work")
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.asked()
    assert talk.state == "asking"
    talk.answer("no")
    await eventually(lambda: get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "no"}})
    await talk.until("idle")


@pytest.mark.statement(138)
async def test_a_question_of_a_child_outlives_the_turn_of_its_parent(desk: Desk) -> None:
    ask_child = ask("session/request_permission", asked_for("child"))
    agent = desk.agent(on_prompt("work", announce(title="Explore", state=RUNNING), ask_child))
    talk = await desk.ready()
    await talk.turn("work")
    await talk.asked()
    talk.answer("yes")
    await eventually(lambda: get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "yes"}})


@pytest.mark.statement(138)
async def test_a_form_of_a_child_is_asked_with_its_name(desk: Desk) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    params = {"sessionId": "child", "mode": "form", "message": "Who?", "requestedSchema": schema}
    desk.agent(
        on_prompt("work", announce(title="Explore"), request("elicitation/create", params), say("{answer}"))
    )
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"] == "Explore"
    talk.answer("decline")
    await talk.ended(1)
    assert "decline" in talk.says


@pytest.mark.statement(138)
async def test_files_of_a_child_are_served_within_the_roots_of_its_parent(desk: Desk) -> None:
    file = desk.folder / "f"
    file.write_text("text\n")
    read = request("fs/read_text_file", {"sessionId": "child", "path": str(file)})
    desk.agent(on_prompt("work", announce(), read, say("{answer}")))
    talk = await desk.ready()
    await talk.turn("work")
    assert "text" in talk.says


@pytest.mark.statement(138)
async def test_a_child_starts_commands_in_its_own_folder(desk: Desk, other: Any) -> None:
    create = request("terminal/create", {"sessionId": "child", "command": "pwd > out"})
    desk.agent(on_prompt("work", announce(cwd=str(other)), create))
    talk = await desk.ready()
    await talk.turn("work")
    assert await eventually(lambda: (other / "out").exists() and (other / "out").read_text()) == f"{other}\n"


@pytest.mark.statement(147)
async def test_a_child_is_announced_by_the_older_names(desk: Desk) -> None:
    told = {"subagentSessionId": "child", "name": "Explore", "task": "Find the callers", "state": RUNNING}
    older = update({"sessionUpdate": "subagent_update", **told})
    desk.agent(on_prompt("work", older, question_of("child"), say("on")))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"] == "Explore"
    assert talk.status["subagents"] == [{"id": "child", "title": "Explore", "state": "running"}]
    talk.answer("yes")
    await talk.ended(1)


@pytest.mark.statement(138)
async def test_a_child_of_a_child_has_a_line_of_its_own(desk: Desk) -> None:
    grandchild = {"sessionUpdate": "subagent_update", "sessionId": "grandchild", "title": "Count"}
    ask_it = question_of("grandchild")
    desk.agent(on_prompt("work", announce(title="Explore"), in_child(grandchild), ask_it, say("on")))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["asked_by"] == "Count"
    assert [child["title"] for child in talk.status["subagents"]] == ["Explore", "Count"]
    talk.answer("yes")
    await talk.ended(1)


@pytest.mark.statement(138)
async def test_a_child_never_changes_its_owner(desk: Desk) -> None:
    """Neither a session of ours nor the child of another one becomes a child."""
    steal = [
        announce(title="Thief"),
        announce(title="Thief", sessionId="s1"),
        announce(title="Thief", sessionId="s2"),
    ]
    desk.agent(on_prompt("first", announce(title="Explore")), on_prompt("second", *steal, say("done")))
    one, two = await desk.ready(), await desk.ready()
    await one.turn("first")
    await two.turn("second")
    assert one.status["subagents"] == [{"id": "child", "title": "Explore", "state": None}]
    assert two.status["subagents"] == []


@pytest.mark.statement(138)
async def test_odd_children_cost_nothing_but_themselves(desk: Desk) -> None:
    odd = [
        announce(sessionId=None),
        announce(sessionId=["x"]),
        announce(title={"a": 1}, state=7, capabilities=[], cwd="relative", additionalDirectories="x"),
        in_child({"sessionUpdate": "session_message"}),
        in_child({"sessionUpdate": "session_message", "messageId": "m", "content": 5}),
        in_child({"sessionUpdate": "session_message_chunk", "messageId": "m", "content": None}),
        announce(state={"state": "_own\u202e" + "x" * 5000}),
    ]
    desk.agent(on_prompt("work", *odd, say("done")))
    talk = await desk.ready()
    await talk.turn("work")
    assert talk.says.endswith("done")
    (child,) = talk.status["subagents"]
    assert child["title"] == "subagent child"
    assert child["state"].startswith("_own<202E>xxx")
    assert len(child["state"]) < 100


@pytest.mark.statement(138)
async def test_there_are_only_so_many_children(desk: Desk) -> None:
    many = [announce(sessionId="child-{n}")]
    desk.agent(on_prompt("work", repeat(limits.SUBAGENTS + 5, *many)))
    talk = await desk.ready()
    await talk.turn("work")
    assert len(talk.status["subagents"]) == limits.SUBAGENTS
    assert len([line for line in talk.lines if "more than" in line]) == 1


@pytest.mark.statement(138)
async def test_children_end_with_their_agent(desk: Desk) -> None:
    desk.agent(on_prompt("work", announce(title="Explore", state=RUNNING), called("a", title="x"), leave(1)))
    talk = await desk.ready()
    await talk.turn("work")
    assert talk.status["subagents"] == [{"id": "child", "title": "Explore", "state": None}]


@pytest.mark.statement(138)
async def test_a_child_is_cancelled_where_its_agent_lets_the_user(desk: Desk) -> None:
    can = {"capabilities": {"cancel": {}}, "state": RUNNING}
    agent = desk.agent(
        on_prompt("work", announce(title="Explore", state=RUNNING), wait("go on"), announce(**can))
    )
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.status["subagents"])
    desk.send("cancel_subagent", session=1, id="child")
    await desk.message("cannot cancel a subagent")
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    desk.send("cancel_subagent", session=1, id="child")
    (cancelled,) = await eventually(lambda: agent.got("session/cancel"))
    assert cancelled["params"] == {"sessionId": "child"}


@pytest.mark.statement(138)
async def test_a_replay_announces_the_children_anew(desk: Desk) -> None:
    desk.agent(
        on_initialize(loadSession=True),
        on_prompt("work", announce(title="Explore", state=RUNNING)),
        on(
            "session/load",
            announce(session="s1", title="Explore again"),
            called("a", title="x", status="completed"),
        ),
    )
    talk = await desk.ready()
    await talk.turn("work")
    talk.send("restart")
    await eventually(lambda: [child["title"] for child in talk.status["subagents"]] == ["Explore again"])
    await talk.until("idle")
    assert len([line for line in talk.lines if line.startswith("agent ")]) == 1


@pytest.mark.parametrize("own", ["The loop in price.py is it.", ""])
async def test_a_child_answers_in_its_own_words(desk: Desk, own: str) -> None:
    """What brings the answer to the parent may hold what the agent notes for itself."""
    note = "Report delivered. agentId: a7 (use SendMessage to continue)"
    reply = {"sessionUpdate": "session_message", "messageId": "r", "senderSessionId": "child"}
    desk.agent(
        on_prompt(
            "work",
            announce(title="Explore", state={"state": "running"}),
            in_child({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": own}}),
            update({**reply, "recipientSessionId": "{session}", "content": [{"type": "text", "text": note}]}),
            announce(state={"state": "idle", "stopReason": "end_turn"}),
            say("Done."),
        )
    )
    talk = await desk.ready()
    await talk.turn("work")
    (mark,) = [each for each in desk.editor.chat(talk.number).marks if each["kind"] == "tool"]
    talk.send("toggle", key=mark["key"], open=True)
    await eventually(lambda: "  │ answer:" in talk.lines)
    below = talk.lines[talk.lines.index("  │ answer:") + 1]
    assert below == f"  │ {own or note}"
