"""What agents ask in words: forms, pages, questions of their own; each answered once, with what was asked for."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects import DIALECTS, Dialect
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    ask,
    eventually,
    notify,
    on,
    on_prompt,
    request,
    result,
    say,
    tool,
    wait,
)
from tests.steps.forms import (
    FORMAT,
    NAME,
    ONE_QUESTION,
    OTHER,
    TWO_QUESTIONS,
    ask_user_question,
    request_form,
    request_page,
)

COLOUR = {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]}


def answers(agent: ScriptedAgent) -> list[Any]:
    return [message.get("result", message.get("error")) for message in agent.got() if "method" not in message]


async def asking(desk: Desk, *steps: list[Any]) -> tuple[ScriptedAgent, Talk]:
    agent = desk.agent(on_prompt("work", *steps))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    return agent, talk


@pytest.mark.statement(24, 25)
async def test_a_form_from_asking_to_its_answer(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({"name": NAME, "age": {"type": "integer"}}, ["name"]))
    (question,) = talk.questions
    assert (question["kind"], question["title"], talk.state) == ("elicitation", "Who are you?", "asking")
    assert [(each["id"], each["kind"]) for each in question["options"]] == [
        ("answer", "allow_once"),
        ("decline", "reject_once"),
    ]
    first, second = question["fields"]
    assert (first["name"], first["title"], first["type"]) == ("name", "Your name", "string")
    assert (first["required"], second["required"]) == (True, False)
    shown = "\n".join(talk.lines)
    assert "Who are you?" in shown
    assert "Your name" in shown
    talk.answer("answer", content={"name": "Ada", "age": 36})
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"name": "Ada", "age": 36}}]
    assert [data["option_id"] for data in talk.data("AcpAnswered")] == ["answer"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({}, "'Your name' is required"),
        ({"name": "A"}, "at least 2 characters"),
        ({"name": 3}, "must be text"),
        ({"name": "Ada", "age": "old"}, "'age' must be a number"),
        ({"name": "Ada", "other": 1}, "no field 'other'"),
        ("Ada", "must be a table"),
        ([1], "must be a table"),
    ],
)
async def test_bad_content_is_refused_and_the_question_stays(desk: Desk, content: Any, words: str) -> None:
    agent, talk = await asking(desk, request_form({"name": NAME, "age": {"type": "integer"}}, ["name"]))
    question = talk.questions[0]
    talk.answer("answer", content=content)
    said = await desk.message(words)
    assert said.startswith("not sent: ")
    await eventually(lambda: talk.questions[0]["version"] > question["version"])
    assert (answers(agent), talk.state) == ([], "asking")
    talk.answer("answer", content={"name": "Ada"})
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"name": "Ada"}}]


async def test_without_content_the_form_opens(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({"name": NAME}, ["name"]))
    id = talk.questions[0]["id"]
    talk.answer("answer")
    words, fields = await eventually(lambda: desk.editor.forms.get(id))
    assert (words, fields) == (["Who are you?"], talk.questions[0]["fields"])
    assert answers(agent) == []
    desk.send("form_send", question=id, fields={"name": {"text": "A", "chosen": []}})
    errors = await eventually(lambda: desk.editor.form_errors.get(id))
    assert errors == {"name": "must have at least 2 characters"}
    desk.send("form_send", question=id, fields={"name": {"text": "Ada", "chosen": []}})
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"name": "Ada"}}]
    desk.send("form_send", question=id, fields={})
    await desk.message("no longer open")


async def test_a_form_without_fields_is_accepted_by_itself(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({}))
    talk.answer("answer")
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {}}]


async def test_one_choice_is_offered_as_options(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({"colour": COLOUR}))
    offered = [(each["id"], each["name"]) for each in talk.questions[0]["options"]]
    assert offered[:2] == [("r", "Red"), ("b", "Blue")]
    assert [id for id, _ in offered[2:]] == ["answer", "decline"]
    talk.answer("b")
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"colour": "b"}}]


@pytest.mark.parametrize("by", ["option", "form"])
async def test_a_text_beside_the_only_choice_is_no_question_of_its_own(desk: Desk, by: str) -> None:
    """The answer of an option is that of the form with this choice."""
    agent, talk = await asking(desk, request_form(ONE_QUESTION))
    options = talk.questions[0]["options"]
    assert [each["id"] for each in options] == ["TOML", "INI", "JSON", "answer", "decline"]
    assert [each.get("description", "")[:5] for each in options] == ["Typed", "What ", "No co", "", ""]
    typed = {"question_0": {"text": "", "chosen": [2]}, "question_0_custom": {"text": "", "chosen": []}}
    if by == "option":
        talk.answer("INI")
    else:
        desk.send("form_send", question=talk.questions[0]["id"], fields=typed)
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"question_0": "INI"}}]


@pytest.mark.parametrize(
    ("key", "more"),
    [
        ("question_0_custom", {"enum": ["a"]}),
        ("question_0_custom", {"default": "words"}),
        ("question_0_custom", {"type": "integer"}),
        ("question_0_notes", {}),
        ("question_1_custom", {}),
    ],
)
async def test_any_other_field_needs_the_form(desk: Desk, key: str, more: dict[str, Any]) -> None:
    fields = {"question_0": FORMAT, key: {**OTHER, **more}}
    _, talk = await asking(desk, request_form(fields))
    assert [each["id"] for each in talk.questions[0]["options"]] == ["answer", "decline"]
    assert "TOML  Typed values" in "\n".join(talk.lines)


async def test_a_description_of_several_lines_is_shown_as_it_is(desk: Desk) -> None:
    described = {**NAME, "description": "As on the door.\n\n  Not the number."}
    _, talk = await asking(desk, request_form({"name": described, "age": {"type": "integer"}}))
    at = talk.lines.index("    Your name  As on the door.")
    assert talk.lines[at + 1 : at + 4] == ["", "      Not the number.", "    age"]


async def test_a_call_that_only_asks_is_the_question(desk: Desk) -> None:
    agent, talk = await asking(desk, *ask_user_question(TWO_QUESTIONS))
    assert "Asking for your input" not in "\n".join(talk.lines)
    talk.answer("answer", content={"question_0": "TOML", "question_1": ["Docs"]})
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept", "content": {"question_0": "TOML", "question_1": ["Docs"]}}]
    (line,) = [line for line in talk.lines if line.startswith("ask ")]
    assert line == "ask     Please answer the following questions."
    assert "Asking for your input" not in "\n".join(talk.lines)


@pytest.mark.parametrize("call", [{"kind": "execute"}, {"content": []}, {"status": "completed"}])
async def test_a_call_that_does_more_keeps_its_line(desk: Desk, call: dict[str, Any]) -> None:
    (begin, *rest) = ask_user_question(TWO_QUESTIONS)
    begun = tool("ask", known=True, **call)
    _, talk = await asking(desk, begin, begun, *rest)
    assert "Asking for your input" in "\n".join(talk.lines)
    assert "ask     Please answer the following questions." in talk.lines


@pytest.mark.parametrize(
    ("option", "action", "by"), [("decline", "decline", "user"), (None, "cancel", "cancel")]
)
async def test_declined_and_cancelled(desk: Desk, option: str | None, action: str, by: str) -> None:
    agent, talk = await asking(desk, request_form({"name": NAME}, ["name"]))
    talk.answer(option)
    await talk.ended(1)
    assert answers(agent) == [{"action": action}]
    assert [data["by"] for data in talk.data("AcpAnswered")] == [by]


@pytest.mark.statement(64)
async def test_a_cancelled_turn_cancels_its_questions_in_words(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({"name": NAME}), request_page())
    talk.send("cancel")
    await talk.ended(1)
    assert answers(agent) == [{"action": "cancel"}, {"action": "cancel"}]
    assert desk.editor.visited == []


@pytest.mark.statement(21)
async def test_one_that_is_withdrawn_is_closed(desk: Desk) -> None:
    steps = [
        ["ask", "elicitation/create", request_form({"name": NAME})[2]],
        wait("go on"),
        notify("$/cancel_request", {"requestId": 0}),
    ]
    agent, talk = await asking(desk, *steps)
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    assert [(data["by"]) for data in talk.data("AcpAnswered")] == ["agent"]
    await eventually(lambda: answers(agent) == [{"action": "cancel"}])


async def test_a_page_is_shown_whole_and_opened_when_the_user_says_so(desk: Desk) -> None:
    url = "https://example.org/" + "x" * 300
    agent, talk = await asking(desk, request_page(url))
    assert url in "\n".join(talk.lines)
    assert desk.editor.visited == []
    talk.answer("answer")
    await talk.ended(1)
    assert answers(agent) == [{"action": "accept"}]
    await eventually(lambda: desk.editor.visited == [url])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "", "https://", "https://a b"])
async def test_only_pages_are_opened(desk: Desk, url: str) -> None:
    agent = desk.agent(on_prompt("work", request_page(url)))
    talk = await desk.ready()
    await talk.turn("work")
    assert [each["code"] for each in answers(agent)] == [-32602]


async def test_a_page_that_has_done_its_work_needs_no_answer(desk: Desk) -> None:
    steps = [
        ["ask", *request_page()[1:]],
        wait("go on"),
        notify("elicitation/complete", {"elicitationId": "e"}),
        wait("finish"),
    ]
    agent, talk = await asking(desk, *steps)
    connection = desk.client.hosts[0].connection
    connection.notify("go on", {})
    await eventually(lambda: not talk.questions)
    assert talk.state == "running"
    assert [data["by"] for data in talk.data("AcpAnswered")] == ["agent"]
    connection.notify("finish", {})
    await talk.ended(1)
    assert answers(agent) == [{"action": "cancel"}]


@pytest.mark.statement(30)
@pytest.mark.parametrize("mode", [None, "voice", 3])
async def test_a_mode_that_was_not_offered_is_refused(desk: Desk, mode: Any) -> None:
    agent = desk.agent(on_prompt("work", request_form({"name": NAME}, mode=mode)))
    talk = await desk.ready()
    await talk.turn("work")
    assert [each["code"] for each in answers(agent)] == [-32602]


@pytest.mark.statement(13)
@pytest.mark.parametrize("schema", [None, "all", [1]])
async def test_a_form_that_is_none_is_an_error(desk: Desk, schema: Any) -> None:
    agent = desk.agent(on_prompt("work", request_form({}, requestedSchema=schema)))
    talk = await desk.ready()
    await talk.turn("work")
    assert [each["code"] for each in answers(agent)] == [-32602]


async def test_a_required_field_of_an_unknown_kind_can_only_be_declined(desk: Desk) -> None:
    agent, talk = await asking(desk, request_form({"face": {"type": "_picture"}}, ["face"]))
    assert [each["id"] for each in talk.questions[0]["options"]] == ["decline"]
    talk.answer("decline")
    await talk.ended(1)
    assert answers(agent) == [{"action": "decline"}]


async def test_one_about_a_request_of_ours_is_asked_where_it_begins(desk: Desk) -> None:
    asked = request_form({"name": NAME}, requestId="{id}")
    del asked[2]["sessionId"]
    agent = desk.agent(on("session/new", asked, result({"sessionId": "s"})))
    talk = desk.new()
    await talk.asked()
    talk.answer("answer", content={"name": "Ada"})
    await talk.until("idle")
    assert answers(agent) == [{"action": "accept", "content": {"name": "Ada"}}]


async def test_one_of_a_tool_call_ends_with_it(desk: Desk) -> None:
    asked = ["ask", *request_form({"name": NAME}, toolCallId="t")[1:]]
    steps = [
        tool("t", title="Sign up"),
        asked,
        wait("go on"),
        tool("t", known=True, status="completed"),
        say("Hi"),
    ]
    agent, talk = await asking(desk, *steps)
    assert talk.questions[0]["tool_call_id"] == "t"
    assert talk.questions[0]["title"] == "Who are you?"
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    await eventually(lambda: answers(agent) == [{"action": "cancel"}])


async def test_a_form_beyond_all_bounds_is_refused(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", request_form({f"f{n}": NAME for n in range(101)})))
    talk = await desk.ready()
    await talk.turn("work")
    assert [each["code"] for each in answers(agent)] == [-32602]


# --- questions beside the standard


def _encode(answer: schema.AskAnswer) -> Any:
    return (
        {"outcome": "answered", "text": answer.text}
        if answer.action == "accept"
        else {"outcome": "cancelled"}
    )


class Inquisitive(Dialect):
    name = "inquisitive"
    requests = {"_vendor/ask": schema.Vendor(decode.ask, _encode)}  # noqa: RUF012


@pytest.fixture
def inquisitive() -> Iterator[None]:
    DIALECTS["inquisitive"] = Inquisitive()
    yield
    del DIALECTS["inquisitive"]


async def inquired(desk: Desk, **params: Any) -> tuple[ScriptedAgent, Talk]:
    step = request("_vendor/ask", {"sessionId": "{session}", **params})
    agent = desk.agent(on_prompt("work", step), spec={"dialect": "inquisitive"})
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    return agent, talk


@pytest.mark.usefixtures("inquisitive")
async def test_a_question_takes_a_free_answer(desk: Desk) -> None:
    agent, talk = await inquired(desk, question="What now?")
    assert (talk.questions[0]["kind"], talk.questions[0]["title"]) == ("ask", "What now?")
    talk.answer("answer", content="Go on,\nplease")
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "answered", "text": "Go on,\nplease"}]


@pytest.mark.usefixtures("inquisitive")
async def test_its_options_stand_before_ours_by_name(desk: Desk) -> None:
    agent, talk = await inquired(
        desk, question="Which?", options=["left", "right", "answer"], allowCustom=False
    )
    offered = talk.questions[0]["options"]
    assert [each["id"] for each in offered] == ["left", "right", "choice-3", "answer", "decline"]
    assert [each["name"] for each in offered][:3] == ["left", "right", "answer"]
    talk.answer("answer", content="up")
    await desk.message("must be one of left, right")
    talk.answer("choice-3")
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "answered", "text": "answer"}]


@pytest.mark.usefixtures("inquisitive")
async def test_more_options_than_are_shown_are_chosen_in_the_form(desk: Desk) -> None:
    options = [f"choice {number}" for number in range(98)]
    agent, talk = await inquired(desk, question="Which?", options=options)
    assert [option["id"] for option in talk.questions[0]["options"]] == ["answer", "decline"]
    talk.answer("answer", content="choice 97")
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "answered", "text": "choice 97"}]


@pytest.mark.usefixtures("inquisitive")
async def test_several_may_be_chosen_where_the_agent_says_so(desk: Desk) -> None:
    agent, talk = await inquired(desk, question="Which?", options=["a", "b", "c"], multiple=True)
    talk.answer("answer", content={"answer": ["a", "c"]})
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "answered", "text": "a\nc"}]


@pytest.mark.usefixtures("inquisitive")
@pytest.mark.parametrize("option", ["decline", None])
async def test_a_question_that_nobody_answers(desk: Desk, option: str | None) -> None:
    agent, talk = await inquired(desk, question="What now?")
    talk.answer(option)
    await talk.ended(1)
    assert answers(agent) == [{"outcome": "cancelled"}]


async def test_other_dialects_do_not_know_that_question(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", request("_vendor/ask", {"sessionId": "{session}", "question": "?"})))
    talk = await desk.ready()
    await talk.turn("work")
    assert [each["code"] for each in answers(agent)] == [-32601]


async def test_what_nobody_knows_is_in_the_log_once(desk: Desk) -> None:
    odd = [notify("_vendor/news", {}), request("_vendor/ask", {})]
    desk.agent(on_prompt("work", *odd, *odd))
    talk = await desk.ready()
    await talk.turn("work")
    assert len([line for line in desk.log() if "unknown notification '_vendor/news' ignored" in line]) == 1
    assert len([line for line in desk.log() if "unknown request '_vendor/ask' refused" in line]) == 1


# --- forms that ask for an edit


APPROVAL = {"value": {"type": "string", "enum": ["Approve", "Deny"]}}
EDIT = {"path": "{cwd}/notes.txt", "old_text": "one", "new_text": "ONE"}


@pytest.mark.parametrize("choice", ["Approve", "Deny"])
async def test_an_edit_that_is_asked_for_by_a_form_is_shown_and_written_down(
    desk: Desk, tmp_path: Path, choice: str
) -> None:
    """omp names no call in the form, and announces the call behind it."""
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    schema = {"type": "object", "properties": APPROVAL, "required": ["value"]}
    form = {
        "sessionId": "{session}",
        "mode": "form",
        "message": "Allow tool: edit",
        "requestedSchema": schema,
    }
    call = tool("e", title="Edit notes.txt", kind="edit", status="pending", rawInput=EDIT)
    done = tool("e", known=True, status="completed")
    desk.agent(on_prompt("work", ask("elicitation/create", form), call, wait("go on"), done, say("Done.")))
    desk.send("setup", config={"agents": desk._agents}, state=str(tmp_path / "state"))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    await eventually(lambda: any("-" in line and "one" in line for line in talk.lines))
    assert any("+" in line and "ONE" in line for line in talk.lines)
    talk.answer(choice)
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    await eventually(lambda: not any("ONE" in line for line in talk.lines))
    log = tmp_path / "state" / "permissions.jsonl"
    await eventually(lambda: log.exists() and log.read_text().endswith("\n"))
    (entry,) = map(json.loads, log.read_text().splitlines())
    assert (entry["title"], entry["option"], entry["by"]) == ("Allow tool: edit", choice, "user")
    assert entry["paths"] == [str(tmp_path / "notes.txt")]
