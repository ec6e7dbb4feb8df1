"""The recorded wire: saved without secrets, and played again without an agent."""

import json
import stat
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.client.dialect_steps import decided
from tests.fakes.documents import iac_code, simse
from tests.fakes.script import (
    Rule,
    Step,
    ask,
    error,
    eventually,
    on_prompt,
    permission,
    result,
    say,
    stderr,
    think,
    tool,
    update,
    wait,
)
from tests.steps.backend import replay_wire, save_wire


async def test_the_trace_has_both_directions_and_no_secrets(desk: Desk) -> None:
    env = {"API_KEY": "sk-very-secret", "LEVEL": "3"}
    desk.agent(
        on_prompt("", stderr("key sk-very-secret\n"), say("your key is sk-very-secret")), spec={"env": env}
    )
    talk = await desk.ready()
    await talk.turn("is it sk-very-secret?")
    await eventually(lambda: desk.client.hosts[0].connection.stderr.lines())
    file = await save_wire(desk, talk)
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    assert "sk-very-secret" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {entry["dir"] for entry in entries} == {"->", "<-", "stderr"}
    assert [entry["msg"]["method"] for entry in entries if entry["dir"] == "->"] == [
        "initialize",
        "session/new",
        "session/prompt",
    ]
    assert "your key is ***" in file.read_text()
    times = [entry["t"] for entry in entries]
    assert times == sorted(times)


