"""Agents that stand still, and pipes that are full: nothing waits for them but what is theirs, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from acp_nvim import limits
from tests.agent import processes
from tests.client.conftest import Desk, Talk, desk
from tests.fakes.script import (
    ScriptedAgent,
    ask,
    eventually,
    on_prompt,
    permission,
    repeat,
    say,
    script,
    stop_reading,
    wait_file,
)

__all__ = ["desk"]
CHAOS = "ACP_CHAOS" in os.environ
PIPE = 1 << 20  # bytes that fit into one


def send(agent: ScriptedAgent, number: signal.Signals) -> None:
    os.kill(agent.logged("start")[-1]["pid"], number)


async def stop(agent: ScriptedAgent) -> None:
    """Until each of its threads stands still: they are told one after the other."""
    pid = agent.logged("start")[-1]["pid"]
    tasks = Path(f"/proc/{pid}/task")
    send(agent, signal.SIGSTOP)
    if not processes.HAS_PROC:
        return await eventually(lambda: processes.state(pid) == "T")
    await eventually(
        lambda: all((task / "stat").read_text().rpartition(") ")[2][0] == "T" for task in tasks.iterdir())
    )


async def another(desk: Desk) -> Talk:
    """A session with an agent that is well."""
    agent = script(desk.folder, on_prompt("", say("all is well")), name="other")
    desk.configure("other", {"command": agent.argv[0], "args": agent.argv[1:]})
    return await desk.ready("other")


async def test_a_stopped_agent_goes_on_where_it_was(desk: Desk, tmp_path: Path) -> None:
    steps = (say("begun "), wait_file(str(tmp_path / "go")), permission("May I?"), say("ended."))
    agent = desk.agent(on_prompt("first", *steps), on_prompt("second", say("heard.")))
    talk, other = await desk.ready(), await another(desk)
    talk.prompt("first")
    await eventually(lambda: "begun" in talk.says)
    await stop(agent)
    (tmp_path / "go").touch()
    large = "second " + "x" * 3 * PIPE
    talk.prompt(large)
    talk.prompt("second, too")
    assert (await other.turn("are you?"))["stop_reason"] == "end_turn"
    assert talk.state == "running"
    send(agent, signal.SIGCONT)
    await talk.asked()
    await stop(agent)
    talk.answer("yes")
    assert (await other.turn("still?"))["stop_reason"] == "end_turn"
    send(agent, signal.SIGCONT)
    await talk.ended(3)
    prompts = [prompt["params"]["prompt"][0]["text"] for prompt in agent.got("session/prompt")]
    assert prompts == ["first", large, "second, too"]
    text = "\n".join(talk.lines)
    assert text.count("begun ") == text.count("ended.") == 1


@pytest.mark.parametrize("verb", ["stop", "close", "restart"] if CHAOS else ["restart"])
async def test_a_stopped_agent_with_a_full_pipe_can_be_ended(desk: Desk, verb: str) -> None:
    agent = desk.agent(on_prompt("", say("begun"), wait_file("/nowhere")))
    talk = await desk.ready()
    pid = agent.logged("start")[-1]["pid"]
    await stop(agent)
    talk.prompt("x" * 3 * PIPE)
    await talk.until("running")
    assert desk.client.hosts[0].connection.outstanding > PIPE
    talk.send("cancel")
    talk.send(verb)
    await eventually(lambda: processes.state(pid) is None)
    await eventually(lambda: talk.state == {"stop": "stopped", "restart": "idle"}.get(verb))


async def test_an_agent_that_asks_for_more_than_it_reads_is_ended(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNREAD_BYTES", 8 * PIPE)
    (tmp_path / "large.txt").write_text("x" * 3 * PIPE)
    read = ask("fs/read_text_file", {"sessionId": "{session}", "path": "{cwd}/large.txt"})
    agent = desk.agent(on_prompt("", stop_reading(), say("begun"), repeat(20, read), wait_file("/nowhere")))
    talk, other = await desk.ready(), await another(desk)
    pid = agent.logged("start")[-1]["pid"]
    talk.prompt("go")
    await desk.message("mine left ", " MiB unread and was stopped", ":Acp restart")
    await talk.until("failed")
    assert "begun" in talk.says
    await eventually(lambda: processes.state(pid) is None)
    assert (await other.turn("are you?"))["stop_reason"] == "end_turn"


async def test_a_flood_leaves_room_for_others(desk: Desk) -> None:
    """Of updates and of questions, from an agent that does nothing else."""
    count, unknown = 5000 if CHAOS else 1000, ask("never/heard", {})
    desk.agent(on_prompt("", repeat(count, say("w{n} "), unknown), wait_file("/nowhere")))
    talk, other = await desk.ready(), await another(desk)
    talk.prompt("go")
    await eventually(lambda: "w0 " in talk.says)
    for _ in range(3):
        assert (await asyncio.wait_for(other.turn("are you?"), 5))["stop_reason"] == "end_turn"
    await eventually(lambda: f"w{count - 1} " in talk.says, 20)
    talk.send("cancel")
    talk.send("stop")
    await talk.until("stopped")
