"""A session in its first turn with an agent in the hands of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from acp_nvim.agent import connection
from acp_nvim.files import git_status
from tests.chaos.puppet import Json, Puppet
from tests.client.conftest import Desk, Talk
from tests.fakes.script import eventually

YES = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


class Stage:
    """A session in its first turn, and the agent, whose strings the test pulls."""

    def __init__(self, desk: Desk, talk: Talk, agent: Puppet) -> None:
        self.desk, self.talk, self.agent = desk, talk, agent

    def update(self, tag: str, **fields: Any) -> None:
        params = {"sessionId": "s1", "update": {"sessionUpdate": tag, **fields}}
        self.agent.send({"method": "session/update", "params": params})

    def ask(self, method: str, **params: Any) -> str:
        return self.agent.ask(method, {"sessionId": "s1", **params})

    def permission(self, call: Json, options: list[Json] | None = None) -> str:
        return self.ask("session/request_permission", toolCall=call, options=options or YES)

    async def answered(self, *requests: str) -> list[Json]:
        await eventually(lambda: all(self.agent.asked[each] for each in requests))
        return [self.agent.asked[each][0] for each in requests]

    async def goes_on(self) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": " still here "})
        await eventually(lambda: "still here" in "\n".join(self.talk.lines))
        assert all(len(answers) <= 1 for answers in self.agent.asked.values())

    async def open(self, session_id: object) -> Talk:
        talk = self.desk.new()
        await answer(self.agent, "session/new", {"sessionId": session_id})
        return talk


async def no_tree(folder: str) -> None:
    return None


async def answer(agent: Puppet, method: str, result: Json) -> None:
    waiting = await eventually(lambda: [key for key, m in agent.open.items() if m["method"] == method])
    agent.answer(waiting[0], result)


@pytest_asyncio.fixture
async def stage(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    monkeypatch.setattr(connection, "AgentProcess", Puppet)
    monkeypatch.setattr(git_status, "tree", no_tree)
    desk.configure("mine", {"command": "puppet"})
    talk = desk.new()
    await asyncio.sleep(0)
    agent = await eventually(lambda: next(reversed(Puppet.born), None))
    await answer(agent, "initialize", {"protocolVersion": 1, "agentInfo": {"name": "puppet"}})
    await answer(agent, "session/new", {"sessionId": "s1"})
    talk.prompt("go")
    await talk.until("running")
    yield Stage(desk, talk, agent)
    Puppet.born.clear()
