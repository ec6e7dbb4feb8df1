"""Prompts that come back: our report, the user's words, what was attached, and where the turn was stopped."""

import json
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    Rule,
    Step,
    eventually,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    update,
    wait_file,
)
from tests.steps.backend import replay_wire, save_wire

LOADS = on_initialize(loadSession=True, promptCapabilities={"embeddedContext": True})
LEGEND = 'Lines with "-" are what you proposed, lines with "+" are what the user decided on instead.'
WRITTEN = 'Lines with "-" are what you wrote, lines with "+" are what stands there now.'
DIFF = "@@ -1,3 +1,3 @@\n a\n-B\n+b\n c"
REFUSED = f"cart.py: 1 hunk refused by the user. {LEGEND}\n{DIFF}"
REPORT = f"{REFUSED}\n\nnotes.txt: 2 hunks undone by the user. {WRITTEN}\n{DIFF}"
TOLD = "reported to Scripted: 1 hunk of cart.py refused, 2 hunks of notes.txt undone"


def user(content: Any, message: str | None = None) -> Step:
    block = {"type": "text", "text": content} if isinstance(content, str) else content
    told = {"sessionUpdate": "user_message_chunk", "content": block}
    return update(told if message is None else {**told, "messageId": message})


def resource(uri: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "text": "a\nb\n"}}


def link(uri: str) -> dict[str, Any]:
    return {"type": "resource_link", "uri": uri, "name": "some name"}


async def load(desk: Desk, *steps: Step) -> Talk:
    desk.agent(LOADS, on("session/load", *steps))
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    return talk


def shown(talk: Talk) -> list[str]:
    return [line for line in talk.lines if line]


@pytest.mark.parametrize(
    "steps",
    [
        (user(f"{REPORT}\n\n", "m"), user("and now?", "m")),
        (user(f"{REPORT}\n\n"), user("and now?")),
        (user(f"{REPORT}\n\nand now?"),),
    ],
)
async def test_a_report_is_folded_and_not_the_users_words(desk: Desk, steps: tuple[Step, ...]) -> None:
    talk = await load(desk, *steps, say("I see."))
    assert shown(talk) == ["## You", TOLD, "and now?", "## Scripted", "I see."]
    (mark,) = [each for each in desk.editor.chat(talk.number).marks if each["kind"] == "report"]
    talk.send("toggle", key=mark["key"], open=True)
    await talk.turn("go on")
    assert "  │ -B" in talk.lines


@pytest.mark.parametrize(
    "words",
    [
        "a list: 2 hunks of bread\n- and butter",
        "cart.py: 1 hunk refused by the user, or was it two?",
        "look\n\ncart.py: the user wants no such file.",
    ],
)
async def test_words_that_only_look_like_a_report_stay_words(desk: Desk, words: str) -> None:
    talk = await load(desk, user(words), say("I see."))
    assert "\n".join(talk.lines).startswith(f"## You\n{words}\n\n## Scripted\nI see.")


@pytest.mark.parametrize(
    ("blocks", "labels"),
    [
        ((resource("file:///p/cart.py"),), ["with cart.py"]),
        ((resource("file:///p/my%20cart.py#L3-9"),), ["with my cart.py 3-9"]),
        ((link("file:///p/cart.py#L7"),), ["with cart.py 7"]),
        (
            ("[@cart.py](file:///p/cart.py)", '\n<context ref="file:///p/cart.py">\na\nb\n\n</context>'),
            ["with cart.py"],
        ),
        ((link("file:///p/a.py"), resource("file:///p/b.py")), ["with a.py", "with b.py"]),
        (("git diff:\n-a\n+b\n",), ["with git diff"]),
        (("diagnostics of cart.py:\n1:1 error: no",), ["with diagnostics of cart.py"]),
        ((link("file:///p/cart.py"), "cart.py, with unsaved changes:\na\n"), ["with cart.py"]),
    ],
)
async def test_what_was_attached_is_named_as_it_was_live(
    desk: Desk, blocks: tuple[Any, ...], labels: list[str]
) -> None:
    talk = await load(
        desk, user("what's here?", "m"), *(user(block, "m") for block in blocks), say("A file.")
    )
    assert shown(talk) == ["## You", "what's here?", *labels, "## Scripted", "A file."]


async def test_other_links_stay_links(desk: Desk) -> None:
    talk = await load(desk, user("see"), user(link("https://example.org/x")), say("Seen."))
    assert shown(talk)[:3] == ["## You", "see", "[link some name: https://example.org/x]"]


@pytest.mark.parametrize(
    "mark", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]
)
async def test_where_the_user_has_stopped_a_turn_stands_a_mark(desk: Desk, mark: str) -> None:
    talk = await load(
        desk, user("one"), say("well"), user(mark), user("two"), user(mark), user("three"), say("ok")
    )
    stop = "you stopped it here"
    assert shown(talk) == [
        *("## You", "one", "## Scripted", "well", stop),
        *("## You", "two", stop, "## You", "three", "## Scripted", "ok"),
    ]
    marks = [each for each in desk.editor.chat(talk.number).marks if each["row"] in (talk.lines.index(stop),)]
    assert marks[0]["icon"]["text"] == "⊘ "


