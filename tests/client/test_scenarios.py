"""What real agents have said to us, said again: `make test-agents` has recorded it (tests/scenarios)."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent, eventually
from tests.steps.backend import await_proposal, decide

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("*.jsonl"))
PROGRAM = Path(__file__).parents[1] / "fakes/recorded_agent.py"
NOTES = "".join(f"line {n}\n" for n in range(1, 21))
WORDS = re.compile(r"\[\[say (.+?)\]\]")
IN_WORDS = "_agentao.cn/ask_user"
REFUSED, TAKEN = ("THREE\n", "line 3\n"), ("line 7\n", "SEVEN\n")  # where a diff is decided hunk by hunk
Entry = dict[str, Any]


class Scenario:
    """The recorded wire, and its agent before our client."""

    def __init__(self, desk: Desk, file: Path) -> None:
        self.desk, self.folder = desk, str(desk.folder)
        self.is_cancelled = False  # the turn that runs
        self.is_mixed = file.stem.endswith("one_hunk_is_taken")
        self.entries: list[Entry] = [json.loads(line) for line in file.read_text().splitlines()]
        self.agent = ScriptedAgent(
            [sys.executable, "-I", "-S", str(PROGRAM), str(file), str(desk.folder / "log")],
            desk.folder / "log",
        )
        desk.configure("mine", {"command": self.agent.argv[0], "args": self.agent.argv[1:]})
        (desk.folder / "notes.txt").write_text(NOTES)
        self.talk = desk.new()
        self.talks = [self.talk]

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
                self.is_cancelled = False
                self.talk.prompt(words_of(message).replace("/project", self.folder))
            case "session/fork":
                self.talk = self.desk.new(verb="fork", id=message["params"]["sessionId"])
                self.talks.append(self.talk)
            case "_session/steering":
                await eventually(lambda: self.talk.state == "running")
                self.talk.prompt(words_of(message), steer=True)
            case "session/cancel" if not self.is_cancelled:
                await eventually(lambda: self.talk.state in ("running", "asking"))
                self._cancel()
            case None:
                await self._answer(message)

    async def _answer(self, message: Entry) -> None:
        if message["id"] in {request["id"] for request in self.asks(IN_WORDS)}:
            (question,) = await self.talk.asked()
            is_answered = message["result"]["outcome"] == "answered"
            self.talk.answer(
                "answer" if is_answered else question["options"][-1]["id"],
                content=message["result"].get("text"),
            )
            return
        permissions = {request["id"] for request in self.asks("session/request_permission")}
        if message["id"] not in permissions:
            return  # we do it by ourselves
        if self.is_cancelled:
            return
        (question,) = await self.talk.asked()
        if self.is_mixed and question["has_diff"]:
            self.desk.send("diff", question=question["id"], focus=True)
            seen = await await_proposal(self.desk)
            decide(self.desk, seen, seen["files"][0]["new"].replace(*REFUSED))
        elif chosen := option(message):
            self.talk.answer(chosen)
        else:
            self._cancel()

    def _cancel(self) -> None:
        self.is_cancelled = True
        self.talk.send("cancel")

    def told(self) -> str:
        """What the agent has said."""
        updates = (entry["params"]["update"] for entry in self.asks("session/update"))
        chunks = (update for update in updates if update["sessionUpdate"] == "agent_message_chunk")
        return "".join(chunk["content"]["text"] for chunk in chunks)


def words_of(prompt: Entry) -> str:
    """The user's own, which stand behind a report and before what goes along."""
    texts = [block["text"] for block in prompt["params"]["prompt"] if block["type"] == "text"]
    return str(texts[-1])


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
    for request in [*scenario.asks("session/request_permission"), *scenario.asks(IN_WORDS)]:
        assert [one["result"] for one in sent if one["id"] == request["id"]] == [
            scenario.answer(request, "->")["result"]
        ]
    steered = [words_of(message) for message in scenario.asks("_session/steering")]
    assert [words_of(message) for message in agent.got("_session/steering")] == steered
    assert [data["text"] for data in talk.data("AcpSteered") if data["outcome"] == "injected"] == steered
    prompts = scenario.asks("session/prompt")
    reasons = [scenario.answer(prompt, "<-")["result"]["stopReason"] for prompt in prompts]
    ends = lambda: [data for each in scenario.talks for data in each.data("AcpTurnEnded")]  # noqa: E731
    await eventually(lambda: len(ends()) == len(reasons))
    assert [data["stop_reason"] for data in ends()] == reasons
    answered = {scenario.answer(request, "->")["result"].get("text") for request in scenario.asks(IN_WORDS)}
    words = {each for each in said(prompts, reasons) | answered if each and each in scenario.told()}
    assert words
    await eventually(lambda: set().union(*map(spoken, scenario.talks)) >= words)
    assert not talk.questions
    assert {data["status"] for data in talk.data("AcpToolCall")[-1:]} <= {"completed", "failed", "cancelled"}
    assert not desk.messages("error")
    if scenario.is_mixed and scenario.asks("fs/write_text_file"):
        assert (desk.folder / "notes.txt").read_text() == NOTES.replace(*TAKEN)
        assert [len(message["params"]["prompt"]) for message in agent.got("session/prompt")] == [1, 2]
        assert REFUSED[0] in agent.got("session/prompt")[1]["params"]["prompt"][0]["text"]


def said(prompts: list[Entry], reasons: list[str]) -> set[str]:
    texts = (words_of(prompt) for prompt, why in zip(prompts, reasons, strict=True) if why == "end_turn")
    return {words for text in texts for words in WORDS.findall(text)}


def spoken(talk: Talk) -> set[str]:
    """The lines of the chat that are no prompts."""
    return {line.strip() for line in talk.lines}


async def test_of_a_replayed_prompt_the_context_is_not_the_users(desk: Desk) -> None:
    """opencode tells with a fork what it has read for the prompt: as a message of the user, for the model."""
    file = next(file for file in SCENARIOS if "no_context" in file.stem)
    scenario = Scenario(desk, file)
    context = [
        entry["params"]["update"]["content"]["text"]
        for entry in scenario.asks("session/update")
        if "annotations" in entry["params"]["update"].get("content", {})
    ]
    assert len(context) == 2
    await scenario.play()
    await scenario.talk.ended(1)
    lines = scenario.talk.lines
    assert "context for the agent (8 lines)" in lines
    assert [line for text in context for line in text.split("\n") if line and line in lines] == []
