"""What agents put on the wire beside what they should, and the answers that they get."""

import json
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import (
    ask,
    bytewise,
    error,
    eventually,
    notify,
    on_prompt,
    permission,
    raw,
    request,
    say,
    stderr,
    tool,
    update,
    wait,
)


@pytest.mark.statement(1)
async def test_nothing_but_messages_goes_to_the_agent(desk: Desk) -> None:
    said = "one\ntwo\r\n\u2028\u2029\u0085 é漢😀 \udce4 \0"
    agent = desk.agent(on_prompt("", request("no/such", {}), permission("Go?"), wait("session/cancel")))
    talk = await desk.ready()
    talk.prompt(said)
    await talk.asked()
    talk.answer("yes")
    talk.send("cancel")
    await talk.ended(1)
    talk.send("close")
    await eventually(lambda: agent.logged("eof"))
    assert agent.logged("stray") == []
    assert {message["jsonrpc"] for message in agent.got()} == {"2.0"}
    (message,) = agent.got("session/prompt")
    assert message["params"]["prompt"][0]["text"] == said.replace("\udce4", "\ufffd")


@pytest.mark.statement(2, 3, 5, 6)
async def test_garbage_between_messages(desk: Desk) -> None:
    garbage = raw("Welcome!\r\n\r\n\n42\nnull\n[1]\n"), ["bytes", "\xff\xfe\x00\n"]
    desk.agent(on_prompt("", *garbage, say("a漢\u2028"), bytewise(True), say("😀 é"), say("!")))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "a漢\u2028😀 é!"
    assert any("Welcome!" in line for line in desk.log())
    assert desk.messages("error", "warn") == []


@pytest.mark.statement(10, 12)
async def test_notifications_are_never_answered(desk: Desk) -> None:
    odd = (
        notify("session/unheard_of", {"sessionId": "{session}"}),
        notify("session/request_permission", {"sessionId": "{session}"}),
        notify("$/whatever", [1]),
        notify("session/update", None),
        notify("session/update", [1, 2]),
        notify("session/update", {"sessionId": {"a": 1}, "update": 3}),
        notify("$/cancel_request", None),
    )
    agent = desk.agent(on_prompt("", *odd, say("still here"), times=1))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "still here"
    await talk.turn("again")  # by then it has read whatever had been said to it before
    assert all("method" in message for message in agent.got())
    assert talk.data("AcpQuestion") == []


REFUSED = {
    "session/unheard_of": -32601,
    "session/update_all": -32601,
    "session/prompt": -32601,
    "fs/read_text_file": -32601,
    "fs/write_text_file": -32601,
    "terminal/create": -32601,
    "_vendor/anything": -32601,
    "elicitation/create": -32602,
}


@pytest.mark.statement(11, 25, 30)
async def test_what_we_do_not_serve_is_refused(desk: Desk) -> None:
    params = {"sessionId": "{session}", "path": "/etc/passwd", "command": "id", "mode": "voice"}
    agent = desk.agent(
        on_prompt("", *(step for method in REFUSED for step in (request(method, params), say("{answer}\n"))))
    )
    desk.setup(fs={"read": False, "write": False}, terminal=False)
    talk = await desk.ready()
    await talk.turn("hello")
    codes = [json.loads(line)["code"] for line in talk.says.split("\n")]
    assert dict(zip(REFUSED, codes, strict=True)) == REFUSED
    told = agent.got("initialize")[0]["params"]["clientCapabilities"]
    assert (told["fs"], told["terminal"]) == ({"readTextFile": False, "writeTextFile": False}, False)


@pytest.mark.statement(47)
@pytest.mark.parametrize("session", ["nobody", "", None, 3])
async def test_no_request_is_served_for_a_session_that_nobody_knows(desk: Desk, session: Any) -> None:
    file = desk.folder / "f"
    params = {"sessionId": session, "path": str(file), "content": "x", "command": "id", "terminalId": "t"}
    params |= {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}
    methods = [
        *(f"fs/{name}_text_file" for name in ("read", "write")),
        *(f"terminal/{name}" for name in ("create", "output", "wait_for_exit", "kill", "release")),
        "elicitation/create",
    ]
    asked = (step for method in methods for step in (request(method, params), say("{answer}\n")))
    desk.agent(on_prompt("work", *asked))
    talk, other = await desk.ready(), await desk.ready()  # with one alone there would be no doubt
    await talk.turn("work")
    answers = [json.loads(line) for line in talk.says.split("\n")]
    assert [answer.get("code") for answer in answers] == [-32602] * len(methods)
    assert not file.exists()
    assert talk.questions == other.questions == []


@pytest.mark.statement(9, 13, 47)
@pytest.mark.parametrize("ids", [None, "srv_"])
async def test_bad_params_and_unknown_sessions_are_errors(desk: Desk, ids: str | None) -> None:
    method = "session/request_permission"
    steps = []
    for params in (
        None,
        [1],
        "text",
        {"sessionId": "", "toolCall": {"toolCallId": "x"}},
        {"sessionId": ["nobody"]},
    ):
        steps += [request(method, params), say("{answer}\n")]
    agent = desk.agent(on_prompt("", *steps, permission("after all")), **({"ids": ids} if ids else {}))
    talk = await desk.ready()
    talk.prompt("hello")
    await talk.asked()
    errors = [json.loads(line) for line in talk.lines if line.startswith("{")]
    assert [each["code"] for each in errors] == [-32602] * 5
    talk.answer("yes")
    await talk.ended(1)
    answers = [message["id"] for message in agent.got() if "method" not in message]
    assert answers == [f"srv_{n}" if ids else n for n in range(6)]