async def test_two_prompts_with_ids_of_their_own_have_two_headings(desk: Desk) -> None:
    talk = await load(desk, user("one", "a"), user(" more", "a"), user("two", "b"), say("ok"))
    assert shown(talk) == ["## You", "one more", "## You", "two", "## Scripted", "ok"]


async def test_a_live_turn_shows_nothing_twice(desk: Desk) -> None:
    file = desk.folder / "cart.py"
    file.write_text("a\n")
    echo = (user("look", "m"), user(f"[@cart.py](file://{file})", "m"), user("git diff:\n-a\n", "m"))
    desk.agent(LOADS, on_prompt("", *echo, say("ok")))
    talk = await desk.ready()
    talk.prompt("look", context=[{"file": str(file)}, {"title": "git diff", "text": "-a\n"}])
    await talk.ended(1)
    assert shown(talk) == ["## You", "look", "with cart.py", "with git diff", "## Scripted", "ok"]
    replayed = await replay_wire(desk, await save_wire(desk, talk))
    assert shown(replayed) == shown(talk)


def introduces(name: str, **more: Any) -> Rule:
    info = {"name": name, "title": "Scripted", "version": "1.0"}
    return on("initialize", result({"protocolVersion": 1, "agentInfo": info, **more}))


STEERS = introduces("scripted", _meta={"steering": {"supported": True}})
PULLS = ("request", "craft/drainMidTurnQueue", {"sessionId": "{session}"})


@pytest.mark.parametrize(
    ("rules", "pulls"),
    [
        ((STEERS, on("_session/steering", result({"outcome": "startedNewTurn"}))), ()),
        ((STEERS, on("_session/steering", result({"outcome": "injected"}))), ()),
        ((introduces("qwen-code"),), (list(PULLS),)),
    ],
    ids=["a new turn", "into the turn", "pulled"],
)
@pytest.mark.parametrize("way", ["trace", "transcript"])
async def test_words_for_a_running_turn_are_in_its_replay(
    desk: Desk, way: str, rules: tuple[Rule, ...], pulls: tuple[Step, ...]
) -> None:
    state = desk.folder / "state"
    gate = desk.folder / "gate"
    desk.agent(*rules, on_prompt("work", wait_file(str(gate)), *pulls, say("Done.")))
    desk.send("setup", config={"agents": desk._agents, "transcripts": {"keep": 9}}, state=str(state))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.until("running")
    talk.prompt("use tabs", steer=True, context=[{"title": "git diff", "text": "-a\n"}])
    await eventually(lambda: pulls or talk.data("AcpSteered"))
    gate.touch()
    await talk.ended(1)
    assert "use tabs" in talk.lines
    assert "with git diff" in talk.lines
    if way == "trace":
        file = await save_wire(desk, talk)
    else:
        (file,) = await eventually(lambda: [*(state / "transcripts").glob("*.jsonl")])
        await eventually(lambda: "stopReason" in file.read_text())
    assert (await replay_wire(desk, file)).lines == talk.lines


async def test_reports_are_none_of_the_users_words_in_a_new_backend(desk: Desk) -> None:
    """A transcript of an older release has the report and the words in one text."""
    file = desk.folder / "old.jsonl"
    info = {"protocolVersion": 1, "agentInfo": {"name": "transcript", "title": "Scripted"}}
    prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": f"{REPORT}\n\nand now?"}]}
    messages = [
        {"id": "1", "method": "initialize", "params": {}},
        {"id": "1", "result": info},
        {"id": "2", "method": "session/prompt", "params": prompt},
        {"id": "2", "result": {"stopReason": "end_turn"}},
    ]
    ways = ["->", "<-"] * 2
    lines = [
        json.dumps({"t": 0, "dir": way, "msg": message}) for way, message in zip(ways, messages, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n")
    assert shown(await replay_wire(desk, file)) == ["## You", TOLD, "and now?", "## Scripted"]


async def test_a_loaded_session_is_kept_as_it_was_shown(desk: Desk) -> None:
    steps = (
        *(user(REPORT, "m"), user("and now?", "m"), user(link("file:///p/a.py"), "m"), say("well")),
        *(user("[Request interrupted by user]"), user("stop", "n"), say("ok")),
    )
    desk.agent(LOADS, on("session/load", *steps), on_prompt("", say("Hi")))
    desk.send("setup", config={"agents": desk._agents, "transcripts": {"keep": 9}}, state=str(desk.folder))
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    await talk.turn("go on")
    (file,) = await eventually(lambda: [*(desk.folder / "transcripts").glob("*.jsonl")])
    await eventually(lambda: "stopReason" in file.read_text())
    replayed = await replay_wire(desk, file)
    assert replayed.lines == talk.lines
    assert replayed.status["stop_reason"] == "end_turn"
