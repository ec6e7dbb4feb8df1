"""Transcripts on disk: one file a session, for its user alone, played back as what it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    error,
    eventually,
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
    wait_file,
)
from tests.steps.backend import await_proposal, decide, replay_wire

STEPS = [{"content": "Look", "status": "completed"}, {"content": "Change", "status": "in_progress"}]
DIFF = {"type": "diff", "path": "a.py", "oldText": "one\n", "newText": "two\n"}
TURN = (
    think("let me see"),
    say("I'll "),
    say("look\n"),
    tool("r", title="read a.py", kind="read", status="completed", locations=[{"path": "a.py", "line": 3}]),
    update({"sessionUpdate": "plan", "entries": STEPS}),
    permission("edit a.py", id="e", kind="edit", content=[DIFF]),
    tool("e", known=True, status="failed", rawOutput={"why": "no"}),
    update({"sessionUpdate": "notice", "severity": "warning", "title": "careful"}),
    say("done"),
)


def keep(desk: Desk, count: int = 100, **config: Any) -> Path:
    desk.send(
        "setup",
        config={"agents": desk._agents, "transcripts": {"keep": count}, **config},
        state=str(desk.folder),
    )
    return desk.folder / "transcripts"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.suffix != ".new") if folder.exists() else []


async def written(folder: Path, *words: str, count: int = 1, turns: int = 0) -> list[Path]:
    """The files, once they hold these words and the ends of so many turns."""

    def found() -> list[Path]:
        kept = files(folder)
        try:
            texts = "".join(path.read_text() for path in kept)
        except FileNotFoundError:  # the backend has deleted an old one since
            return []
        is_there = all(word in texts for word in words) and texts.count("stopReason") >= turns
        return kept if len(kept) == count and is_there else []

    return list(await eventually(found))


async def played(desk: Desk, file: Path, status: str = "stopped") -> Talk:
    talk = desk.new(verb="replay", file=str(file))
    await talk.until(status)
    return talk


async def test_a_session_is_kept_and_played_back(desk: Desk) -> None:
    desk.agent(on_prompt("", *TURN), on_initialize())
    folder = keep(desk)
    talk = await desk.ready()
    assert files(folder) == []
    talk.prompt("do it\nplease")
    await talk.asked()
    talk.answer("no")
    await talk.ended(1)
    (file,) = await written(folder, "stopReason")
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert talk.status["transcript"] == str(file)
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        assert entry.keys() == {"t", "dir", "msg"}
        assert entry["dir"] in ("->", "<-")
    again = await played(desk, file)
    await eventually(lambda: again.lines == talk.lines)


async def test_what_was_said_is_kept_whoever_kills_us_in_the_turn(desk: Desk) -> None:
    own = {"terminal_output": {"terminal_id": "x", "data": "half "}}
    rest = {"terminal_output": {"terminal_id": "x", "data": "built"}}
    gate = desk.folder / "gate"
    desk.agent(
        on_prompt(
            "",
            think("let me see"),
            say("I'll "),
            tool("b", title="build", status="in_progress", _meta=own),
            tool("r", title="read a.py", kind="read", status="in_progress"),
            wait_file(str(gate)),
            tool("r", known=True, status="completed"),
            tool("b", known=True, _meta=rest),
            say("so far"),
            wait("session/cancel"),
            tool("b", known=True, status="completed"),
            say(" so good"),
        )
    )
    folder = keep(desk)
    talk = await desk.ready()
    talk.prompt("go")
    await written(folder, "let me see", "I'll ", "half ", "read a.py")
    gate.touch()
    (file,) = await written(folder, "so far")
    killed = desk.folder / "killed.jsonl"
    killed.write_bytes(file.read_bytes())
    then = await played(desk, killed)
    await eventually(lambda: "the recording ends here" in "\n".join(then.lines))
    assert [line for line in then.lines if "read" in line or line in ("I'll ", "so far")] == [
        line for line in talk.lines if "read" in line or line in ("I'll ", "so far")
    ]
    assert "let me see" in killed.read_text()
    talk.send("cancel")
    await talk.ended(1)
    await written(folder, turns=1)
    again = await played(desk, file)
    await eventually(lambda: again.lines == talk.lines)
    assert (file.read_text().count("half "), file.read_text().count("so far")) == (1, 1)


async def test_the_end_of_a_turn_is_kept(desk: Desk) -> None:
    desk.agent(
        on_prompt("fail", error(-32603, "out of paper")),
        on_prompt("long", say("well"), wait("session/cancel")),
    )
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("fail")
    talk.prompt("long")
    await eventually(lambda: "well" in talk.lines)
    talk.send("cancel")
    await talk.ended(2)
    await talk.turn("last", first=True)
    (file,) = await written(folder, "last", "out of paper", "cancelled", turns=3)
    again = await played(desk, file)
    await eventually(lambda: again.lines == talk.lines)


async def test_what_comes_after_a_turn_is_kept_with_the_next(desk: Desk) -> None:
    desk.agent(on_prompt("one", say("first"), tool("t", title="slow")), on_prompt("two", say("second")))
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("one")
    session = desk.client.sessions[1]
    desk.client.host_of(session).on_update(  # type: ignore[union-attr]
        {
            "sessionId": "s1",
            "update": {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"},
        }
    )
    await talk.turn("two")
    (file,) = await written(folder, "second", "completed", turns=2)
    again = await played(desk, file)
    await eventually(lambda: again.lines == talk.lines)


async def test_secrets_are_not_written(desk: Desk) -> None:
    desk.agent(on_prompt("", say("the key is open-sesame")), spec={"env": {"KEY": "open-sesame"}})
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("use open-sesame")
    (file,) = await written(folder, "the key is ***")
    assert "open-sesame" not in file.read_text()


async def test_what_a_known_agent_needs_in_its_environment_is_no_secret(desk: Desk) -> None:
    """It holds words such as "true", which occur in any text."""
    desk.agent(on_prompt("", say("it is true")), spec={"preset_env": {"NO_UPDATE": "true"}})
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("hello")
    await written(folder, "it is true")


async def test_only_so_many_are_kept(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    folder = keep(desk, 2)
    for number in range(4):
        talk = await desk.ready()
        await talk.turn(f"number {number}")
        await written(folder, f"number {number}", count=min(2, number + 1))
    kept = "".join(path.read_text() for path in files(folder))
    assert "number 3" in kept
    assert "number 2" in kept
    assert "number 1" not in kept


async def test_none_are_kept(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    folder = keep(desk, 0)
    talk = await desk.ready()
    await talk.turn("hello")
    assert files(folder) == []
    assert "transcript" not in talk.status


async def test_a_file_that_was_removed_is_begun_anew(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("one")
    (file,) = await written(folder, "stopReason")
    file.unlink()
    await talk.turn("two")
    await talk.turn("three")
    await written(folder, "one", "two", "three")


async def test_a_disk_that_is_full_is_told_once(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    (desk.folder / "transcripts").write_text("in the way")
    keep(desk)
    talk = await desk.ready()
    await talk.turn("one")
    await desk.message("the transcript cannot be saved")
    await talk.turn("two")
    assert len([text for text in desk.messages() if "transcript cannot be saved" in text]) == 1


async def test_an_earlier_backends_session_comes_back_with_its_text(desk: Desk) -> None:
    agent = desk.agent(on_prompt("", say("Hi")), on_prompt("two", say("two")))
    folder = keep(desk)
    talk = await desk.ready()
    await talk.turn("one")
    (file,) = await written(folder, "stopReason")
    before = list(talk.lines)
    back = desk.new(id="s1", transcript=str(file))
    back.prompt("two")
    await back.ended(2)
    assert back.lines[: len(before)] == before
    assert any("started again" in line for line in back.lines)
    assert agent.got("session/load") == []
    await written(folder, "two", "started again")
    assert back.status["transcript"] == str(file)


async def test_a_broken_file_brings_nothing_back(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    keep(desk)
    broken = desk.folder / "broken.jsonl"
    broken.write_text("half a li")
    talk = desk.new(id="s1", transcript=str(broken))
    await talk.until("idle")
    await desk.message("cannot read the earlier conversation")


# --- decisions that agents do not tell

OLD, NEW = "one\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\nFIVE\n"
CHANGE = {"type": "diff", "path": "{cwd}/a.py", "oldText": OLD, "newText": NEW}
TOLD = tool("e", title="edit a.py", kind="edit", content=[CHANGE], status="completed")


def beside(desk: Desk, talk: Talk) -> str:
    """What stands at the end of the line of the only call."""
    (mark,) = [mark for mark in desk.editor.chat(talk.number).marks if mark["kind"] == "tool"]
    return "".join(text for text, _ in mark["eol"] or [])


async def test_a_loaded_session_says_which_part_of_a_proposal_was_allowed(desk: Desk) -> None:
    """From our own transcript: no agent tells it. It is still known after another load, and in a replay."""
    desk.agent(
        on_initialize(loadSession=True),
        on_prompt("edit", permission("edit a.py", id="e", kind="edit", content=[CHANGE]), TOLD),
        on_prompt("", say("Hi")),
        on("session/load", TOLD, say("Done.")),
    )
    folder = keep(desk)
    (desk.folder / "a.py").write_text(OLD)
    talk = await desk.ready()
    talk.prompt("edit")
    (question,) = await talk.asked()
    desk.send("diff", question=question["id"], focus=True)
    decide(desk, await await_proposal(desk), OLD.replace("one", "ONE"))
    await talk.ended(1)
    assert beside(desk, talk) == " +1 −1  1 of 2 hunks"
    (file,) = await written(folder, turns=1)
    assert beside(desk, await replay_wire(desk, file)) == " +1 −1  1 of 2 hunks"
    id = talk.status["session_id"]
    for count in (2, 3):
        talk.send("close")
        talk = desk.new(verb="load", id=id)
        await talk.until("idle")
        await eventually(lambda talk=talk: beside(desk, talk) == " +1 −1  1 of 2 hunks")
        await talk.turn("hello")
        await written(folder, turns=count, count=count)


async def test_a_turn_that_the_user_has_stopped_is_marked_alike_everywhere(desk: Desk) -> None:
    """Live, in a replay of the transcript, and as agents tell it when a session is loaded."""
    user = {"sessionUpdate": "user_message_chunk"}
    told = [
        update({**user, "content": {"type": "text", "text": text}})
        for text in ("go", "[Request interrupted by user]", "on")
    ]
    desk.agent(
        on_initialize(loadSession=True),
        on_prompt("go", wait("session/cancel"), result({"stopReason": "cancelled"})),
        on_prompt("on", say("Hi")),
        on("session/load", *told, say("Hi")),
    )
    folder = keep(desk)
    talk = await desk.ready()
    talk.prompt("go")
    await talk.until("running")
    talk.send("cancel")
    await talk.ended(1)
    await talk.turn("on")
    (file,) = await written(folder, turns=2)
    loaded = desk.new(verb="load", id="s-9")
    await loaded.until("idle")
    for each in (talk, await replay_wire(desk, file), loaded):
        await eventually(lambda each=each: "Hi" in each.lines)
        stop = each.lines.index("you stopped it here")
        (mark,) = [mark for mark in desk.editor.chat(each.number).marks if mark["row"] == stop]
        assert mark["icon"] == {"text": "⊘ ", "hl": "AcpCancelled"}
        assert "cancelled" not in each.lines


# --- export


@pytest.mark.parametrize("force", [False, True])
async def test_export_does_not_overwrite_unasked(desk: Desk, force: bool) -> None:
    desk.agent(on_prompt("", say("Hi *there*")))
    talk = await desk.ready()
    await talk.turn("hello")
    file = desk.folder / "out.md"
    file.write_text("mine")
    talk.send("export", file=str(file), force=force)
    await desk.message("the conversation is in" if force else "the file exists")
    assert ("Hi *there*" in file.read_text()) is force


async def test_export_into_nowhere_is_told(desk: Desk) -> None:
    desk.agent(on_prompt("", say("Hi")))
    talk = await desk.ready()
    talk.send("export", file=str(desk.folder / "no" / "out.md"))
    await desk.message("not saved", "no such folder")


async def test_words_in_a_running_turn_are_kept_as_such(desk: Desk) -> None:
    folder = keep(desk)
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    told = {"protocolVersion": 1, "agentInfo": info, "_meta": {"steering": {"supported": True}}}
    finish = desk.folder / "finish"
    desk.agent(
        on("initialize", result(told)),
        on_prompt("work", say("Begun."), wait_file(str(finish)), say("Done.")),
        on("_session/steering", result({"outcome": "injected"})),
    )
    keep(desk)
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.says == "Begun.")
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.data("AcpSteered"))
    finish.touch()
    await talk.ended(1)
    (file,) = await written(folder, "use tabs", "Done.", turns=1)
    again = await replay_wire(desk, file)
    shown = ["## You", "work", "## Scripted", "Begun.", "## You", "use tabs", "## Scripted", "Done."]
    assert [line for line in talk.lines if line] == shown
    assert [line for line in again.lines if line][:8] == shown
    marks = [mark for mark in desk.editor.chat(again.number).marks if "sent into" in str(mark.get("eol"))]
    assert len(marks) == 1


async def replayed(desk: Desk, talk: Talk) -> Talk:
    (file,) = await written(desk.folder / "transcripts", "stopReason")
    return await played(desk, file)


def plan(id: str, *steps: str) -> Any:
    entries = [{"content": step, "status": "pending"} for step in steps]
    return update(
        {"sessionUpdate": "plan_update", "plan": {"planId": id, "type": "items", "entries": entries}}
    )


async def test_all_of_several_plans_are_kept(desk: Desk) -> None:
    steps = [
        plan("a", "Look"),
        plan("b", "Change", "Test"),
        update({"sessionUpdate": "plan", "entries": STEPS}),
        plan("a", "Look again"),
        update({"sessionUpdate": "plan_removed", "planId": "b"}),
    ]
    desk.agent(on_prompt("", *steps, say("done")))
    keep(desk)
    talk = await desk.ready()
    await talk.turn("go")
    again = await replayed(desk, talk)
    assert "plan 0/2  dropped" in talk.lines
    assert "    Look again" in talk.lines
    assert again.lines == talk.lines


async def test_a_call_that_goes_on_after_its_end_is_kept_once(desk: Desk) -> None:
    text = {"type": "content", "content": {"type": "text", "text": "the output"}}
    gate = desk.folder / "gate"
    desk.agent(
        on_prompt(
            "",
            tool("t", title="make", kind="execute", status="in_progress", rawInput={"command": "make"}),
            tool("t", known=True, status="completed"),
            say("so"),
            wait_file(str(gate)),
            tool("t", known=True, title="make all", content=[text], rawInput={"command": "make all"}),
            say(" it is"),
        )
    )
    folder = keep(desk)
    talk = await desk.ready()
    talk.prompt("go")
    await written(folder, '"status": "completed"', '"so"')
    gate.touch()
    await talk.ended(1)
    again = await replayed(desk, talk)
    assert again.lines == talk.lines
    assert sum("make" in line for line in talk.lines) == 1