@pytest.mark.statement(14)
async def test_answers_to_nothing_are_ignored(desk: Desk) -> None:
    strays = [
        {"id": 999, "result": {}},
        {"id": "x", "error": {"code": 1}},
        {"id": [1], "result": 1},
        {"id": None},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **stray}) + "\n" for stray in strays)
    desk.agent(on_prompt("", raw(lines), say("Hi")))
    talk = await desk.ready()
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert talk.says == "Hi"


@pytest.mark.statement(8, 15)
async def test_a_null_result_and_an_id_as_text_are_answers(desk: Desk) -> None:
    answer = '{"jsonrpc": "2.0", "id": "{id}", "result": null}\n'
    desk.agent(on_prompt("", raw(answer), ["silence"]))
    talk = await desk.ready()
    ended = await talk.turn("hello")
    assert (ended["error"], talk.state) == (None, "idle")


@pytest.mark.statement(15, 16, 60)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": "quota exceeded"}, ["quota exceeded"]),
        (
            {"error": {"code": -32050, "message": "slow down", "data": {"retry": 7}}},
            ["slow down", "-32050", "retry", "7"],
        ),
        ({"error": {"code": "E", "message": {"de": "nein"}}}, ["nein"]),
    ],
)
async def test_what_an_error_says_reaches_the_user(desk: Desk, answer: Any, words: list[str]) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 2, **answer}) + "\n"
    desk.agent(on_prompt("first", raw(line), ["silence"]), on_prompt("", say("Hi")))
    talk = await desk.ready()
    ended = await talk.turn("first")
    assert all(word in ended["error"] for word in words)
    assert (talk.state, talk.status["error"]) == ("idle", ended["error"])
    assert "stop_reason" not in talk.status
    assert any(
        words[0] in line for line in talk.lines
    )  # the chat has the message; `K` and the log have all of it
    await talk.turn("second")
    assert "error" not in talk.status
    assert talk.says == "Hi"


@pytest.mark.statement(21, 22)
async def test_a_request_that_the_agent_takes_back(desk: Desk) -> None:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    params = {"sessionId": "{session}", "toolCall": {"toolCallId": "t", "title": "build"}, "options": options}
    agent = desk.agent(
        on_prompt(
            "",
            ask("session/request_permission", params),
            notify("$/cancel_request", {"requestId": 17}),
            notify("$/cancel_request", {"requestId": "0"}),
            notify("$/cancel_request", {"requestId": 0}),
            notify("$/cancel_request", {"requestId": 0}),
            ask("unknown", {}),
        )
    )
    talk = await desk.ready()
    await talk.turn("hello")
    await eventually(lambda: len([message for message in agent.got() if "method" not in message]) == 2)
    answers = [message for message in agent.got() if "method" not in message]
    assert [message["id"] for message in answers] == [0, 1]
    assert talk.questions == []
    assert [data["by"] for data in talk.data("AcpAnswered")] == ["agent"]


@pytest.mark.statement(7)
async def test_what_it_writes_to_stderr_is_in_the_log(desk: Desk) -> None:
    desk.agent(on_prompt("", stderr("\x1b[31mcareful\x1b[0m\n"), ["flood", 20000], error(-32603, "no")))
    talk = await desk.ready()
    await talk.turn("hello")
    desk.send("log")
    name, filetype, lines = await eventually(lambda: desk.editor.windows and desk.editor.windows[0])
    assert (name, filetype) == ("acp://log", "acp_log")
    assert any(line.startswith("noise ") for line in lines)


async def test_a_verb_that_is_unknown_or_fails_is_one_line(desk: Desk) -> None:
    desk.agent(on_prompt("", tool("t", title="build"), say("Hi")))
    talk = await desk.ready()
    desk.expects_faults = True
    desk.send("fly", where="away")
    await desk.message("'fly'")
    desk.send("prompt", session=77, text="hello")
    await desk.message("no session 77")
    desk.send("answer", question=4711, option="yes")
    await desk.message("4711 is no longer open")
    await talk.turn("hello")
    assert talk.says.endswith("Hi")


@pytest.mark.statement(58)
async def test_an_unknown_update_is_logged_once_and_harmless(desk: Desk) -> None:
    odd = {"sessionUpdate": "weather_update", "rain": True}
    desk.agent(on_prompt("", ["update", odd], say("one "), ["update", odd], ["update", {}], say("two")))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "one two"
    assert len([line for line in desk.log() if "weather_update" in line]) == 1


@pytest.mark.statement(151)
async def test_updates_of_the_draft_are_ignored_and_logged_once(desk: Desk) -> None:
    steps = [update({"sessionUpdate": tag, "state": {}}) for tag in ("state_update", "terminal_update")]
    desk.agent(on_prompt("", *steps, *steps, say("Hi")))
    talk = await desk.ready()
    await talk.turn("hello")
    assert talk.says == "Hi"
    for tag in ("state_update", "terminal_update"):
        assert len([line for line in desk.log() if f"unknown update '{tag}'" in line]) == 1
