"""Permission requests: asked with all that one must see, answered by the very id that the agent gave, once."""

import json
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    OPTIONS,
    ask,
    eventually,
    on_prompt,
    permission,
    raw,
    request,
    result,
    say,
    tool,
    wait,
)
from tests.steps.questions import get_outcomes_by_id


async def asking(desk: Desk, count: int = 1) -> Talk:
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked(count)
    return talk


def nudge(desk: Desk) -> None:
    desk.client.hosts[0].connection.notify("go on", {})


@pytest.mark.statement(71, 74)
async def test_a_question_from_asking_to_its_answer(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", permission("Run it?", id="t", kind="execute"), say("{answer}")))
    talk = await asking(desk)
    (question,) = talk.questions
    assert (question["session"], question["kind"], question["title"]) == (1, "permission", "Run it?")
    assert (question["tool_call_id"], question["has_diff"], question["version"]) == ("t", False, 1)
    assert (talk.state, talk.status["questions"]) == ("asking", 1)
    talk.answer("always")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "always"}}
    assert talk.events("AcpQuestion", "AcpAnswered") == [
        ("AcpQuestion", {"id": question["id"]}),
        ("AcpAnswered", {"id": question["id"], "option_id": "always", "by": "user"}),
    ]
    assert (talk.status["questions"], talk.questions) == (0, [])
    states = [status["state"] for name, _, status in desk.editor.told if name == "AcpQuestion"]
    assert states == ["asking"]


@pytest.mark.statement(71)
@pytest.mark.parametrize("id", ["a b\n'\"", "漢", " ", 7, "7"])
async def test_the_option_id_goes_back_verbatim(desk: Desk, id: Any) -> None:
    agent = desk.agent(on_prompt("work", permission("?", [(id, "Yes", "allow_once")])))
    talk = await asking(desk)
    talk.answer(talk.questions[0]["options"][0]["id"])
    await talk.ended(1)
    sent = get_outcomes_by_id(agent)[0]["optionId"]
    assert (sent, type(sent)) == (id, type(id))


@pytest.mark.statement(72)
async def test_every_option_is_offered_in_order(desk: Desk) -> None:
    offered = [
        ("n", "No", "reject_once"),
        ("x", "Explain", "explain_it"),
        ("", "", ""),
        ("y", "Yes", "allow_once"),
    ]
    agent = desk.agent(on_prompt("work", permission("?", offered)))
    talk = await asking(desk)
    options = talk.questions[0]["options"]
    assert [(option["id"], option["kind"]) for option in options] == [
        ("n", "reject_once"),
        ("x", "explain_it"),
        ("", ""),
        ("y", "allow_once"),
    ]
    assert options[1]["name"] == "Explain"
    talk.answer("x")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "x"}}


@pytest.mark.statement(72)
@pytest.mark.parametrize("offered", [[], None, "all", [3, None]])
async def test_without_options_it_can_be_cancelled(desk: Desk, offered: Any) -> None:
    params = {"sessionId": "{session}", "toolCall": {"toolCallId": "t", "title": "?"}, "options": offered}
    agent = desk.agent(on_prompt("work", request("session/request_permission", params)))
    talk = await asking(desk)
    assert talk.questions[0]["options"] == []
    talk.answer(None)
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "cancelled"}}
    assert [(data["by"], data["option_id"]) for data in talk.data("AcpAnswered")] == [("cancel", None)]


@pytest.mark.statement(72)
async def test_options_without_kinds_can_be_chosen(desk: Desk) -> None:
    offered = [{"optionId": "go", "name": "Go on"}, {"optionId": "stop"}, {"name": "Only a name"}]
    params = {"sessionId": "{session}", "toolCall": {"toolCallId": "t", "title": "?"}, "options": offered}
    agent = desk.agent(on_prompt("work", request("session/request_permission", params)))
    talk = await asking(desk)
    shown = [(option["id"], option["name"], option["kind"]) for option in talk.questions[0]["options"]]
    assert shown == [("go", "Go on", ""), ("stop", "stop", ""), ("Only a name", "Only a name", "")]
    talk.answer("stop")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "stop"}}


@pytest.mark.statement(72)
async def test_thirty_options_are_all_there(desk: Desk) -> None:
    offered = [(f"o{number}", f"Option {number}", "allow_once") for number in range(1, 31)]
    agent = desk.agent(on_prompt("work", permission("?", offered)))
    talk = await asking(desk)
    assert [line.strip() for line in talk.lines if "Option" in line] == [
        f"{number} Option {number}" for number in range(1, 31)
    ]
    talk.answer("o30")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "o30"}}


