"""What the tests of all dialects share: the steps of the user, and what the agent was sent."""

from typing import Any

from tests.client.conftest import Desk, Talk
from tests.fakes.script import Rule, ScriptedAgent


def begin(desk: Desk, rules: list[Rule], dialect: str = "auto", **head: Any) -> ScriptedAgent:
    return desk.agent(*rules, spec={"dialect": dialect}, **head)


async def asked(talk: Talk, text: str) -> dict[str, Any]:
    """A prompt, up to its question."""
    talk.prompt(text)
    return (await talk.asked())[0]


async def decided(talk: Talk, text: str, kind: str, turn: int) -> dict[str, Any]:
    """A prompt whose question gets the first option of this kind; the last that was told of its tool call."""
    question = await asked(talk, text)
    talk.answer(next(option["id"] for option in question["options"] if option["kind"] == kind))
    await talk.ended(turn)
    return talk.data("AcpToolCall")[-1]


async def cancelled(talk: Talk, turn: int) -> str:
    """A slow prompt, given up; how its turn has ended."""
    talk.prompt("slow")
    await talk.until("running")
    talk.send("cancel")
    return str((await talk.ended(turn))["stop_reason"])


def answers(agent: ScriptedAgent) -> list[Any]:
    """The results of what it asked, in order."""
    return [message["result"] for message in agent.got() if "method" not in message]


def params(agent: ScriptedAgent, method: str) -> list[Any]:
    return [message["params"] for message in agent.got(method)]


def calls(talk: Talk) -> list[tuple[str, str]]:
    return [(data["title"], data["status"]) for data in talk.data("AcpToolCall")]
