"""Turns: what is sent, what comes back, and how each may end. And the queue of what is to be sent."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    error,
    eventually,
    leave,
    on,
    on_initialize,
    on_prompt,
    permission,
    result,
    say,
    think,
    tool,
    update,
    wait,
)


def sent(agent: ScriptedAgent) -> list[str]:
    """The texts of the prompts that have reached it."""
    return [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]


def chunk(role: str, content: Any, **more: Any) -> list[Any]:
    return update({"sessionUpdate": f"{role}_chunk", "content": content, **more})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


@pytest.mark.statement(50)
async def test_a_prompt_is_an_array_with_its_text(desk: Desk) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    await talk.turn("a <b> 'c'\nä漢😀\u2028 /plan")
    (message,) = agent.got("session/prompt")
    assert message["params"] == {
        "sessionId": "s1",
        "prompt": [{"type": "text", "text": "a <b> 'c'\nä漢😀\u2028 /plan"}],
    }
    assert talk.lines[:3] == ["## You", "a <b> 'c'", "ä漢😀\u2028 /plan"]


@pytest.mark.statement(51, 53)
@pytest.mark.parametrize("embeds", [True, False])
async def test_context_goes_along_as_the_agent_takes_it(desk: Desk, embeds: bool) -> None:
    agent = desk.agent(on_initialize(promptCapabilities={"embeddedContext": embeds}))
    file = desk.folder / "my file ü.txt"
    file.write_text("from disk\n")
    talk = await desk.ready()
    part = {"file": str(file), "first": 2, "last": 3, "lines": ["two", "three"]}
    await talk.turn("look", context=[{"file": file.name}, part, {"file": "gone"}])
    uri = f"file://{desk.folder}/my%20file%20%C3%BC.txt"
    blocks = agent.got("session/prompt")[0]["params"]["prompt"][1:]
    if embeds:
        resources = [block["resource"] for block in blocks]
        assert [(each["uri"], each["text"]) for each in resources] == [
            (uri, "from disk\n"),
            (f"{uri}#L2-3", "two\nthree\n"),
        ]
    else:
        kinds = ["resource_link", "resource_link", "text"]
        assert [block["type"] for block in blocks] == kinds
        assert [block.get("uri") for block in blocks] == [uri, f"{uri}#L2-3", None]
    await desk.message("left out of the prompt", "gone")


@pytest.mark.statement(54)
async def test_chunks_are_joined_and_a_new_kind_begins_a_block(desk: Desk) -> None:
    pieces = (say("Hel"), say("lo\nwor"), say(""), say("ld"), think("hm"), think(" hm"), say("Done"))
    desk.agent(on_prompt("", *pieces))
    talk = await desk.ready()
    await talk.turn("hello")
    lines = talk.says.split("\n")
    assert lines[:2] == ["Hello", "world"]
    assert lines[-1] == "Done"
    assert [line for line in lines if line.startswith("thought")] == ["thought"]


@pytest.mark.statement(55)
async def test_another_message_id_begins_another_message(desk: Desk) -> None:
    ids = (("a", "one "), ("a", "more"), ("b", "two"), (None, " end"))
    steps = [chunk("agent_message", text(words), **({"messageId": id} if id else {})) for id, words in ids]
    desk.agent(on_prompt("", *steps))
    talk = await desk.ready()
    await talk.turn("hello")
    assert [line for line in talk.says.split("\n") if line] == ["one more", "two end"]


@pytest.mark.statement(56)
async def test_our_own_words_are_not_shown_twice(desk: Desk) -> None:
    echo = chunk("user_message", text("say ")), chunk("user_message", text("hello\n")), say("hello")
    desk.agent(on_prompt("", *echo))
    talk = await desk.ready()
    await talk.turn("say hello")
    assert [line for line in talk.lines if line] == ["## You", "say hello", "## Scripted", "hello"]


@pytest.mark.statement(57)
async def test_what_is_no_text_has_a_placeholder(desk: Desk) -> None:
    blocks = (
        {"type": "image", "mimeType": "image/png", "data": "AAAA"},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource_link", "uri": "file:///x/y.txt", "name": "y.txt"},
        {"type": "resource", "resource": {"uri": "file:///x/z.txt", "text": "inside"}},
        {"type": "hologram", "data": 1},
        {"type": "image"},
    )
    desk.agent(on_prompt("", say("see"), *(chunk("agent_message", block) for block in blocks), say("that")))
    talk = await desk.ready()
    await talk.turn("hello")
    shown = [line for line in talk.lines if line.startswith("[")]
    assert len(shown) == len(blocks)
    for line, words in zip(
        shown, ("image/png", "audio/wav", "y.txt", "z.txt", "hologram", "image"), strict=True
    ):
        assert words in line
    assert "see" in talk.lines
    assert talk.lines[-1] == "that"


@pytest.mark.statement(59)
@pytest.mark.parametrize(
    ("answer", "reason", "shown"),
    [
        ({"stopReason": "end_turn"}, "end_turn", ""),
        ({"stopReason": "max_tokens"}, "max_tokens", "token limit"),
        ({"stopReason": "max_turn_requests"}, "max_turn_requests", "limit of requests"),
        ({"stopReason": "refusal"}, "refusal", "refused"),
        ({"stopReason": "cancelled"}, "cancelled", "cancelled"),
        ({"stopReason": "coffee_break"}, "coffee_break", "coffee_break"),
        ({"stopReason": 7}, "end_turn", ""),
        ({}, "end_turn", ""),
        ("text", "end_turn", ""),
    ],
)
async def test_every_stop_reason_frees_the_prompt(desk: Desk, answer: Any, reason: str, shown: str) -> None:
    desk.agent(on_prompt("", say("Hi"), result(answer), times=1))
    talk = await desk.ready()
    assert await talk.turn("hello") == {"turn": 1, "stop_reason": reason, "error": None}
    assert (talk.state, talk.status["stop_reason"]) == ("idle", reason)
    assert shown in talk.lines[-1]
    assert (talk.lines[-1] == "Hi") is (not shown)
    assert (await talk.turn("again"))["stop_reason"] == "end_turn"
    assert talk.status["turn"] == 2


@pytest.mark.statement(31)
async def test_an_error_that_wants_a_login_leads_to_auth(desk: Desk) -> None:
    desk.agent(on_prompt("", error(-32000, "token expired")))
    talk = await desk.ready()
    ended = await talk.turn("hello")
    assert "token expired" in ended["error"]
    assert talk.state == "auth"


@pytest.mark.statement(61)
async def test_late_updates_are_shown_below(desk: Desk) -> None:
    call = {"toolCallId": "t", "title": "build", "sessionUpdate": "tool_call", "status": "completed"}
    desk.agent(on_prompt("", say("Hi"), result({"stopReason": "end_turn"}), update(call), say("P.S.")))
    talk = await desk.ready()
    await talk.turn("hello")
    await eventually(lambda: talk.lines[-1] == "P.S.")
    assert talk.lines.index("Hi") < talk.lines.index("tool    build")
    assert talk.state == "idle"


async def test_an_answer_with_the_whole_text_instead_of_chunks(desk: Desk) -> None:
    answer = {"stopReason": "end_turn", "content": [text("all at once")]}
    desk.agent(on_prompt("", result(answer), times=1), on_prompt("", say("streamed"), result(answer)))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "all at once"
    await talk.turn("again")
    assert talk.says == "streamed"


@pytest.mark.statement(45, 88, 89, 90, 94, 95)
async def test_what_else_the_status_shows(desk: Desk) -> None:
    modes = {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    }
    option = {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "b"}
    option["options"] = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
    plan = [
        {"content": "look", "status": "completed"},
        {"content": "do", "status": "in_progress"},
        {"bad": 1},
    ]
    hostile = "red\x1b[31m\u202e"
    steps = (
        {"sessionUpdate": "current_mode_update", "currentModeId": "code"},
        {"sessionUpdate": "config_option_update", "configOptions": [option, {"id": 3}]},
        {"sessionUpdate": "session_info_update", "title": hostile},
        {"sessionUpdate": "usage_update", "used": 5, "size": 0, "cost": {"amount": 0.5, "currency": "EUR"}},
        {"sessionUpdate": "usage_update", "used": 6, "size": 0},
        {"sessionUpdate": "plan", "entries": [{"content": "old"}]},
        {"sessionUpdate": "plan", "entries": plan},
        {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "gone"}]},
        {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [
                {"name": "plan", "description": "make one", "input": {"hint": "what"}},
                {"x": 1},
            ],
        },
    )
    agent = desk.agent(
        on("session/new", result({"sessionId": "s1", "modes": modes})), on_prompt("", *map(update, steps))
    )
    talk = await desk.ready()
    assert (talk.status["mode"], [mode["id"] for mode in talk.status["modes"]]) == ("ask", ["ask", "code"])
    await talk.turn("/plan it")
    status = talk.status
    assert (status["mode"], status["model"]) == ("code", "b")
    assert status["models"] == [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
    assert [each["id"] for each in status["options"]] == ["m"]
    assert status["title"] == "red^[[31m<202E>"
    assert status["usage"] == {"used": 6, "size": 0, "cost": {"amount": 0.5, "currency": "EUR"}}
    assert (status["plan"]["done"], status["plan"]["total"], status["plan"]["current"]) == (1, 2, "do")
    assert desk.editor.commands[1] == [{"name": "plan", "description": "make one", "hint": "what"}]
    assert "old" not in "\n".join(talk.lines)
    assert agent.got("session/prompt")[0]["params"]["prompt"] == [text("/plan it")]


# --- the queue


def busy(desk: Desk, *more: Any) -> ScriptedAgent:
    """An agent that works on "long" until it is told to go on, or cancelled."""
    return desk.agent(on_prompt("long", say("on it"), wait("go on")), *more)


def go_on(desk: Desk) -> None:
    desk.client.hosts[0].connection.notify("go on", {})


async def working(desk: Desk, *queued: str) -> Talk:
    talk = await desk.ready()
    talk.prompt("long")
    for words in queued:
        talk.prompt(words)
    await eventually(lambda: talk.state == "running" and talk.status["queue"] == len(queued))
    return talk


@pytest.mark.statement(62)
async def test_a_second_prompt_waits_for_the_first(desk: Desk) -> None:
    agent = busy(desk)
    talk = await working(desk, "second", "third")
    await eventually(lambda: sent(agent) == ["long"])
    assert not talk.status["held"]
    go_on(desk)
    await talk.ended(3)
    assert sent(agent) == ["long", "second", "third"]
    assert (talk.status["queue"], talk.status["turn"]) == (0, 3)
    turns = talk.events("AcpTurnStarted", "AcpTurnEnded")
    assert [(name, data["turn"]) for name, data in turns] == [
        (name, turn) for turn in (1, 2, 3) for name in ("AcpTurnStarted", "AcpTurnEnded")
    ]


async def test_every_prompt_is_acknowledged(desk: Desk) -> None:
    busy(desk)
    talk = await working(desk, "second")
    assert talk.status["ack"] == 2
    go_on(desk)
    await talk.ended(2)
    assert talk.status["ack"] == 2


async def test_next_goes_before_what_waits(desk: Desk) -> None:
    agent = busy(desk)
    talk = await working(desk, "later")
    talk.prompt("next", next=True)
    go_on(desk)
    await talk.ended(3)
    assert sent(agent) == ["long", "next", "later"]
    assert agent.got("session/cancel") == []


@pytest.mark.parametrize(
    "answer", [result({"stopReason": "cancelled"}), error(-32603, "aborted"), result({})]
)
async def test_first_cancels_waits_and_goes_before_what_waits(desk: Desk, answer: list[Any]) -> None:
    agent = desk.agent(on_prompt("long", say("on it"), wait("session/cancel"), wait("go on"), answer))
    talk = await working(desk, "later")
    talk.prompt("now", first=True)
    await eventually(lambda: agent.got("session/cancel"))
    assert (talk.state, sent(agent)) == ("running", ["long"])
    go_on(desk)
    await talk.ended(3)
    assert sent(agent) == ["long", "now", "later"]
    assert len(agent.got("session/cancel")) == 1


@pytest.mark.parametrize("how", [{"first": True}, {"next": True}])
async def test_first_and_next_with_nothing_running_are_just_sent(desk: Desk, how: dict[str, bool]) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    assert (await talk.turn("hello", **how))["stop_reason"] == "end_turn"
    assert [message["method"] for message in agent.got()][2:] == ["session/prompt"]


@pytest.mark.parametrize(
    "ends",
    [error(-32603, "boom"), result({"stopReason": "refusal"}), leave(3)],
    ids=["error", "refusal", "exit"],
)
async def test_what_goes_wrong_holds_the_queue(desk: Desk, ends: list[Any]) -> None:
    agent = desk.agent(on_prompt("long", wait("go on"), ends))
    talk = await working(desk, "old", "older")
    go_on(desk)
    await talk.ended(1)
    assert (talk.status["queue"], talk.status["held"]) == (2, True)
    talk.prompt("new")
    await talk.ended(4)
    assert sent(agent) == ["long", "new", "old", "older"]
    assert talk.status["held"] is False


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "max_turn_requests", "other"])
async def test_what_goes_well_lets_the_queue_go_on(desk: Desk, reason: str) -> None:
    agent = desk.agent(on_prompt("long", wait("go on"), result({"stopReason": reason})))
    talk = await working(desk, "second")
    go_on(desk)
    await talk.ended(2)
    assert sent(agent) == ["long", "second"]


async def test_a_held_queue_is_released(desk: Desk) -> None:
    agent = desk.agent(on_prompt("long", wait("go on"), error(-32603, "boom")))
    talk = await working(desk, "second", "third")
    go_on(desk)
    await eventually(lambda: talk.status["held"])
    talk.send("queue_release")
    await talk.ended(3)
    assert sent(agent) == ["long", "second", "third"]


async def test_the_queue_can_be_edited(desk: Desk) -> None:
    agent = busy(desk)
    talk = await working(desk, "one", "two")
    talk.send("queue_open")
    await eventually(lambda: desk.editor.queues.get(1))
    assert [(each["seq"], each["text"]) for each in desk.editor.queues[1]] == [(2, "one"), (3, "two")]
    talk.edit_queue([(3, "two", False), (4, "three\nlines", True)], shown=[2, 3])
    await eventually(lambda: talk.status["queue"] == 2)
    go_on(desk)
    await talk.ended(3)
    assert sent(agent) == ["long", "two", "three\nlines"]


async def test_a_question_does_not_send_the_queue(desk: Desk) -> None:
    agent = desk.agent(on_prompt("long", permission("Run it?")))
    talk = await desk.ready()
    talk.prompt("long")
    await talk.asked()
    talk.prompt("second")
    await eventually(lambda: talk.status["queue"] == 1)
    assert (talk.state, sent(agent)) == ("asking", ["long"])
    talk.answer("yes")
    await talk.ended(2)
    assert sent(agent) == ["long", "second"]


async def test_the_tool_calls_of_a_turn_left_open_are_closed(desk: Desk) -> None:
    desk.agent(on_prompt("", tool("t", title="build", status="in_progress")))
    talk = await desk.ready()
    await talk.turn("hello")
    assert [data["status"] for data in talk.data("AcpToolCall")] == ["in_progress", "cancelled"]
    assert [name for name, _ in talk.events()][-1] == "AcpTurnEnded"