async def test_more_options_than_are_shown_are_not_asked_with(desk: Desk) -> None:
    offered = [(f"o{number}", f"Option {number}", "allow_once") for number in range(1, 101)]
    agent = desk.agent(on_prompt("work", permission("?", offered), permission("!", offered[:99])))
    talk = await asking(desk)
    [refused] = [message["error"] for message in agent.got() if "error" in message]
    assert refused["message"] == "the user is asked with 99 options at most"
    assert "the agent asked with 100 options: refused, 99 at most are shown" in talk.lines
    assert talk.questions[0]["title"] == "!"
    assert [option["id"] for option in talk.questions[0]["options"]] == [id for id, *_ in offered[:99]]
    assert len([line for line in talk.lines if "Option" in line]) == 99


READS: Any = {"kind": "read", "rawInput": {"path": "a.txt"}}


async def test_options_with_one_id_are_shown_and_neither_can_be_chosen(desk: Desk) -> None:
    """The user's no would go out as the yes."""
    offered = [("x", "Yes", "allow_once"), ("x", "No", "reject_once"), ("y", "Yes, too", "allow_once")]
    agent = desk.agent(on_prompt("work", permission("?", offered, **READS), permission("!", offered[:2])))
    config = {"agents": desk._agents, "permissions": [{"action": "allow", "kind": "read"}]}
    desk.send("setup", config=config)
    talk = await asking(desk)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "y"}}
    assert talk.questions[0]["options"] == []
    assert any("share one id: 'Yes', 'No'" in line for line in talk.lines)
    talk.answer("x")
    await desk.message("has no option 'x'")
    talk.answer(None)
    await talk.ended(1)
    assert get_outcomes_by_id(agent)[1] == {"outcome": "cancelled"}


async def test_what_is_offered_twice_with_one_name_is_one_option(desk: Desk) -> None:
    offered = [
        ("y", "Yes", "allow_once"),
        (1, "No", "reject_once"),
        ("1", "Never", "reject_always"),
        OPTIONS[2],
    ]
    agent = desk.agent(on_prompt("work", permission("?", [*offered, offered[0]])))
    talk = await asking(desk)
    assert [option["id"] for option in talk.questions[0]["options"]] == ["y", "no"]
    talk.answer("y")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "y"}}


@pytest.mark.parametrize(("length", "cut"), [(900, False), (5000, True)])
async def test_the_name_of_an_option_is_shown_whole_or_nothing_can_be_allowed(
    desk: Desk, length: int, cut: bool
) -> None:
    name = "Yes, " + "x" * length + " and delete everything"
    agent = desk.agent(on_prompt("work", permission("?", [("y", name, "allow_once"), OPTIONS[2]])))
    talk = await asking(desk)
    assert any("and delete everything" in line for line in talk.lines) is not cut
    assert talk.questions[0]["cut"] is cut
    assert len(talk.questions[0]["options"][0]["name"]) < 1100
    talk.answer("no")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "no"}}


@pytest.mark.parametrize("gap", ["   ", "\u00a0\u00a0 ", "\u3000\u2003", "\t"])
async def test_the_name_of_an_option_does_not_look_like_several(desk: Desk, gap: str) -> None:
    name = f"Later{gap}2 ✗ No{gap}3 ✗ Never{gap}2 ✓ Yes"
    desk.agent(on_prompt("work", permission("Go on?", [("y", name, "allow_once"), OPTIONS[2]])))
    talk = await asking(desk)
    assert talk.questions[0]["options"][0]["name"] == "Later 2 ✗ No 3 ✗ Never 2 ✓ Yes"
    assert any("Later 2 ✗ No 3 ✗ Never 2 ✓ Yes" in line for line in talk.lines)
    talk.answer("no")
    await talk.ended(1)


@pytest.mark.statement(75)
async def test_two_questions_with_one_request_id_are_each_answered(desk: Desk) -> None:
    asked = [
        json.dumps(
            {"jsonrpc": "2.0", "id": 5, "method": "session/request_permission", "params": _about(id)}
        ).replace("{session}", "s1")
        for id in "ab"
    ]
    agent = desk.agent(on_prompt("work", raw("".join(f"{line}\n" for line in asked)), wait("go on")))
    talk = await asking(desk, 2)
    first, second = (question["id"] for question in talk.questions)
    talk.answer("no", second)
    talk.answer("yes", first)
    await talk.asked(0)
    nudge(desk)
    await talk.ended(1)
    sent = [message for message in agent.got() if "method" not in message]
    assert [(message["id"], message["result"]["outcome"]["optionId"]) for message in sent] == [
        (5, "no"),
        (5, "yes"),
    ]


