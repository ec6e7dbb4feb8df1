"""Rules at work: what they answer goes over the wire, is told in the chat and by `:Acp why`, and is written down."""

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from acp_nvim.protocol import dialects
from acp_nvim.protocol.dialects.standard import Dialect
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    ask,
    eventually,
    on_prompt,
    permission,
    result,
    say,
    tool,
    wait,
    wait_file,
)

STATUS = {"command": "git status"}
READS: Any = {"kind": "read", "rawInput": {"path": "a.txt"}}
TOLD = "yet the agent reports it as done"


def ruled(desk: Desk, *rules: Any, state: Path | None = None) -> None:
    config = {"agents": desk._agents, "permissions": list(rules), "transcripts": {"keep": 0}}
    desk.send("setup", config=config, state=str(state) if state else None)


def answers(agent: ScriptedAgent) -> list[Any]:
    outcomes = [message["result"]["outcome"] for message in agent.got() if "method" not in message]
    return [outcome.get("optionId", outcome["outcome"]) for outcome in outcomes]


def runs(command: Any, id: str = "t", **fields: Any) -> Any:
    return permission("Run", id=id, kind="execute", rawInput={"command": command}, **fields)


def nudge(desk: Desk, method: str = "go on") -> None:
    desk.client.hosts[0].connection.notify(method, {})


async def told(desk: Desk, talk: Talk, key: int | None = None) -> str:
    before = len(desk.messages("info"))
    talk.send("why", key=key)
    await eventually(lambda: len(desk.messages("info")) > before)
    return desk.messages("info")[before]


def beside(desk: Desk, words: str) -> list[bool]:
    """At the end of which tool calls' lines."""
    return [any(words in text for text, _ in mark.get("eol", ())) for mark in desk.editor.chat(1).marks]


async def asking(desk: Desk, text: str = "work") -> Talk:
    talk = await desk.ready()
    talk.prompt(text)
    await talk.asked()
    return talk


# --- what is configured