async def test_the_trace_is_switched_and_shown(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    talk = await desk.ready()
    talk.send("trace", mode="off")
    await talk.turn("unseen")
    talk.send("trace", mode="on")
    await talk.turn("seen")
    talk.send("trace")
    name, filetype, lines = await eventually(lambda: desk.editor.windows and desk.editor.windows[0])
    assert (name, filetype) == ("acp://trace", "acp_trace")
    assert "unseen" not in "\n".join(lines)
    prompts = [json.loads(line)["msg"] for line in lines if "session/prompt" in line]
    assert prompts[0]["params"]["prompt"][0]["text"] == "seen"


async def test_a_trace_that_cannot_be_saved_is_one_line(desk: Desk) -> None:
    desk.agent()
    talk = await desk.ready()
    talk.send("trace", mode="save", file=str(desk.folder / "no" / "such" / "folder"))
    said = await desk.message("not saved, no such folder", "folder")
    assert "\n" not in said


def chunk(role: str, words: str) -> Step:
    return update({"sessionUpdate": f"{role}_chunk", "content": {"type": "text", "text": words}})


DIFF = {"type": "diff", "path": "{cwd}/a.txt", "oldText": "a\n", "newText": "b\n"}
PLAN = {"sessionUpdate": "plan", "entries": [{"content": "look", "status": "completed"}, {"content": "do"}]}
TURNS: dict[str, tuple[Step, ...]] = {
    "text": (chunk("user_message", "text"), think("hm"), say("# Title\n"), say("words\n\n"), say("more")),
    "tools": (
        tool("t", title="edit a.txt", kind="edit", status="in_progress", content=[DIFF]),
        tool("t", known=True, status="failed", rawOutput={"why": "locked"}),
        tool("u", title="run", kind="execute", rawInput={"command": "make"}),
        update(PLAN),
        chunk("agent_message", "done"),
    ),
    "nothing": (),
    "whole": (result({"stopReason": "end_turn", "content": [{"type": "text", "text": "all at once"}]}),),
    "limit": (say("so far"), result({"stopReason": "max_tokens"})),
    "error": (say("so far"), error(-32050, "slow down", {"retry": 7})),
    "odd": (update({"sessionUpdate": "weather_update"}), update({}), say("fine")),
    "late": (result({"stopReason": "end_turn"}), say("P.S.")),
}


@pytest.mark.parametrize("name", TURNS)
async def test_what_was_shown_is_shown_again(desk: Desk, name: str) -> None:
    desk.agent(on_prompt(name, *TURNS[name]))
    live = await desk.ready()
    await live.turn(name)
    await eventually(lambda: name != "late" or live.lines[-1] == "P.S.")
    again = await replay_wire(desk, await save_wire(desk, live))
    assert again.lines == live.lines
    assert _drawn(desk, again) == _drawn(desk, live)
    assert again.status["turn"] == live.status["turn"]
    assert again.status.get("stop_reason") == live.status.get("stop_reason")
    assert again.status.get("error") == live.status.get("error")


def _drawn(desk: Desk, talk: Talk) -> list[dict[str, Any]]:
    """Without the time of the prompts, and the model of the answers: a recording does not know the present ones."""
    marks = desk.editor.chat(talk.number).marks
    unknown = {"user": "at", "agent": "eol"}
    return [
        {name: value for name, value in mark.items() if name != unknown.get(mark["kind"])} for mark in marks
    ]


@pytest.mark.parametrize("option", ["yes", "no", "always", None])
async def test_an_answered_question_is_shown_as_it_was(desk: Desk, option: str | None) -> None:
    desk.agent(on_prompt("", permission("Run it?", rawInput={"command": "make"}), say("{answer}")))
    live = await desk.ready()
    live.prompt("ask")
    await live.asked()
    live.answer(option)
    await live.ended(1)
    again = await replay_wire(desk, await save_wire(desk, live))
    assert again.lines == live.lines
    assert [mark.get("eol") for mark in _drawn(desk, again)] == [
        mark.get("eol") for mark in _drawn(desk, live)
    ]
    assert again.questions == []


@pytest.mark.parametrize("ends", [result({"stopReason": "cancelled"}), error(-32603, "aborted")])
async def test_a_cancelled_turn_is_shown_as_it_was(desk: Desk, ends: Step) -> None:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    about = {"sessionId": "{session}", "toolCall": {"title": "no id"}, "options": options}
    asks = ask("session/request_permission", about), ask("session/request_permission", about)
    desk.agent(on_prompt("", tool("t", title="run"), *asks, wait("session/cancel"), ends))
    live = await desk.ready()
    live.prompt("work")
    await live.asked(2)
    live.send("cancel")
    await live.ended(1)
    again = await replay_wire(desk, await save_wire(desk, live))
    assert again.lines == live.lines
    assert again.status["stop_reason"] == "cancelled"
    assert [mark.get("eol") for mark in _drawn(desk, again)] == [
        mark.get("eol") for mark in _drawn(desk, live)
    ]


@pytest.mark.parametrize("rules", [simse("simse"), iac_code()])
@pytest.mark.parametrize("kind", ["allow_once", "reject_once"])
async def test_answers_in_a_dialect_are_shown_as_they_were(desk: Desk, rules: list[Rule], kind: str) -> None:
    desk.agent(*rules)
    live = await desk.ready()
    await decided(live, "work", kind, 1)
    again = await replay_wire(desk, await save_wire(desk, live))
    assert again.lines == live.lines
    assert [mark.get("eol") for mark in _drawn(desk, again)] == [
        mark.get("eol") for mark in _drawn(desk, live)
    ]


async def test_a_recording_that_stops_in_a_turn_says_so(desk: Desk) -> None:
    desk.agent(on_prompt("", say("on it"), permission("Run it?")))
    live = await desk.ready()
    live.prompt("work")
    await live.asked()
    again = await replay_wire(desk, await save_wire(desk, live))
    assert any("recording ends here" in line for line in again.lines)
    assert again.questions == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not json\n", "line 1"),
        ('{"t": 1, "dir": "<-", "msg": {}}\n[1]\n', "line 2"),
        ('{"t": "x", "dir": "<-", "msg": {}}\n', "line 1"),
        ("\xff\n", "wire.jsonl"),
        (None, "wire.jsonl"),
    ],
)
async def test_a_file_that_is_no_recording_leaves_no_session(
    desk: Desk, content: str | None, words: str
) -> None:
    file = desk.folder / "wire.jsonl"
    if content is not None:
        file.write_bytes(content.encode("latin-1"))
    talk = desk.talk()
    talk.send("replay", agent="replay", cwd=str(desk.folder), file=str(file))
    await desk.message("cannot replay", words)
    assert talk.number not in desk.client.sessions
    assert not talk.is_listed


HOSTILE: tuple[Any, ...] = (
    {"id": [1], "result": {}},
    {"id": {"a": 1}, "method": "session/request_permission", "params": {}},
    {"id": None, "error": "text"},
    {"method": 7, "params": 3},
    {"method": "session/update", "params": [1]},
    {"method": "session/update", "params": {"update": {"sessionUpdate": "tool_call"}}},
    {"id": 1, "method": "session/request_permission", "params": "text"},
)


@pytest.mark.parametrize("direction", ["<-", "->", "stderr", "?"])
async def test_hostile_recordings_are_played_without_harm(desk: Desk, direction: str) -> None:
    entries = [{"t": number, "dir": direction, "msg": msg} for number, msg in enumerate(HOSTILE)]
    prompt = {"id": 5, "method": "session/prompt", "params": {"prompt": [{"type": "text", "text": "hello"}]}}
    entries.append({"t": 9, "dir": "->", "msg": prompt})
    file = desk.folder / "wire.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    talk = await replay_wire(desk, file)
    assert "hello" in talk.lines
    assert desk.messages("error") == []