@pytest.mark.statement(76)
async def test_an_answer_after_the_fact_is_a_clear_line(desk: Desk) -> None:
    asks = ask("session/request_permission", _about("t"))
    agent = desk.agent(on_prompt("work", asks, wait("go on"), tool("t", known=True, status="completed")))
    talk = await asking(desk)
    question = talk.questions[0]["id"]
    nudge(desk)
    await talk.ended(1)
    talk.answer("yes", question)
    await desk.message(f"not sent: question {question} is no longer open")
    assert get_outcomes_by_id(agent) == {0: {"outcome": "cancelled"}}


async def test_an_option_that_was_not_offered_sends_nothing(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", permission("?")))
    talk = await asking(desk)
    talk.answer("sudo")
    await desk.message("has no option 'sudo'")
    assert (len(talk.questions), get_outcomes_by_id(agent)) == (1, {})
    talk.answer("no")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "no"}}


@pytest.mark.statement(69)
async def test_answering_twice_is_refused_with_a_message(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", permission("?"), wait("go on")))
    talk = await asking(desk)
    question = talk.questions[0]["id"]
    talk.answer("no", question)
    talk.answer("yes", question)
    await desk.message(f"question {question} is no longer open")
    nudge(desk)
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "no"}}


@pytest.mark.statement(74)
async def test_a_call_that_was_announced_is_the_one_that_is_asked_about(desk: Desk) -> None:
    diff = {"type": "diff", "path": "/w/a.txt", "oldText": "a\n", "newText": "b\n"}
    announced = tool("t", title="change a.txt", kind="edit", content=[diff], status="pending")
    params = {"sessionId": "{session}", "toolCall": {"toolCallId": "t"}, "options": _offered()}
    desk.agent(on_prompt("work", announced, request("session/request_permission", params)))
    talk = await asking(desk)
    (question,) = talk.questions
    assert (question["title"], question["path"], question["has_diff"]) == ("change a.txt", "/w/a.txt", True)
    assert len([line for line in talk.lines if "a.txt" in line and not line.startswith(" ")]) == 1
    assert talk.lines[-1].endswith(" gd diff")
    talk.answer("yes")
    await talk.ended(1)


@pytest.mark.statement(74)
async def test_one_that_was_never_announced_is_created_with_its_whole_command(desk: Desk) -> None:
    command = "make " + "x" * 300 + " && rm -rf /\nsecond line \x1b[8m hidden"
    desk.agent(on_prompt("work", permission("Run", kind="execute", rawInput={"command": command})))
    talk = await asking(desk)
    shown = "\n".join(talk.lines)
    assert "x" * 300 + " && rm -rf /" in shown
    assert "second line ^[[8m hidden" in shown
    assert talk.data("AcpToolCall")[0]["title"] == "Run"
    talk.answer("no")
    await talk.ended(1)


@pytest.mark.statement(74)
@pytest.mark.parametrize(
    "call", [None, {}, "t", {"title": "no id"}, {"toolCallId": "t", "title": 3, "kind": [], "locations": "x"}]
)
async def test_an_odd_call_is_asked_all_the_same(desk: Desk, call: Any) -> None:
    params = {"sessionId": "{session}", "toolCall": call, "options": _offered()}
    agent = desk.agent(on_prompt("work", request("session/request_permission", params)))
    talk = await asking(desk)
    talk.answer("yes")
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": "yes"}}


@pytest.mark.statement(47)
async def test_without_a_session_id_there_is_no_doubt_with_one_session(desk: Desk) -> None:
    params = {"toolCall": {"toolCallId": "t"}, "options": _offered()}
    desk.agent(on_prompt("work", request("session/request_permission", params), say("{answer}")))
    talk = await asking(desk)
    talk.answer("yes")
    await talk.ended(1)
    second = await desk.ready()
    await talk.turn("work")
    assert "-32602" in talk.says
    assert second.questions == []


@pytest.mark.statement(75)
async def test_several_are_answered_in_any_order(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("work", *(ask("session/request_permission", _about(id)) for id in "abc"), wait("go on"))
    )
    talk = await asking(desk, 3)
    a, b, c = (question["id"] for question in talk.questions)
    assert a < b < c
    for question, option in ((b, "no"), (c, "yes"), (a, "always")):
        talk.answer(option, question)
    await talk.asked(0)
    nudge(desk)
    await talk.ended(1)
    assert {id: outcome["optionId"] for id, outcome in get_outcomes_by_id(agent).items()} == {
        0: "always",
        1: "no",
        2: "yes",
    }


