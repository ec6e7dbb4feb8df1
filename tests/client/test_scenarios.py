"""What real agents have said to us, said again: `make test-agents` has recorded it (tests/scenarios)."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent, eventually

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("*.jsonl"))
PROGRAM = Path(__file__).parents[1] / "fakes/recorded_agent.py"
NOTES = "".join(f"line {n}\n" for n in range(1, 21))
WORDS = re.compile(r"\[\[say (.+?)\]\]")
Entry = dict[str, Any]


class Scenario:
    """The recorded wire, and its agent before our client."""

    def __init__(self, desk: Desk, file: Path) -> None:
        self.folder = str(desk.folder)
        self.entries: list[Entry] = [json.loads(line) for line in file.read_text().splitlines()]
        self.agent = ScriptedAgent(
            [sys.executable, "-I", "-S", str(PROGRAM), str(file), str(desk.folder / "log")],
            desk.folder / "log",
        )
        desk.configure("mine", {"command": self.agent.argv[0], "args": self.agent.argv[1:]})
        (desk.folder / "notes.txt").write_text(NOTES)
        self.talk = desk.new()

    def asks(self, method: str) -> list[Entry]:
        return [entry["msg"] for entry in self.entries if entry["msg"].get("method") == method]

    def answer(self, request: Entry, way: str) -> Entry:
        """The recorded answer to a request; the numbers of both sides are apart."""
        answers = (entry["msg"] for entry in self.entries if entry["dir"] == way)
        return next(one for one in answers if "method" not in one and one["id"] == request["id"])

    async def play(self) -> None:
        """Do what the user has done, when the agent has come to that."""
        for number, entry in enumerate(self.entries):
            if entry["dir"] == "->":
                await eventually(lambda number=number: number in self.agent.logged("waits"), 10)
                await self._act(entry["msg"])
        await eventually(lambda: self.agent.logged("over"), 10)

    async def _act(self, message: Entry) -> None:
        match message.get("method"):
            case "session/prompt":
                await self.talk.until("idle")
                blocks = message["params"]["prompt"]
                self.talk.prompt(blocks[-1]["text"].replace("/project", self.folder))
            case "session/cancel" if self.talk.state == "running":
                self.talk.send("cancel")
            case None:
                await self._answer(message)

    async def _answer(self, message: Entry) -> None:
        permissions = {request["id"] for request in self.asks("session/request_permission")}
        if message["id"] not in permissions:
            return  # we do it by ourselves
        await self.talk.asked()
        if chosen := option(message):
            self.talk.answer(chosen)
        else:
            self.talk.send("cancel")


def option(answer: Entry) -> str | None:
    """What the user had chosen."""
    result = answer["result"]
    meta = result.get("_meta") or {}
    return result["outcome"].get("optionId") or meta.get("option_id")


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
async def test_a_recorded_story_is_understood(desk: Desk, file: Path) -> None:
    scenario = Scenario(desk, file)
    await scenario.play()
    talk, agent = scenario.talk, scenario.agent
    sent = [message for message in agent.logged("got") if "method" not in message]
    for request in scenario.asks("session/request_permission"):
        assert [one["result"] for one in sent if one["id"] == request["id"]] == [
            scenario.answer(request, "->")["result"]
        ]
    prompts = scenario.asks("session/prompt")
    reasons = [scenario.answer(prompt, "<-")["result"]["stopReason"] for prompt in prompts]
    await eventually(lambda: len(talk.data("AcpTurnEnded")) == len(reasons))
    assert [data["stop_reason"] for data in talk.data("AcpTurnEnded")] == reasons
    await eventually(lambda: spoken(talk) >= said(prompts, reasons))
    assert not talk.questions
    assert {data["status"] for data in talk.data("AcpToolCall")[-1:]} <= {"completed", "failed", "cancelled"}
    assert not desk.messages("error")


def said(prompts: list[Entry], reasons: list[str]) -> set[str]:
    texts = (
        prompt["params"]["prompt"][-1]["text"]
        for prompt, why in zip(prompts, reasons, strict=True)
        if why == "end_turn"
    )
    return {words for text in texts for words in WORDS.findall(text)}


def spoken(talk: Talk) -> set[str]:
    """The lines of the chat that are no prompts."""
    return {line.strip() for line in talk.lines}