@pytest.mark.statement(79)
@pytest.mark.parametrize(
    ("action", "option", "words"),
    [("allow", "yes", "allowed by rule 2"), ("reject", "no", "rejected by rule 2")],
)
async def test_a_rule_answers_with_an_option_that_counts_once(
    desk: Desk, action: str, option: str, words: str
) -> None:
    agent = desk.agent(on_prompt("work", runs("git status"), say("{answer}")))
    ruled(desk, {"action": "ask", "command": "push"}, {"action": action, "command": "git .*"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == [option]
    (asked,), (answered,) = talk.data("AcpQuestion"), talk.data("AcpAnswered")
    assert answered == {"id": asked["id"], "option_id": option, "by": "rule"}
    assert any(beside(desk, words))
    assert talk.questions == []
    assert not any(mark["kind"] == "option" for mark in desk.editor.chat(1).marks)
    rule = f"{{ action = '{action}', command = 'git .*' }}"
    assert await told(desk, talk) == f"Run: {words} (permissions in setup()): {rule}"


@pytest.mark.statement(79)
@pytest.mark.parametrize("command", ["git status; rm -rf /", "git status\nid", "sudo git status", "git push"])
async def test_what_no_rule_allows_is_asked(desk: Desk, command: str) -> None:
    agent = desk.agent(on_prompt("work", runs(command)))
    ruled(desk, {"action": "ask", "command": "push"}, {"action": "allow", "command": "git .*"})
    talk = await asking(desk)
    waits = "rule 1: { action = 'ask', command = 'push' }" if "push" in command else "no rule matches"
    assert waits in await told(desk, talk, talk.questions[0]["key"])
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["no"]
    said = "Run: you chose 'No' (rejects once: the next call asks again)"
    assert await told(desk, talk) == (f"{said}; {waits}" if "push" in command else said)


@pytest.mark.statement(79)
async def test_where_no_option_counts_once_the_user_is_asked_and_told(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", permission("Run", [("a", "Always", "allow_always")], **READS)))
    ruled(desk, {"action": "allow", "kind": "read"})
    talk = await asking(desk)
    assert any("rule 1 would allow this" in line for line in talk.lines)
    talk.answer("a")
    await talk.ended(1)
    assert answers(agent) == ["a"]


@pytest.mark.statement(71, 79)
async def test_the_first_option_of_the_kind_is_taken(desk: Desk) -> None:
    options = [("x", "Always", "allow_always"), (7, "Once", "allow_once"), ("y", "Too", "allow_once")]
    agent = desk.agent(on_prompt("work", permission("Run", options, **READS)))
    ruled(desk, {"action": "allow", "kind": "read"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == [7]


async def test_paths_are_matched_where_they_lead(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    asks = [
        permission("Edit", id=id, kind="edit", locations=[{"path": id}]) for id in ("a.txt", "out/passwd")
    ]
    agent = desk.agent(on_prompt("work", *asks))
    ruled(desk, {"action": "reject", "path": "/etc/**"}, {"action": "allow", "path": f"{tmp_path}/**"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == ["yes", "no"]


@pytest.mark.parametrize(
    "raw",
    [
        {"glob": "../../../etc/*"},
        {"globs": ["*.py", "../**"]},
        {"pattern": "x", "include": "../**"},
        {"pattern": "x", "file_pattern": "../*.py"},
        {"pattern": "{/etc,/root}/**"},
        {"pattern": "[/]etc/shadow"},
        {"pattern": "~root/**"},
        {"pattern": "$HOME/.ssh/*"},
        {"pattern": "out/*"},
        {"path": "{.,/etc}/passwd"},
    ],
)
async def test_a_pattern_that_may_lead_outside_is_asked(
    desk: Desk, tmp_path: Path, raw: dict[str, Any]
) -> None:
    (tmp_path / "out").symlink_to("/etc")
    agent = desk.agent(on_prompt("work", permission("Look", kind="search", rawInput=raw)))
    ruled(desk, {"action": "allow"}, {"action": "allow", "path": f"{tmp_path}/**"})
    talk = await asking(desk)
    assert answers(agent) == []
    talk.answer("no")
    await talk.ended(1)


@pytest.mark.parametrize(
    "patch",
    [
        "diff --git a/src/x b/src/y\nsimilarity index 100%\nrename from src/x\nrename to ../../out.txt\n",
        "diff --git a/src/x b/src/y\nsimilarity index 90%\ncopy from src/x\ncopy to ../../out.txt\n",
        "diff --git a/../../out.sh b/../../out.sh\nold mode 100644\nnew mode 100755\n",
    ],
)
async def test_a_patch_that_leads_elsewhere_by_its_headers_is_asked(
    desk: Desk, tmp_path: Path, patch: str
) -> None:
    raw = {"path": "src/x", "patch": patch}
    agent = desk.agent(on_prompt("work", permission("Edit", kind="edit", rawInput=raw)))
    ruled(desk, {"action": "allow", "kind": "edit", "path": f"{tmp_path}/**"})
    talk = await asking(desk)
    assert answers(agent) == []
    talk.answer("no")
    await talk.ended(1)


@pytest.mark.parametrize("rule", ["src/gen/**", "{cwd}/src/gen/**", "src/gen/", "src/gen/a.txt"])
@pytest.mark.parametrize("is_there", [True, False])
async def test_a_link_moves_no_rule_along(desk: Desk, tmp_path: Path, rule: str, is_there: bool) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "src" / "gen").mkdir(parents=True)
    if not is_there:
        (tmp_path / "src" / "gen").rmdir()
    edit = permission("Edit", kind="edit", locations=[{"path": "src/gen/a.txt"}])
    agent = desk.agent(on_prompt("work", edit))
    ruled(desk, {"action": "allow", "path": rule.replace("{cwd}", str(tmp_path))})
    talk = await desk.ready()
    if is_there:
        (tmp_path / "src" / "gen").rename(tmp_path / "aside")
    (tmp_path / "src" / "gen").symlink_to(tmp_path / "out")
    talk.prompt("work")
    await talk.asked()
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["no"]


async def test_a_rule_for_a_file_of_this_session_is_none_for_what_a_link_makes_of_it(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("mine\n")
    asks = [permission("Edit", id=id, kind="edit", locations=[{"path": "a.txt"}]) for id in "tu"]
    agent = desk.agent(on_prompt("work", asks[0], wait_file(str(tmp_path / "go")), asks[1]))
    talk = await asking(desk)
    desk.send("allow", question=talk.questions[0]["id"], version=1, set=True)
    await eventually(lambda: answers(agent) == ["yes"])
    (tmp_path / "a.txt").unlink()
    (tmp_path / "a.txt").symlink_to("/etc/passwd")
    (tmp_path / "go").touch()
    await eventually(lambda: [each["tool_call_id"] for each in talk.questions] == ["u"])
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["yes", "no"]


async def test_a_cancelled_turn_lets_no_rule_answer(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("work", wait("session/cancel"), runs("git status"), result({"stopReason": "cancelled"}))
    )
    ruled(desk, {"action": "allow", "command": "git status"})
    talk = await desk.ready()
    talk.prompt("work")
    await talk.until("running")
    talk.send("cancel")
    await talk.ended(1)
    assert answers(agent) == ["cancelled"]


@pytest.mark.statement(77, 79)
async def test_a_question_that_becomes_clear_is_held_against_the_rules_again(desk: Desk) -> None:
    asks = ask("session/request_permission", _about("t", title="Run", kind="execute"))
    later = tool("t", known=True, rawInput=STATUS)
    agent = desk.agent(on_prompt("work", asks, wait("go on"), later, wait("session/cancel")))
    ruled(desk, {"action": "allow", "command": "git status"})
    talk = await asking(desk)
    nudge(desk)
    await talk.asked(0)
    await eventually(lambda: answers(agent) == ["yes"])
    talk.send("cancel")


async def test_what_a_rule_wants_asked_stays_asked(desk: Desk) -> None:
    asks = ask("session/request_permission", _about("t", title="Run git", kind="execute"))
    later = tool("t", known=True, title="Look", rawInput=STATUS)
    agent = desk.agent(on_prompt("work", asks, wait("go on"), later, wait("session/cancel")))
    ruled(desk, {"action": "ask", "command": "^Run"}, {"action": "allow", "command": "git status"})
    talk = await asking(desk)
    nudge(desk)
    await eventually(lambda: talk.questions[0]["version"] == 2)
    assert answers(agent) == []
    talk.send("cancel")


async def test_a_rule_with_a_mistake_is_named_and_the_next_one_holds(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", runs("git status"), runs("git push", "u")))
    ruled(desk, {"action": "allow", "command": "git ("}, {"action": "allow", "command": "git status"})
    await desk.message("'permissions[1].command' is not a regular expression", "this rule allows nothing")
    talk = await asking(desk)
    assert (talk.questions[0]["tool_call_id"], answers(agent)) == ("u", ["yes"])
    talk.answer("no")
    await talk.ended(1)


async def test_an_expression_without_an_end_holds_nobody_up(desk: Desk) -> None:
    desk.agent(on_prompt("work", runs("a" * 60)))
    ruled(desk, {"action": "allow", "command": "(a|a)*b"})
    talk = await asking(desk)
    await desk.message("rule 1 takes too long to match, so you are asked")
    talk.answer("no")
    await talk.ended(1)


# --- :Acp allow


async def test_allow_shows_the_rule_and_sends_nothing(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", runs("git status")))
    talk = await asking(desk)
    desk.send("allow", question=talk.questions[0]["id"], version=1, set=False)
    await desk.message(":Acp allow! sets { action = 'allow', command = 'git status' }")
    assert (answers(agent), len(talk.questions)) == ([], 1)
    talk.answer("no")
    await talk.ended(1)


async def test_allow_for_the_session_answers_and_goes_before_the_configuration(desk: Desk) -> None:
    agent = desk.agent(
        on_prompt("work", runs("git status"), runs("git status", "u"), runs("git status -s", "v"))
    )
    ruled(desk, {"action": "ask", "command": "git"})
    talk = await asking(desk)
    desk.send("allow", question=talk.questions[0]["id"], version=1, set=True)
    await desk.message("rule 1 of the session: { action = 'allow', command = 'git status' }")
    await eventually(lambda: len(talk.data("AcpAnswered")) == 2)
    await talk.asked()
    assert [data["by"] for data in talk.data("AcpAnswered")] == ["user", "rule"]
    assert sum(beside(desk, "rule 1 of the session")) == 2  # of the call that it was made from as well
    said = "rule 1 of the session (:Acp forget 1 takes it back): { action = 'allow', command = 'git status' }"
    assert said in await told(desk, talk)
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["yes", "yes", "no"]
    other = await desk.ready()
    other.prompt("work")
    await other.asked()
    other.answer(None)


async def test_a_rule_for_a_file_holds_for_all_of_its_paths(desk: Desk, tmp_path: Path) -> None:
    diff = {"type": "diff", "path": str(tmp_path / "a"), "oldText": None, "newText": "b\n"}
    asks = [permission("Edit", id=id, kind="edit", content=[diff]) for id in "tu"]
    agent = desk.agent(on_prompt("work", *asks))
    talk = await asking(desk)
    desk.send("allow", question=talk.questions[0]["id"], version=1, set=True)
    await talk.ended(1)
    assert answers(agent) == ["yes", "yes"]


@pytest.mark.parametrize(
    ("asked", "version", "words"),
    [
        (runs("a; b"), 1, "not sent, no rule set: its command contains ;"),
        (permission("Run it?"), 1, "no command and no path"),
        (runs("ls"), 2, "not sent: the question has changed"),
        (permission("Run", [("a", "Always", "allow_always")], rawInput=STATUS), 1, "no rule set"),
    ],
)
async def test_allow_that_cannot_be_done_says_so(desk: Desk, asked: Any, version: int, words: str) -> None:
    agent = desk.agent(on_prompt("work", asked))
    talk = await asking(desk)
    desk.send("allow", question=talk.questions[0]["id"], version=version, set=True)
    await desk.message(words)
    assert (answers(agent), desk.client.sessions[1].remembered.rules) == ([], [])
    talk.answer(None)
    await talk.ended(1)
    desk.send("allow", question=talk.data("AcpQuestion")[0]["id"], version=1, set=True)
    await desk.message("is no longer open")


# --- what is remembered for agents


class Forgetful(Dialect):
    name: ClassVar[str] = "forgetful"
    remembers: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("option", "then"), [("always", ["always", "yes", "no"]), ("never", ["never", "no", "no"])]
)
async def test_always_is_remembered_for_the_tool_and_the_session(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, option: str, then: list[str]
) -> None:
    monkeypatch.setitem(dialects.DIALECTS, "forgetful", Forgetful())
    options = [(id, id, kind) for id, kind in OFFERED]
    asks = [
        permission("Run", options, id=id, name=name, rawInput={"command": f"make {id} && make"})
        for id, name in (("t", "bash"), ("u", "bash"), ("v", "other"))
    ]
    agent = desk.agent(on_prompt("work", *asks), spec={"dialect": "forgetful"})
    talk = await asking(desk)
    talk.answer(option)
    await eventually(lambda: len(talk.data("AcpAnswered")) == 2)
    await talk.asked()
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == then


async def test_other_agents_remember_themselves(desk: Desk) -> None:
    agent = desk.agent(on_prompt("work", runs("ls", name="bash"), runs("ls", "u", name="bash")))
    talk = await asking(desk)
    talk.answer("always")
    await eventually(lambda: len(talk.data("AcpQuestion")) == 2)
    await talk.asked()
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["always", "no"]


# --- :Acp why


async def test_why_tells_of_the_last_that_was_decided_or_of_the_one_that_is_meant(desk: Desk) -> None:
    quiet = tool("q", title="look", status="completed")
    desk.agent(on_prompt("work", quiet, runs("git status"), tool("r", title="later", status="completed")))
    talk = await desk.ready()
    assert await told(desk, talk) == "no questions in this session yet"
    talk.prompt("work")
    await talk.asked()
    talk.answer(None)
    await talk.ended(1)
    assert (
        await told(desk, talk)
        == "Run: cancelled before you answered, so it was not allowed; prompt again to be asked again"
    )
    keys = {
        entry.title: entry.key
        for entry in desk.client.sessions[1].transcript.entries
        if hasattr(entry, "title")
    }
    assert await told(desk, talk, keys["look"]) == "look: the agent did not ask"
    assert "cancelled" in await told(desk, talk, 1)


async def test_why_of_a_call_that_went_on_without_an_answer(desk: Desk) -> None:
    asks = ask("session/request_permission", _about("t", title="Run"))
    desk.agent(on_prompt("work", asks, wait("go on"), tool("t", known=True, status="completed")))
    talk = await asking(desk)
    nudge(desk)
    await talk.ended(1)
    assert "the agent took the question back before you answered" in await told(desk, talk)


# --- what was refused and is done all the same


@pytest.mark.parametrize(
    ("option", "words"), [("no", "Run was rejected, "), (None, "Run was cancelled, "), ("yes", "")]
)
async def test_a_refused_call_that_is_done_is_a_loud_warning_once(
    desk: Desk, option: str | None, words: str
) -> None:
    done = tool("t", known=True, status="completed")
    desk.agent(on_prompt("work", runs("rm x"), done, done, tool("t", known=True, status="failed"), done))
    talk = await asking(desk)
    talk.answer(option)
    await talk.ended(1)
    loud = [text for text in desk.messages("error") if TOLD in text]
    assert [text.startswith(words) for text in loud] == ([True] if words else [])
    assert sum(TOLD in line for line in talk.lines) == len(loud)


async def test_a_call_that_a_rule_refused_is_watched_too_and_a_second_answer_counts(desk: Desk) -> None:
    done = tool("t", known=True, status="completed")
    again = permission("Look", id="u", kind="read")
    desk.agent(on_prompt("work", runs("rm x"), done, again, again, tool("u", known=True, status="completed")))
    ruled(desk, {"action": "reject", "command": "rm"})
    talk = await asking(desk)
    await desk.message("Run was rejected", TOLD)
    talk.answer("no")
    await eventually(lambda: len(talk.data("AcpQuestion")) == 3)
    await talk.asked()
    talk.answer("yes")
    await talk.ended(1)
    assert len(desk.messages("error")) == 1


async def test_a_refused_call_that_failed_is_as_it_should_be(desk: Desk) -> None:
    desk.agent(on_prompt("work", runs("rm x"), tool("t", known=True, status="failed")))
    talk = await asking(desk)
    talk.answer("no")
    await talk.ended(1)
    assert desk.messages("error") == []


# --- the log


def logged(folder: Path) -> list[dict[str, Any]]:
    path = folder / "permissions.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def test_what_the_end_of_neovim_decides_is_written_down_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    showing, running = (asyncio.create_task(work.run()) for work in (desk.editor, desk.client))
    desk.agent(on_prompt("work", runs("git status"), wait("never")))
    ruled(desk, state=tmp_path)
    await asking(desk)
    for task in (running, showing):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
    logging.getLogger("acp_nvim").removeHandler(desk.client.backend_log)
    (only,) = logged(tmp_path)
    assert (only["option"], only["command"]) == (None, ["git status"])
    assert desk.faults() == []


@pytest.mark.statement(79)
async def test_every_decision_is_written_down(desk: Desk, tmp_path: Path) -> None:
    state = tmp_path / "state" / "acp_nvim"
    desk.agent(
        on_prompt("work", runs("git status"), runs("echo s3cret", "u", locations=[{"path": "a"}])),
        spec={"env": {"KEY": "s3cret"}},
    )
    ruled(desk, {"action": "allow", "command": "git .*"}, state=state)
    talk = await asking(desk)
    talk.answer("no")
    await talk.ended(1)
    await eventually(lambda: len(logged(state)) == 2)
    first, second = logged(state)
    assert (first["by"], first["option"], first["command"]) == ("rule", "yes", ["git status"])
    assert first["rule"] == "rule 1: { action = 'allow', command = 'git .*' }"
    assert (first["session"], first["agent"], first["title"], first["kind"]) == (1, "mine", "Run", "execute")
    assert first["options"][0] == ["yes", "Yes", "allow_once"]
    assert first["t"] > 1_700_000_000
    assert (second["by"], second["option"], second["rule"]) == ("user", "no", None)
    assert (second["command"], second["paths"]) == (["echo ***"], [str(tmp_path / "a")])
    assert (state / "permissions.jsonl").stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700


async def test_the_log_is_bounded(desk: Desk, tmp_path: Path) -> None:
    full = tmp_path / "permissions.jsonl"
    full.write_text("x" * (1 << 20))
    desk.agent(on_prompt("work", runs("git status")))
    ruled(desk, {"action": "allow", "command": "git .*"}, state=tmp_path)
    talk = await desk.ready()
    await talk.turn("work")
    await eventually(
        lambda: (tmp_path / "permissions.jsonl.1").exists() and full.exists() and logged(tmp_path)
    )
    assert (tmp_path / "permissions.jsonl.1").stat().st_size == 1 << 20
    assert len(logged(tmp_path)) == 1


async def test_a_log_that_cannot_be_written_is_told_once_and_stops_nothing(
    desk: Desk, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    state.write_text("a file where the folder should be")
    agent = desk.agent(on_prompt("work", runs("git status")))
    ruled(desk, {"action": "allow", "command": "git .*"}, state=state)
    talk = await desk.ready()
    await talk.turn("work")
    await desk.message("decisions are not logged: ", str(state / "permissions.jsonl"))
    await talk.turn("work")
    assert answers(agent) == ["yes", "yes"]
    state.unlink()
    await talk.turn("work")
    await eventually(lambda: logged(state))
    assert len(desk.messages("warn")) == 1


OFFERED = (
    ("yes", "allow_once"),
    ("always", "allow_always"),
    ("no", "reject_once"),
    ("never", "reject_always"),
)


def _about(id: str, **call: Any) -> dict[str, Any]:
    offered = [{"optionId": option, "name": option, "kind": kind} for option, kind in OFFERED]
    return {"sessionId": "{session}", "toolCall": {"toolCallId": id, **call}, "options": offered}
