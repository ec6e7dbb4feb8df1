"""Stories at random: users, agents and faults in any order. Whatever happens, every request is answered exactly once,
nothing that the user has said is lost, and no state is for ever."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from acp_nvim.agent import connection
from acp_nvim.files import git_status
from tests.chaos.puppet import Json, Puppet
from tests.client.conftest import Desk, Talk

CHAOS = "ACP_CHAOS" in os.environ
FAULTS = ("whole", "whole", "whole", "split", "among garbage", "late")
LOSSES = (*FAULTS, "twice", "cut", "lost")
RESTING = ("idle", "stopped", "failed", "auth")
which = st.integers(0, 7)


async def no_tree(folder: str) -> None:
    return None


def inside(step: Callable[..., None]) -> Callable[..., None]:
    """The step is taken in the loop, which then does all that it can do at once."""

    @wraps(step)
    def taken(self: Story, **arguments: Any) -> None:
        async def take() -> None:
            step(self, **arguments)

        self.loop(take())

    return taken


class Story(RuleBasedStateMachine):
    """One loop for a whole story; each rule ends when the loop has nothing left to do at once."""

    @initialize()
    def begin(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory(prefix="acp-story")
        self.patches = [
            patch.object(connection, "AgentProcess", Puppet),
            patch.object(git_status, "tree", no_tree),
        ]
        for each in self.patches:
            each.start()
        Puppet.born.clear()
        self.talks: list[Talk] = []
        self.said: list[tuple[Talk, str]] = []  # by the user
        self.told: list[
            tuple[Talk, str, int]
        ] = []  # by an agent, to a session as it was before a restart or not
        self.tokens = 0
        self.blocked = False
        self.closed: set[int] = set()
        self.loop(self._open())

    async def _open(self) -> None:
        self.desk = Desk(Path(self.folder.name))
        self.desk.configure("mine", {"command": "puppet"})
        self.tasks = [
            asyncio.create_task(self.desk.editor.run()),
            asyncio.create_task(self.desk.client.run()),
        ]

    def loop(self, doing: Coroutine[Any, Any, None] | None = None) -> None:
        async def work() -> None:
            if doing:
                await doing
            for _ in range(25):
                await asyncio.sleep(0)

        self.runner.run(work())

    def token(self) -> str:
        self.tokens += 1
        return f"tok{self.tokens}en"

    # --- whom it is about

    def talk(self, number: int) -> Talk | None:
        living = [talk for talk in self.talks if talk.number not in self.closed]
        return living[number % len(living)] if living else None

    def agents(self) -> list[Puppet]:
        return [puppet for puppet in Puppet.born if puppet.alive]

    def agent(self, number: int) -> Puppet | None:
        living = self.agents()
        return living[number % len(living)] if living else None

    def session_of(self, puppet: Puppet, number: int) -> tuple[str, Talk] | None:
        """One whose prompt the agent is working at."""
        working = [m["params"]["sessionId"] for m in puppet.open.values() if m["method"] == "session/prompt"]
        if not working:
            return None
        session_id = working[number % len(working)]
        for session in self.desk.client.sessions.values():
            if session.id == session_id and self.desk.client.host_of(session):
                return session_id, next(talk for talk in self.talks if talk.number == session.number)
        return None

    # --- the user

    @precondition(lambda self: len(self.talks) < 4)
    @rule()
    @inside
    def open_session(self) -> None:
        self.talks.append(self.desk.new())

    @rule(number=which, first=st.booleans())
    @inside
    def say(self, number: int, first: bool) -> None:
        if talk := self.talk(number):
            text = self.token()
            self.said.append((talk, text))
            talk.prompt(text, **({"first": True} if first else {}))

    @rule(number=which)
    @inside
    def cancel(self, number: int) -> None:
        if talk := self.talk(number):
            talk.send("cancel")

    @rule(number=which, option=which)
    @inside
    def decide(self, number: int, option: int) -> None:
        talk = self.talk(number)
        if talk and talk.questions:
            question = talk.questions[option % len(talk.questions)]
            options = question["options"]
            talk.answer(options[option % len(options)]["id"] if options else None, question["id"])

    @rule(number=which, verb=st.sampled_from(["restart", "stop", "queue_release", "render"]))
    @inside
    def command(self, number: int, verb: str) -> None:
        if talk := self.talk(number):
            talk.send(verb)

    @rule()
    @inside
    def show_log(self) -> None:
        self.desk.send("log")

    @rule(number=which)
    @inside
    def close(self, number: int) -> None:
        if talk := self.talk(number):
            self.closed.add(talk.number)
            talk.send("close")

    @rule()
    @inside
    def configure(self) -> None:
        self.desk.setup()

    @rule(block=st.booleans())
    @inside
    def hit_enter(self, block: bool) -> None:
        """The editor takes no frame for a while."""
        if block and not self.blocked:
            self.desk.editor.wake = lambda at_once=False: None  # type: ignore[method-assign]
        elif self.blocked and not block:
            del self.desk.editor.wake  # type: ignore[method-assign]
            self.desk.editor.wake()
        self.blocked = block

    # --- the agent

    @rule(number=which, request=which, how=st.sampled_from(LOSSES), good=st.integers(0, 5))
    @inside
    def agent_answers(self, number: int, request: int, how: str, good: int) -> None:
        puppet = self.agent(number)
        if puppet is None or not puppet.open:
            return
        key = list(puppet.open)[request % len(puppet.open)]
        message = puppet.open[key]
        if good == 0:
            if how not in ("cut", "lost", "late"):
                puppet.open.pop(key)
            puppet.send({"id": key, "error": {"code": -32603, "message": "no"}}, how)
        else:
            puppet.answer(key, self._result(puppet, message), how)

    def _result(self, puppet: Puppet, message: Json) -> Json:
        match message["method"]:
            case "initialize":
                return {
                    "protocolVersion": 1,
                    "agentInfo": {"name": "puppet"},
                    "agentCapabilities": {"loadSession": True},
                }
            case "session/new":
                return {"sessionId": f"s{self.token()}"}
            case "session/prompt":
                return {"stopReason": "end_turn"}
        return {}

    @rule(number=which, session=which, how=st.sampled_from(FAULTS))
    @inside
    def agent_says(self, number: int, session: int, how: str) -> None:
        puppet = self.agent(number)
        if puppet and (found := self.session_of(puppet, session)):
            text = self.token()
            if how != "late":
                self._tells(found[1], text)
            content = {"type": "text", "text": f" {text} "}
            self._update(puppet, found[0], {"sessionUpdate": "agent_message_chunk", "content": content}, how)

    def _tells(self, talk: Talk, text: str) -> None:
        self.told.append((talk, text, self.desk.client.sessions[talk.number].transcript.begun))

    @rule(number=which, late=which)
    @inside
    def what_is_late_arrives(self, number: int, late: int) -> None:
        if puppet := self.agent(number):
            self._release(puppet, late)

    def _release(self, puppet: Puppet, late: int) -> None:
        """A chunk counts if its session still is this agent's: then it is shown, also after its turn."""
        message = puppet.late[late % len(puppet.late)] if puppet.late else b""
        for session in self.desk.client.sessions.values():
            host = self.desk.client.host_of(session)
            is_its = host and host.connection._process is puppet and not host.stopping
            if session.id and is_its and session.id.encode() in message and b"agent_message_chunk" in message:
                text = json.loads(message)["params"]["update"]["content"]["text"].strip()
                self._tells(next(talk for talk in self.talks if talk.number == session.number), text)
        puppet.release(late)

    @rule(number=which, session=which, call=st.integers(0, 3), status=which, how=st.sampled_from(LOSSES))
    @inside
    def agent_works(self, number: int, session: int, call: int, status: int, how: str) -> None:
        puppet = self.agent(number)
        if puppet and (found := self.session_of(puppet, session)):
            state = ("pending", "in_progress", "completed", "failed", "odd")[status % 5]
            tag = ("tool_call", "tool_call_update")[status % 2]
            update = {"sessionUpdate": tag, "toolCallId": f"t{call}", "title": "work", "status": state}
            self._update(puppet, found[0], update, how)

    def _update(self, puppet: Puppet, session_id: str, update: Json, how: str) -> None:
        puppet.send({"method": "session/update", "params": {"sessionId": session_id, "update": update}}, how)

    @rule(number=which, session=which, kind=which, how=st.sampled_from(FAULTS))
    @inside
    def agent_asks(self, number: int, session: int, kind: int, how: str) -> None:
        puppet = self.agent(number)
        if puppet is None:
            return
        found = self.session_of(puppet, session)
        path = f"{self.folder.name}/f{kind}"
        options = [
            {"optionId": "y", "name": "Yes", "kind": "allow_once"},
            {"optionId": "n", "name": "No", "kind": "reject_once"},
        ]
        asks: list[tuple[str, Json]] = [
            (
                "session/request_permission",
                {"toolCall": {"toolCallId": "t1", "title": "may"}, "options": options},
            ),
            ("session/request_permission", {"toolCall": {"toolCallId": "t2", "title": "may"}, "options": []}),
            ("fs/read_text_file", {"path": path}),
            ("fs/write_text_file", {"path": path, "content": self.token()}),
            ("fs/read_text_file", {"path": "/etc/hostname"}),
            ("elicitation/create", {"mode": "form", "message": "?", "requestedSchema": {"type": "object"}}),
            ("terminal/output", {"terminalId": "none"}),
            ("never/heard", {}),
        ]
        method, params = asks[kind]
        puppet.ask(method, {"sessionId": found[0] if found else "unknown", **params}, how)

    @rule(number=which, data=st.binary(max_size=30), status=st.sampled_from([None, None, 0, 1, -9]))
    @inside
    def agent_breaks(self, number: int, data: bytes, status: int | None) -> None:
        if puppet := self.agent(number):
            puppet.raw(data.replace(b"\n", b"") + b"\n")
            if status is not None:
                puppet.raw(b'{"jsonrpc": "2.0", "method": "session/upd')
                puppet.die(status)

    @rule(number=which, deaf=st.booleans())
    @inside
    def agent_stops_reading(self, number: int, deaf: bool) -> None:
        if puppet := self.agent(number):
            puppet.is_deaf = True
            if not deaf:
                puppet.hear()

    # --- what always holds

    @invariant()
    def no_request_is_answered_twice(self) -> None:
        for puppet in Puppet.born:
            assert [number for number, answers in puppet.asked.items() if len(answers) > 1] == []

    @invariant()
    def nothing_has_failed_within(self) -> None:
        if hasattr(self, "desk"):
            assert self.desk.editor.complaints == []
            assert self.desk.faults() == [], "\n".join(self.desk.log())

    # --- how every story must be able to end

    def teardown(self) -> None:
        if not hasattr(self, "runner"):
            return
        try:
            self._end()
        finally:
            for task in reversed(self.tasks):
                task.cancel()
            with suppress(asyncio.CancelledError):
                self.loop(self._gathered())
            for each in self.patches:
                each.stop()
            self.runner.close()
            self.folder.cleanup()

    async def _gathered(self) -> None:
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def _end(self) -> None:
        self.hit_enter(block=False)
        for _ in range(40):
            self.loop(self._settle())
            if all(self._rests(talk) for talk in self.talks):
                break
        for talk in self.talks:
            assert self._rests(talk), (talk.number, talk.status, talk.questions)
        for _ in range(20):  # what is pooled is shown after a while
            if not self._missing():
                break
            self.loop(asyncio.sleep(0.03))
        assert self._missing() == []
        for puppet in self.agents():
            assert [number for number, answers in puppet.asked.items() if len(answers) != 1] == []
        self.no_request_is_answered_twice()
        self.nothing_has_failed_within()

    async def _settle(self) -> None:
        """All are willing: agents answer what they were asked, the user what there is to answer."""
        for puppet in self.agents():
            puppet.hear()
            while puppet.late:
                self._release(puppet, 0)
            for key, message in list(puppet.open.items()):
                puppet.answer(key, self._result(puppet, message))
        for talk in self.talks:
            if talk.number not in self.closed and talk.questions:
                question = talk.questions[0]
                options = question["options"]
                if options:
                    talk.answer(options[-1]["id"], question["id"])
                else:
                    talk.send("cancel")
        await asyncio.sleep(0.002)

    def _rests(self, talk: Talk) -> bool:
        if talk.number in self.closed:
            return not talk.is_listed
        return talk.state in RESTING and not talk.questions

    def _missing(self) -> list[str]:
        """Words of users that are neither shown nor kept for them; and of agents that are not shown once."""
        lost = []
        for talk, text in self.said:
            if talk.number not in self.closed:
                queue = self.desk.client.sessions[talk.number].queue
                kept = [*queue.texts, *map(str, self.desk.editor.history.get(talk.number, ()))]
                if text not in kept and text not in "\n".join(talk.lines):
                    lost.append(text)
        for talk, text, begun in self.told:
            session = None if talk.number in self.closed else self.desk.client.sessions[talk.number]
            if session and session.transcript.begun == begun and "\n".join(talk.lines).count(text) != 1:
                lost.append(text)
        return lost


Story.TestCase.settings = settings(
    max_examples=400 if CHAOS else 60,
    stateful_step_count=60 if CHAOS else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestStories = Story.TestCase
