"""Proposals on the wire: what the user makes of the right side, and what of it reaches the agent and the disk."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    OPTIONS,
    Rule,
    ScriptedAgent,
    ask,
    error,
    eventually,
    mark,
    on,
    on_prompt,
    permission,
    request,
    result,
    say,
    tool,
    wait,
    write_file,
)
from tests.steps.backend import await_proposal, decide
from tests.steps.questions import get_outcomes_by_id

NOTES = "{cwd}/notes.txt"
OLD = "".join(f"line {n}\n" for n in range(1, 12))
NEW = OLD.replace("line 2\n", "TWO\n").replace("line 9\n", "NINE\n")
SOME = OLD.replace("line 9\n", "NINE\n")


def content(old: str | None = OLD, new: str = NEW, path: str = NOTES) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def edit(options: Any = OPTIONS, **fields: Any) -> list[Any]:
    return permission("edit", options, kind="edit", **{"content": [content()], **fields})


def write(text: str = NEW) -> list[Any]:
    return request("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": text})


def ended(status: str = "completed") -> list[Any]:
    return tool("call", known=True, status=status)


def notes(desk: Desk) -> Path:
    return desk.folder / "notes.txt"


async def proposal(desk: Desk) -> tuple[Talk, dict[str, Any]]:
    """Asked, and open before the user."""
    notes(desk).write_text(OLD)
    talk = await desk.ready()
    talk.prompt("edit")
    (question,) = await talk.asked()
    assert question["has_diff"]
    desk.send("diff", question=question["id"], focus=True)
    return talk, await await_proposal(desk)


def outcomes(agent: ScriptedAgent) -> list[Any]:
    found = [message.get("result") or {} for message in agent.got() if "method" not in message]
    return [result["outcome"].get("optionId", "cancelled") for result in found if "outcome" in result]


def blocks(agent: ScriptedAgent, number: int) -> list[str]:
    return [block["text"] for block in agent.got("session/prompt")[number]["params"]["prompt"]]


@pytest.mark.parametrize(("text", "outcome"), [(None, "yes"), (NEW, "yes"), (OLD, "no")])
async def test_all_is_allowed_and_nothing_is_rejected(desk: Desk, text: str | None, outcome: str) -> None:
    agent = desk.agent(on_prompt("edit", edit()))
    talk, seen = await proposal(desk)
    (file,) = seen["files"]
    assert (file["disk"], file["base"], file["new"]) == (OLD, None, NEW)
    decide(desk, seen, text)
    await talk.ended(1)
    assert get_outcomes_by_id(agent) == {0: {"outcome": "selected", "optionId": outcome}}
    await talk.turn("next")
    assert blocks(agent, 1) == ["next"]


async def test_some_of_it_is_written_in_the_place_of_all_and_told(desk: Desk) -> None:
    agent = desk.agent(on_prompt("edit", edit(), write(), ended(), say("Done.")))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    assert (outcomes(agent), notes(desk).read_text()) == (["yes"], SOME)
    await talk.turn("next")
    report, text = blocks(agent, 1)
    assert text == "next"
    assert "notes.txt" in report
    assert "-TWO" in report
    assert "+line 2" in report
    assert "reported to Scripted: 1 hunk of notes.txt refused" in talk.lines
    await talk.turn("last")
    assert blocks(agent, 2) == ["last"]
    # what it sent is what it believes: it may go on from there
    assert desk.client.sessions[1].writes_through


async def test_an_agent_that_also_writes_the_disk_after_writing_through_us_has_that_taken_back(
    desk: Desk,
) -> None:
    steps = [write(), write_file(NOTES, NEW), ended(), say("Done.")]
    desk.agent(on_prompt("edit", edit(), *steps), on_prompt("next", write_file(NOTES, NEW), say("Again.")))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    await eventually(lambda: notes(desk).read_text() == SOME)
    assert desk.messages("warn") == []
    await talk.turn("next")
    assert notes(desk).read_text() == NEW


async def test_a_report_that_is_echoed_is_not_shown_twice(desk: Desk) -> None:
    chunk = {"sessionUpdate": "user_message_chunk"}
    agent = desk.agent(
        on_prompt("edit it", edit(), write(), ended()),
        on_prompt("echo", ["update", {**chunk, "content": {"type": "text", "text": "echo this"}}], say("ok")),
    )
    notes(desk).write_text(OLD)
    talk = await desk.ready()
    talk.prompt("edit it")
    await talk.asked()
    desk.send("diff", question=talk.questions[0]["id"])
    decide(desk, await await_proposal(desk), SOME)
    await talk.ended(1)
    await talk.turn("echo this")
    assert len(agent.got("session/prompt")[1]["params"]["prompt"]) == 2
    assert [line for line in talk.lines if line == "echo this"] == ["echo this"]


async def test_what_an_agent_has_written_to_the_disk_is_taken_back_before_its_next_request(
    desk: Desk,
) -> None:
    run = {"sessionId": "{session}", "command": "cp", "args": [NOTES, "{cwd}/seen"]}
    agent = desk.agent(
        on_prompt(
            "edit",
            edit(),
            write_file(NOTES, NEW),
            ["ask", "terminal/create", run],
            ["ask", "session/request_permission", permission("more?", id="more")[2]],
            wait("go on"),
            ended(),
        )
    )
    talk, seen = await proposal(desk)
    assert seen["through"] is False
    decide(desk, seen, SOME)
    await eventually(lambda: len(talk.questions) == 1 and talk.questions[0]["title"] == "more?")
    assert notes(desk).read_text() == SOME
    await eventually((desk.folder / "seen").exists)
    await eventually(lambda: (desk.folder / "seen").read_text() == SOME)
    talk.answer("no")
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    assert outcomes(agent) == ["yes", "no"]
    assert desk.messages("warn") == []


MORE = permission("more?", id="more")
AGAIN = "notes.txt was written as proposed again: the refused hunks are reverted again"


@pytest.mark.parametrize(
    "between",
    [[MORE], [MORE, ended(), wait("go on")], [ended(), wait("go on")]],
    ids=["asks", "asks and ends", "ends"],
)
async def test_a_proposal_that_is_written_twice_is_taken_back_twice_and_told(
    desk: Desk, between: list[Any]
) -> None:
    agent = desk.agent(
        on_prompt("edit", edit(), write_file(NOTES, NEW), *between, write_file(NOTES, NEW), ended())
    )
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    if MORE in between:
        await eventually(lambda: [each["title"] for each in talk.questions] == ["more?"])
        assert notes(desk).read_text() == SOME
        talk.answer("no")
    if wait("go on") in between:
        await eventually(lambda: notes(desk).read_text() == SOME)
        desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    assert notes(desk).read_text() == SOME
    assert [text for text in desk.messages("warn") if "again" in text] == [AGAIN]
    assert outcomes(agent)[0] == "yes"


async def test_what_the_user_allows_later_in_the_turn_is_not_taken_back(desk: Desk) -> None:
    again = permission("edit again", id="again", kind="edit", content=[content(SOME, NEW)])
    done = tool("again", known=True, status="completed")
    agent = desk.agent(
        on_prompt("edit", edit(), write_file(NOTES, NEW), ended(), again, write_file(NOTES, NEW), done)
    )
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: [each["title"] for each in talk.questions] == ["edit again"])
    assert notes(desk).read_text() == SOME
    talk.answer("yes")
    await talk.ended(1)
    assert (outcomes(agent), notes(desk).read_text()) == (["yes", "yes"], NEW)
    assert desk.messages("warn") == []


async def test_what_the_user_saves_later_in_the_turn_is_not_taken_back(desk: Desk) -> None:
    desk.agent(on_prompt("edit", edit(), write_file(NOTES, NEW), MORE, ended()))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: [each["title"] for each in talk.questions] == ["more?"])
    desk.send("modified", path=str(notes(desk)), modified=True)
    notes(desk).write_text(NEW)
    desk.send("modified", path=str(notes(desk)), modified=False)
    talk.answer("no")
    await talk.ended(1)
    assert notes(desk).read_text() == NEW


async def test_another_write_than_the_proposed_one_stays_and_is_told(desk: Desk) -> None:
    agent = desk.agent(on_prompt("edit", edit(), write_file(NOTES, "other\n"), ended()))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    await desk.message("notes.txt was not written as proposed")
    assert (outcomes(agent), notes(desk).read_text()) == (["yes"], "other\n")


async def test_another_write_through_us_stays_and_is_told(desk: Desk) -> None:
    desk.agent(on_prompt("edit", edit(), write("other\n"), ended()))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    await desk.message("notes.txt was not written as proposed")
    assert notes(desk).read_text() == "other\n"


@pytest.mark.parametrize("status", ["completed", "failed"])
async def test_a_question_does_not_wait_for_a_write_that_never_comes(desk: Desk, status: str) -> None:
    more = permission("more?", id="more")[2]
    desk.agent(
        on_prompt("edit", edit(), ["ask", "session/request_permission", more], ended(status), wait("go on"))
    )
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: [each["title"] for each in talk.questions] == ["more?"])
    await desk.message("notes.txt was not written")
    talk.answer("no")
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)


@pytest.mark.parametrize("through", [False, True])
async def test_an_agent_that_does_not_write_is_told_of_when_its_turn_ends(desk: Desk, through: bool) -> None:
    agent = desk.agent(on_prompt("edit", edit(), mark("answered"), wait("session/cancel")))
    talk, seen = await proposal(desk)
    desk.client.sessions[1].writes_through = through
    decide(desk, seen, SOME)
    await eventually(lambda: agent.logged("mark"))
    assert outcomes(agent) == ["yes"]
    talk.send("cancel")
    await talk.ended(1)
    await desk.message("notes.txt was not written by the agent")
    assert not [text for text in desk.messages("warn") if "review" in text]


async def test_the_two_sides_may_have_moved_on(desk: Desk) -> None:
    """The editor makes both of what the file is by now; the backend takes them as they are."""
    agent = desk.agent(on_prompt("edit", edit()))
    talk, seen = await proposal(desk)
    left, right = (text.replace("line 5", "mine") for text in (OLD, NEW))
    decide(desk, seen, left, left=left, right=right)
    await talk.ended(1)
    assert (outcomes(agent), notes(desk).read_text()) == (["no"], OLD)


async def test_a_cancel_answers_a_question_behind_a_mixed_decision(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("edit", edit(), mark("answered"), permission("more?", id="more"), wait("session/cancel"))
    )
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: agent.logged("mark"))
    talk.send("cancel")
    await talk.ended(1)
    assert outcomes(agent) == ["yes", "cancelled"]


async def test_without_allow_once_it_is_all_or_nothing(desk: Desk) -> None:
    only = [("always", "Always", "allow_always"), ("no", "No", "reject_once")]
    agent = desk.agent(on_prompt("edit", edit(only)))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await desk.message("not sent: no option allows this once")
    decide(desk, seen, NEW)
    await desk.message("not sent: no option would allow this once")
    assert (outcomes(agent), len(talk.questions)) == ([], 1)
    decide(desk, seen, OLD)
    await talk.ended(1)
    assert outcomes(agent) == ["no"]


async def test_what_has_changed_meanwhile_is_shown_again(desk: Desk) -> None:
    newer = NEW.replace("NINE", "NINE, again")
    agent = desk.agent(
        on_prompt(
            "edit",
            ["ask", *edit()[1:]],
            wait("go on"),
            tool("call", known=True, content=[content(new=newer)]),
            wait("session/cancel"),
        )
    )
    talk, seen = await proposal(desk)
    desk.client.hosts[0].connection.notify("go on", {})
    fresh = await await_proposal(desk, 2)
    assert (fresh["version"], fresh["renews"], fresh["files"][0]["new"]) == (2, True, newer)
    decide(desk, seen, None)
    await desk.message("look at it again")
    assert outcomes(agent) == []
    talk.send("cancel")
    await talk.ended(1)


async def test_deciding_twice_answers_once(desk: Desk) -> None:
    agent = desk.agent(on_prompt("edit", edit(), write(), ended()))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    decide(desk, seen, SOME)
    await talk.ended(1)
    decide(desk, seen, None)
    await desk.message("is no longer open")
    assert outcomes(agent) == ["yes"]
    assert notes(desk).read_text() == SOME


@pytest.mark.statement(74)
async def test_from_raw_input_alone(desk: Desk) -> None:
    raw = {"file_path": NOTES, "old_string": "line 2\n", "new_string": "TWO\n"}
    agent = desk.agent(on_prompt("edit", edit(content=[], rawInput=raw)))
    talk, seen = await proposal(desk)
    assert seen["files"][0]["new"] == OLD.replace("line 2\n", "TWO\n")
    decide(desk, seen, None)
    await talk.ended(1)
    assert outcomes(agent) == ["yes"]


@pytest.mark.parametrize("kind", ["folder", "binary", "gone", "outside", "patch"])
async def test_what_cannot_be_placed_is_said_and_still_answerable(desk: Desk, kind: str) -> None:
    path = {"outside": "/nowhere/at/all.txt", "folder": "{cwd}/folder", "gone": "{cwd}/gone"}.get(kind, NOTES)
    fields: dict[str, Any] = {"content": [content("a\n", "b\n", path)]}
    if kind == "patch":
        diff = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n line 1\n-line 2\n+TWO\n"
        fields = {"content": [], "rawInput": {"diff": diff}}
    (desk.folder / "folder").mkdir()
    agent = desk.agent(on_prompt("edit", edit(**fields)))
    notes(desk).write_bytes(b"a\xff\xfe\n" if kind == "binary" else OLD.encode())
    talk = await desk.ready()
    talk.prompt("edit")
    await talk.asked()
    desk.send("diff", question=talk.questions[0]["id"])
    seen = await await_proposal(desk)
    (file,) = seen["files"]
    if kind == "patch":
        assert file["new"] == OLD.replace("line 2\n", "TWO\n")
    else:
        assert (file["base"], file["new"], file["outside"]) == ("a\n", "b\n", kind == "outside")
        assert "shown as sent" in file["problem"]
    decide(desk, seen, None)
    await talk.ended(1)
    assert outcomes(agent) == ["yes"]


async def test_the_agent_may_end_at_any_time(desk: Desk) -> None:
    agent = desk.agent(on_prompt("edit", edit(), mark("answered"), wait("go on"), ["exit", 0]))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: agent.logged("mark"))
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.until("stopped")
    assert notes(desk).read_text() == OLD


# --- agents that take words into a running turn

STEERING = "_session/steering"
STEERED = on(STEERING, result({"outcome": "injected"}))


def steers() -> Rule:
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    meta = {"steering": {"supported": True}}
    return on("initialize", result({"protocolVersion": 1, "agentInfo": info, "_meta": meta}))


def steered(agent: ScriptedAgent) -> list[str]:
    return [block["text"] for message in agent.got(STEERING) for block in message["params"]["prompt"]]


async def test_a_mixed_decision_is_told_to_the_running_turn_once_the_file_is_as_decided(desk: Desk) -> None:
    steps = [edit(), write(), say("Written. "), ended(), wait(STEERING), say("I see.")]
    agent = desk.agent(steers(), on_prompt("edit", *steps), STEERED)
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    (report,) = steered(agent)
    assert "notes.txt: 1 hunk refused by the user." in report
    assert ("-TWO" in report, "+line 2" in report, "NINE" in report) == (True, True, False)
    assert notes(desk).read_text() == SOME
    # the answer to the steering may come behind the end of the turn
    await eventually(lambda: "reported to Scripted: 1 hunk of notes.txt refused" in talk.lines)
    marks = desk.editor.chat(talk.number).marks
    assert [mark["eol"][0][0] for mark in marks if mark["kind"] == "user" and mark.get("eol")] == [
        "· sent into the turn"
    ]
    await talk.turn("next")
    assert blocks(agent, 1) == ["next"]


async def test_a_report_that_is_not_taken_begins_the_next_prompt(desk: Desk) -> None:
    steps = [edit(), write(), ended(), wait(STEERING)]
    answer = on(STEERING, result({"outcome": "promptRequired", "reason": "noRunningTurn"}))
    agent = desk.agent(steers(), on_prompt("edit", *steps), answer)
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await talk.ended(1)
    await talk.turn("next")
    assert ["-TWO" in text for text in blocks(agent, 1)] == [True, False]
    assert "reported to Scripted: 1 hunk of notes.txt refused" in talk.lines
    assert not [mark for mark in desk.editor.chat(talk.number).marks if "sent into" in str(mark.get("eol"))]


@pytest.mark.parametrize(
    "answer", [error(-32603, "no"), result({}), result({"outcome": "promptRequired", "reason": "busy"})]
)
async def test_a_report_that_a_running_turn_refuses_is_offered_once(desk: Desk, answer: Any) -> None:
    steps = [edit(), write(), ended(), wait("go on"), say("Done.")]
    agent = desk.agent(steers(), on_prompt("edit", *steps), on(STEERING, answer))
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await desk.message("did not take your report of what you refused", "your next prompt begins with it")
    talk.prompt("and the tests", steer=True)
    await eventually(lambda: talk.data("AcpSteered"))
    assert [text.startswith("and the tests") for text in steered(agent)] == [False, True]
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(2)
    assert [("-TWO" in text, text) for text in blocks(agent, 1)][1] == (False, "and the tests")
    assert "-TWO" in blocks(agent, 1)[0]
    assert len(agent.got(STEERING)) == 2
    assert len([text for text in desk.messages("warn") if "report" in text]) == 1


async def test_a_report_waits_for_the_other_question_and_goes_with_the_users_words(desk: Desk) -> None:
    asks = ask(
        "session/request_permission",
        {"sessionId": "{session}", "toolCall": {"toolCallId": "b"}, "options": []},
    )
    steps = [edit(), asks, write(), ended(), wait(STEERING)]
    agent = desk.agent(steers(), on_prompt("edit", *steps), STEERED)
    talk, seen = await proposal(desk)
    decide(desk, seen, SOME)
    await eventually(lambda: seen["question"] in desk.editor.carried_out)
    (question,) = await talk.asked()
    talk.prompt("mind the tests", steer=True)
    assert steered(agent) == []
    talk.answer(None, question["id"])
    await talk.ended(1)
    report, words = steered(agent)
    assert ("-TWO" in report, words) == (True, "mind the tests")
    # the answer to the steering may come behind the end of the turn
    await eventually(lambda: talk.data("AcpSteered") == [{"text": "mind the tests", "outcome": "injected"}])
    await eventually(lambda: talk.lines.count("## You") == 2)


@pytest.mark.parametrize("takes", [True, False])
async def test_a_rejection_with_a_reason(desk: Desk, takes: bool) -> None:
    """As `:Acp reject {text}` sends it."""
    steps = [edit(), *([wait(STEERING)] if takes else [mark("answered")]), say("Then not.")]
    rules = [on_prompt("edit", *steps), STEERED]
    agent = desk.agent(*([steers(), *rules] if takes else rules))
    talk, _ = await proposal(desk)
    talk.prompt("later")
    talk.answer("no")
    talk.prompt("never touch line 2", steer=True, next=True)
    await talk.ended(2 if takes else 3)
    assert outcomes(agent) == ["no"]
    assert steered(agent) == (["never touch line 2"] if takes else [])
    assert [blocks(agent, number)[0] for number in range(len(agent.got("session/prompt")))] == (
        ["edit", "later"] if takes else ["edit", "never touch line 2", "later"]
    )
    assert not desk.messages("info")