async def test_ids_of_questions_are_unique_over_sessions(desk: Desk) -> None:
    desk.agent(on_prompt("work", ask("session/request_permission", _about("t")), wait("never")))
    one, two = await asking(desk), await asking(desk)
    assert one.questions[0]["id"] != two.questions[0]["id"]
    two.answer("no")
    await two.asked(0)
    assert len(one.questions) == 1


@pytest.mark.statement(76)
@pytest.mark.parametrize("status", ["pending", "in_progress", "completed", "failed"])
async def test_a_question_ends_with_its_call(desk: Desk, status: str) -> None:
    asks = ask("session/request_permission", _about("t"))
    agent = desk.agent(
        on_prompt("work", asks, wait("go on"), tool("t", known=True, status=status), wait("more"))
    )
    talk = await asking(desk)
    question = talk.questions[0]["id"]
    nudge(desk)
    await eventually(lambda: talk.data("AcpToolCall")[-1]["status"] == status)
    if status in ("pending", "in_progress"):
        talk.answer("yes")
        await talk.asked(0)
        by, outcome = ("user", "yes"), {"outcome": "selected", "optionId": "yes"}
    else:
        await talk.asked(0)
        talk.answer("yes", question)
        by, outcome = ("agent", None), {"outcome": "cancelled"}
    desk.client.hosts[0].connection.notify("more", {})
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: outcome}
    assert [(data["by"], data["option_id"]) for data in talk.data("AcpAnswered")] == [by]


@pytest.mark.statement(77)
async def test_a_later_input_refreshes_the_question(desk: Desk) -> None:
    asks = ask("session/request_permission", {**_about("t"), "toolCall": {"toolCallId": "t", "title": "Run"}})
    later = tool("t", known=True, rawInput={"command": "rm -rf build"}, title="Remove")
    desk.agent(on_prompt("work", asks, wait("go on"), later, wait("never")))
    talk = await asking(desk)
    assert talk.questions[0]["version"] == 1
    nudge(desk)
    await eventually(lambda: talk.questions[0]["version"] == 2)
    assert "rm -rf build" in "\n".join(talk.lines)


@pytest.mark.statement(77)
async def test_a_later_diff_refreshes_the_question(desk: Desk) -> None:
    asks = ask(
        "session/request_permission", {**_about("t"), "toolCall": {"toolCallId": "t", "title": "Edit"}}
    )
    diff = {"type": "diff", "path": "/w/a.txt", "oldText": None, "newText": "b\n"}
    desk.agent(on_prompt("work", asks, wait("go on"), tool("t", known=True, content=[diff]), wait("never")))
    talk = await asking(desk)
    nudge(desk)
    await eventually(lambda: talk.questions[0]["version"] == 2)
    assert (talk.questions[0]["path"], talk.questions[0]["has_diff"]) == ("/w/a.txt", True)


@pytest.mark.statement(78)
async def test_a_question_left_open_by_its_turn_is_answered(desk: Desk) -> None:
    asks = ask("session/request_permission", _about("t"))
    agent = desk.agent(on_prompt("work", asks, result({"stopReason": "end_turn"})))
    talk = await desk.ready()
    await talk.turn("work")
    await eventually(lambda: get_outcomes_by_id(agent) == {0: {"outcome": "cancelled"}})
    assert (talk.questions, talk.state) == ([], "idle")


@pytest.mark.statement(78)
async def test_a_question_of_a_session_that_is_closed_is_answered(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", ask("session/request_permission", _about("t")), wait("never")))
    talk = await asking(desk)
    talk.send("close")
    await eventually(lambda: get_outcomes_by_id(agent) == {0: {"outcome": "cancelled"}})


@pytest.mark.statement(78)
async def test_a_chat_that_is_drawn_anew_still_has_its_question(desk: Desk) -> None:
    desk.agent(on_prompt("work", ask("session/request_permission", _about("t")), wait("never")))
    talk = await asking(desk)
    before = list(talk.lines)
    talk.lines[0] = "out of step"
    talk.send("render")
    await eventually(lambda: talk.lines == before)
    assert any(mark["kind"] == "option" for mark in desk.editor.chat(1).marks)


def _offered() -> list[dict[str, str]]:
    return [{"optionId": id, "name": name, "kind": kind} for id, name, kind in OPTIONS]


def _about(id: str) -> dict[str, Any]:
    call = {"toolCallId": id, "title": f"run {id}", "rawInput": {"command": f"make {id}"}}
    return {"sessionId": "{session}", "toolCall": call, "options": _offered()}
