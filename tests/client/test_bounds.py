"""What an agent could let grow without an end has one."""

from pathlib import Path
from typing import Any

import pytest

from acp_nvim import limits
from acp_nvim.protocol.errors import INTERNAL_ERROR
from tests.client.conftest import Desk
from tests.fakes.script import ScriptedAgent, ask, eventually, on_prompt, repeat, request, say, tool, wait

SESSION = {"sessionId": "{session}"}
FIRST = {**SESSION, "terminalId": "terminal-1"}


async def refusals(agent: ScriptedAgent, count: int) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]]:
        return [each["error"] for each in agent.got() if "error" in each]

    await eventually(lambda: len(found()) >= count)
    return found()


async def test_requests_that_wait_have_a_bound(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """And each has its one answer, also those that came too many."""
    monkeypatch.setattr(limits, "WAITING_REQUESTS", 50)
    create = request("terminal/create", {**SESSION, "command": "sleep 1000"})
    waits = repeat(80, ask("terminal/wait_for_exit", FIRST))
    agent = desk.agent(
        on_prompt("", create, waits, say("waiting"), wait("session/cancel")), on_prompt("", say("on"))
    )
    talk = await desk.ready()
    talk.prompt("go")
    await eventually(lambda: "waiting" in talk.says)
    errors = await refusals(agent, 30)
    assert len(errors) == 30
    assert {error["code"] for error in errors} == {INTERNAL_ERROR}
    assert "too many requests" in errors[0]["message"]
    talk.send("terminal_kill", id="terminal-1")
    await eventually(lambda: len([each for each in agent.got() if "method" not in each]) == 81)
    answered = [each["id"] for each in agent.got() if "method" not in each]
    assert len(set(answered)) == len(answered)


async def test_what_waiting_requests_hold_has_a_bound(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a question that nobody answers."""
    monkeypatch.setattr(limits, "WAITING_REQUESTS_WEIGHT", 1_000_000)
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    write = {**SESSION, "path": str(outside), "content": "x" * 400_000}
    agent = desk.agent(on_prompt("", repeat(5, ask("fs/write_text_file", write)), wait("session/cancel")))
    talk = await desk.ready()
    talk.prompt("go")
    await talk.asked()
    errors = await refusals(agent, 3)
    assert ["too many requests" in error["message"] for error in errors] == [True] * 3
    assert not outside.exists()


async def test_terminals_of_an_agents_own_have_a_bound(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many there are, and how much each has said; its end is shown."""
    monkeypatch.setattr(limits, "AGENT_TERMINALS", 5)
    monkeypatch.setattr(limits, "REPORTED_OUTPUT_CHARS", 10_000)

    def says(name: str, data: str) -> list[object]:
        return tool("c", known=True, _meta={"terminal_output": {"terminal_id": name, "data": data}})

    many = [says(f"t{number}", "hello\n") for number in range(9)]
    flood = repeat(40, says("t0", "x" * 500 + "\n"))
    desk.agent(on_prompt("", tool("c", title="run"), *many, flood, says("t0", "the end\n")))
    talk = await desk.ready()
    await talk.turn("go")
    assert sorted(desk.editor.terminals) == [f"t{number}" for number in range(5)]
    (session,) = desk.client.sessions.values()
    (call,) = (entry for entry in session.transcript.entries if hasattr(entry, "terminals"))
    said = "".join(call.terminals["t0"])
    assert 10_000 <= len(said) < 15_000
    assert said.endswith("the end\n")
    talk.send("details", key=call.key)
    ((lines, _),) = await eventually(lambda: desk.editor.floats)
    assert any("the end" in line for line in lines)
    assert len("\n".join(lines)) < 16_000
