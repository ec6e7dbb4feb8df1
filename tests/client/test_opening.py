"""Resumed, forked and loaded sessions: what the agent offers is used, what it does not is never on the wire."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import (
    Rule,
    error,
    eventually,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    update,
    wait_file,
)


def abilities(*names: str, load: bool = False) -> Rule:
    return on_initialize(loadSession=load, sessionCapabilities={name: {} for name in names})


def spoken(text: str, role: str = "agent") -> dict[str, Any]:
    return {"sessionUpdate": f"{role}_message_chunk", "content": {"type": "text", "text": text}}


@pytest.mark.statement(41)
async def test_a_resumed_session_says_that_its_history_is_not_shown(desk: Desk) -> None:
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]}
    agent = desk.agent(
        abilities("resume"), on("session/resume", result({"modes": modes})), on_prompt("", say("Hi"))
    )
    talk = desk.new(verb="resume", id="old")
    await talk.until("idle")
    assert any("not shown" in line for line in talk.lines)
    assert (talk.status["session_id"], talk.status["turn"], talk.status["mode"]) == ("old", 0, "a")
    (message,) = agent.got("session/resume")
    assert message["params"] == {"sessionId": "old", "cwd": str(desk.folder), "mcpServers": []}
    await talk.turn("hello")
    assert talk.says == "Hi"
    assert agent.got("session/prompt")[0]["params"]["sessionId"] == "old"


@pytest.mark.statement(145)
@pytest.mark.parametrize("verb", ["load", "resume", "fork", "new"])
@pytest.mark.parametrize("takes", [True, False])
async def test_a_system_prompt_goes_along_however_it_is_opened(desk: Desk, verb: str, takes: bool) -> None:
    names = ("resume", "fork", *(("systemPrompt",) if takes else ()))
    agent = desk.agent(
        abilities(*names, load=True),
        on("session/fork", result({"sessionId": "f"})),
        spec={"system_prompt": "Answer in verse."},
    )
    talk = desk.new(verb=verb, **({} if verb == "new" else {"id": "old"}))
    await talk.until("idle")
    (message,) = agent.got(f"session/{verb}")
    told = {"mode": "append", "content": [{"type": "text", "text": "Answer in verse."}]}
    assert message["params"].get("systemPrompt") == (told if takes else None)
    refused = "mine takes no system prompt: yours is not sent"
    await eventually(lambda: talk.lines.count(refused) == (0 if takes else 1))


@pytest.mark.statement(145)
async def test_without_a_system_prompt_nothing_of_it_is_sent(desk: Desk) -> None:
    agent = desk.agent(abilities("systemPrompt"))
    await desk.ready()
    assert "systemPrompt" not in agent.got("session/new")[0]["params"]


@pytest.mark.statement(44)
@pytest.mark.parametrize("verb", ["load", "resume", "fork", "new"])
@pytest.mark.parametrize("takes", [True, False])
async def test_further_roots_go_along_however_it_is_opened(
    desk: Desk, other: Path, verb: str, takes: bool
) -> None:
    names = ("resume", "fork", *(("additionalDirectories",) if takes else ()))
    agent = desk.agent(abilities(*names, load=True), on("session/fork", result({"sessionId": "f"})))
    more = {} if verb == "new" else {"id": "old"}
    talk = desk.new(verb=verb, roots=[str(other)], **more)
    await talk.until("idle")
    (message,) = agent.got(f"session/{verb}")
    assert message["params"].get("additionalDirectories") == ([str(other)] if takes else None)
    assert desk.messages("warn") == (
        [] if takes else ["mine works in one folder only: the others are ignored"]
    )


async def test_a_fork_is_a_session_beside_its_source(desk: Desk) -> None:
    early = {"sessionId": "f1", "update": spoken("welcome to the fork")}
    agent = desk.agent(
        abilities("fork"),
        on("session/fork", ["notify", "session/update", early], result({"sessionId": "f1"})),
        on_prompt("", say("in {session}")),
    )
    source = await desk.ready()
    await source.turn("hello")
    fork = desk.new(verb="fork", id="s1")
    await fork.until("idle")
    (message,) = agent.got("session/fork")
    assert message["params"] == {"sessionId": "s1", "cwd": str(desk.folder), "mcpServers": []}
    await eventually(lambda: "welcome to the fork" in fork.lines)
    assert any("forked" in line for line in fork.lines)
    await fork.turn("hello")
    await source.turn("again")
    assert (fork.says, source.says) == ("in f1", "in s1")
    assert fork.status["pid"] == source.status["pid"]


@pytest.mark.statement(38)
@pytest.mark.parametrize("verb", ["load", "resume", "fork", "reopen"])
@pytest.mark.parametrize("said", [None, False])
async def test_what_is_not_offered_is_never_sent(desk: Desk, verb: str, said: object) -> None:
    agent = desk.agent(on_initialize(loadSession=said, sessionCapabilities={"resume": said, "fork": said}))
    stays = await desk.ready()
    talk = desk.new(verb=verb, id="old")
    await desk.message("mine can")
    await eventually(lambda: not talk.is_listed)
    await stays.turn("hello")
    assert [message["method"] for message in agent.got()] == ["initialize", "session/new", "session/prompt"]


@pytest.mark.statement(40)
@pytest.mark.parametrize("verb", ["load", "resume", "fork"])
async def test_a_refused_one_leaves_no_half_session(desk: Desk, verb: str) -> None:
    refusal = on(f"session/{verb}", update(spoken("half")), error(-32002, "no such session"))
    agent = desk.agent(abilities("resume", "fork", load=True), refusal)
    stays = await desk.ready()
    talk = desk.new(verb=verb, id="old")
    await desk.message(f"could not {verb} old", "no such session")
    await eventually(lambda: not talk.is_listed)
    assert talk.number not in desk.client.sessions
    assert talk.data("AcpSessionStarted") == []
    assert (await stays.turn("hello"))["stop_reason"] == "end_turn"
    assert len(agent.got("session/new")) == 1


@pytest.mark.parametrize("names", [("resume",), ()])
async def test_an_agent_left_without_a_session_is_ended(desk: Desk, names: tuple[str, ...]) -> None:
    agent = desk.agent(abilities(*names), on("session/resume", error(-32002, "no")))
    talk = desk.new(verb="resume", id="old")
    await eventually(lambda: not talk.is_listed)
    await eventually(lambda: agent.logged("eof"))
    await eventually(lambda: desk.editor.groups == [])


@pytest.mark.statement(42)
@pytest.mark.parametrize(
    ("load", "names", "wanted"), [(True, ["resume"], "load"), (False, ["resume"], "resume")]
)
async def test_load_is_preferred_to_resume(desk: Desk, load: bool, names: list[str], wanted: str) -> None:
    agent = desk.agent(abilities(*names, load=load))
    talk = desk.new(verb="reopen", id="old")
    await talk.until("idle")
    assert [message["method"] for message in agent.got()] == ["initialize", f"session/{wanted}"]


@pytest.mark.statement(42)
async def test_a_restart_resumes_where_the_agent_cannot_load(desk: Desk) -> None:
    agent = desk.agent(abilities("resume"), on_prompt("", say("words")))
    talk = await desk.ready()
    await talk.turn("hello")
    talk.send("restart")
    await eventually(lambda: any("remembers the conversation above" in line for line in talk.lines))
    await talk.until("idle")
    assert "words" in talk.lines
    assert agent.got("session/resume")[0]["params"]["sessionId"] == "s1"
    assert len(agent.got("session/new")) == 1


async def test_a_prompt_after_the_end_finds_the_agents_memory(desk: Desk) -> None:
    agent = desk.agent(
        abilities(load=True), on_prompt("die", ["exit", 1]), on("session/load", say("from before"))
    )
    talk = await desk.ready()
    await talk.turn("die")
    await talk.until("failed")
    talk.prompt("hello")
    await talk.ended(2)
    assert "from before" in talk.lines
    assert agent.got("session/prompt")[-1]["params"]["sessionId"] == "s1"


async def test_a_restart_that_fails_forgets_nothing(desk: Desk) -> None:
    rules = abilities(load=True), on_prompt("", say("words"))
    agent = desk.agent(*rules)
    talk = await desk.ready()
    await talk.turn("hello")
    desk.configure("mine", {"command": "no-such-agent"})
    talk.send("restart")
    await talk.until("failed")
    assert talk.status["session_id"] == "s1"
    desk.agent(*rules, start=[["exit", 1]])
    talk.send("restart")
    await desk.message("exited with status 1")
    desk.agent(*rules)
    talk.send("restart")
    await talk.until("idle")
    assert [message["params"]["sessionId"] for message in agent.got("session/load")] == ["s1"]


# --- closed before it was there


@pytest.mark.parametrize("verb", ["new", "load", "resume", "fork"])
@pytest.mark.parametrize("closes", [True, False])
async def test_one_that_was_closed_meanwhile_is_closed_at_the_agent(
    desk: Desk, verb: str, closes: bool
) -> None:
    gate = desk.folder / "gate"
    answer = result({"sessionId": "late"} if verb in ("new", "fork") else {})
    agent = desk.agent(
        abilities("resume", "fork", *(("close",) if closes else ()), load=True),
        on("session/new", times=1),
        on(f"session/{verb}", wait_file(str(gate)), answer),
    )
    stays = await desk.ready()
    talk = desk.new(verb=verb, **({} if verb == "new" else {"id": "late"}))
    await eventually(lambda: len(agent.got(f"session/{verb}")) == (2 if verb == "new" else 1))
    talk.send("close")
    gate.touch()
    if closes:
        await eventually(lambda: agent.got("session/close"))
    await stays.turn("hello")
    assert [message["params"] for message in agent.got("session/close")] == (
        [{"sessionId": "late"}] if closes else []
    )
    assert not talk.is_listed


async def test_a_session_is_not_opened_twice(desk: Desk) -> None:
    agent = desk.agent(abilities(load=True))
    talk = await desk.ready()
    second = desk.new(verb="load", id="s1")
    await desk.message("s1 is open already", f":Acp open {talk.number}")
    await eventually(lambda: not second.is_listed)
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    assert agent.got("session/load") == []


async def test_with_its_last_session_the_process_ends(desk: Desk) -> None:
    agent = desk.agent(abilities("close"))
    one, two = await desk.ready(), await desk.ready()
    one.send("close")
    await two.turn("hello")
    assert not agent.logged("eof")
    two.send("close")
    await eventually(lambda: agent.logged("eof"))
    assert len(agent.got("session/close")) == 2
    assert (await desk.ready()).state == "idle"
    assert desk.messages("error") == []


@pytest.mark.parametrize("verb", ["load", "resume", "reopen", "new"])
async def test_the_users_further_folders_come_back_with_a_session(desk: Desk, other: Path, verb: str) -> None:
    """`new` is what `:Acp continue` sends in a later Neovim. What has become a link since opens nothing."""
    further, turned = desk.folder / "further", desk.folder / "turned"
    for folder in (further, turned):
        folder.mkdir()
    abilities = {"resume": {}, "additionalDirectories": {}}
    agent = desk.agent(
        on_initialize(loadSession=True, sessionCapabilities=abilities), on_prompt("", say("Hi"))
    )
    desk.send("setup", config={"agents": desk._agents, "transcripts": {"keep": 9}}, state=str(desk.folder))
    first = desk.new(roots=[str(further), str(turned)])
    await first.turn("begin")
    (file,) = await eventually(lambda: [*(desk.folder / "transcripts").glob("*.jsonl")])
    await eventually(lambda: "stopReason" in file.read_text())
    id = first.status["session_id"]
    first.send("close")
    await eventually(lambda: not first.is_listed)
    turned.rmdir()
    turned.symlink_to(other)
    talk = desk.new(verb=verb, id=id, **({"transcript": str(file)} if verb == "new" else {}))
    await talk.until("idle")
    (message,) = agent.got("session/resume" if verb == "resume" else "session/load")
    assert message["params"]["additionalDirectories"] == [str(further)]
    assert desk.client.session(talk.number).roots == (str(further),), "its own folders are inside"
