"""The whole backend without Neovim: a real client, an editor in memory, real agent processes.

    async def test_it(desk: Desk) -> None:
        agent = desk.agent(on_prompt("hello", say("Hi")))     scripted, and configured as "mine"
        talk = desk.new()                                     what `:Acp new` makes Lua send
        await talk.turn("hello")                              a prompt, and its end
        assert talk.says == "Hi"

Whatever the editor could not show, every fault that the backend had to log, and whatever reached an agent that is
no message fails its test at the end.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest
import pytest_asyncio

from acp_nvim.app import App
from acp_nvim.editor.interface import Wire
from acp_nvim.messages.base_classes import Call
from tests.fakes.configuration import complete
from tests.fakes.editor import FakeEditor
from tests.fakes.files import merged
from tests.fakes.script import Rule, ScriptedAgent, eventually, script
from tests.message_check import misfit

Event = tuple[str, dict[str, Any]]


class MemoryEditor(FakeEditor):
    """The port, with a pump: a frame goes out as soon as there is something to show."""

    def __init__(self) -> None:
        super().__init__()
        self.collect: Callable[[], list[Call]] = list
        self.complaints: list[str] = []
        self.answers: dict[str, Any] = {
            "document_read": None,  # no file is loaded
            "document_write": {"not_loaded": True},
            "document_sync": {"not_loaded": True},
        }
        self.leaders: Path | None = None  # the file of what we would have to end
        self.told: list[tuple[str, dict[str, Any], dict[str, Any]]] = []  # event, data, status at that time
        self._wanted = asyncio.Event()
        self._waiting: list[Wire] = []

    @property
    def groups(self) -> list[int]:
        written = self.leaders and self.leaders.exists() and self.leaders.read_text()
        return [int(line) for line in (written or "").split()]

    def wake(self, at_once: bool = False) -> None:
        self._wanted.set()

    def notify(self, call: Call) -> None:
        self._waiting.append(call.wire())
        self.wake()

    async def call(self, call: Call) -> Any:
        name, *arguments = call.wire()
        if name == "document_merge":
            return merged(*arguments)
        if name in self.answers:
            return self.answers[name]
        return self.frame([[name, *arguments]])

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            self.show()

    def show(self) -> None:
        """One frame, by the way of the channel: nothing in it is shared with the backend, or has no room there."""
        waiting, self._waiting = self._waiting, []
        sent = msgpack.packb(
            [*(call.wire() for call in self.collect()), *waiting], unicode_errors="surrogateescape"
        )
        frame = msgpack.unpackb(sent, unicode_errors="surrogateescape")
        self.complaints += [found for call in frame if (found := misfit(call))]
        self.complaints += self.frame(frame)

    def _on_event(self, name: str, data: dict[str, Any]) -> None:
        super()._on_event(name, data)
        self.told.append((name, data, dict(self.statuses.get(data["session"], {}))))


class Talk:
    """One session, by the verbs that Lua sends for it and by what the editor shows of it."""

    def __init__(self, desk: "Desk", number: int) -> None:
        self.number = number
        self._desk = desk
        self._editor = desk.editor
        self._sent = 0

    def send(self, verb: str, **payload: Any) -> None:
        self._desk.send(verb, session=self.number, **payload)

    def prompt(self, text: str, **more: Any) -> None:
        self._sent += 1
        self.send("prompt", seq=self._sent, text=text, **more)

    def edit_queue(self, items: list[tuple[int, str, bool]], shown: list[int]) -> None:
        """The user writes the queue: number, text, and whether it was edited, of each."""
        edited = [{"seq": seq, "text": text, "edited": is_edited} for seq, text, is_edited in items]
        self.send("queue_set", items=edited, shown=shown)

    def answer(self, option: str | None, question: int | None = None, content: Any = None) -> None:
        """As Lua does, with the version that the editor has been shown."""
        wanted = self.questions[0]["id"] if question is None else question
        seen = {each["id"]: {"version": each["version"]} for each in self.questions}
        self._desk.send("answer", question=wanted, option=option, content=content, **seen.get(wanted, {}))

    # --- what the user sees

    @property
    def status(self) -> dict[str, Any]:
        return self._editor.statuses.get(self.number, {})

    @property
    def state(self) -> str | None:
        return self.status.get("state")

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self._editor.questions.get(self.number, [])

    @property
    def lines(self) -> list[str]:
        return self._editor.chat(self.number).lines

    @property
    def says(self) -> str:
        """What stands below the last header of the agent."""
        return "\n".join(self.lines).rpartition("## Scripted\n")[2].strip("\n")

    @property
    def is_listed(self) -> bool:
        return self.number in self._editor.statuses

    def events(self, *names: str) -> list[Event]:
        return [
            (name, {key: value for key, value in data.items() if key != "session"})
            for name, data in self._editor.events
            if data["session"] == self.number and (not names or name in names)
        ]

    def data(self, name: str) -> list[dict[str, Any]]:
        return [data for _, data in self.events(name)]

    # --- waiting

    async def until(self, state: str) -> None:
        await eventually(lambda: self.state == state)

    async def asked(self, count: int = 1) -> list[dict[str, Any]]:
        await eventually(lambda: len(self.questions) == count)
        return self.questions

    async def ended(self, turn: int) -> dict[str, Any]:
        """The data of AcpTurnEnded."""

        def found() -> dict[str, Any] | None:
            return next((data for data in self.data("AcpTurnEnded") if data["turn"] == turn), None)

        return dict(await eventually(found))

    async def turn(self, text: str, **more: Any) -> dict[str, Any]:
        """A prompt, from sending it to its end."""
        before = len(self.data("AcpTurnEnded"))
        self.prompt(text, **more)
        await eventually(lambda: len(self.data("AcpTurnEnded")) > before)
        return self.data("AcpTurnEnded")[before]


class Desk:
    """The user's: configured agents, and sessions with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.editor = MemoryEditor()
        self.editor.leaders = folder / ".leaders"
        self.client = App(self.editor)
        self.editor.collect = self.client.collect
        self.expects_faults = False
        self.scripted: list[ScriptedAgent] = []
        self._agents: dict[str, Any] = {}
        self._talks = 0

    def send(self, verb: str, **payload: Any) -> None:
        if verb == "setup":
            payload["config"] = complete(payload["config"])
        self.client.receive(verb, payload)

    def agent(
        self, *rules: Rule, name: str = "mine", spec: dict[str, Any] | None = None, **head: Any
    ) -> ScriptedAgent:
        agent = script(self.folder, *rules, name=name, **head)
        self.scripted.append(agent)
        self.configure(name, {"command": agent.argv[0], "args": agent.argv[1:], **(spec or {})})
        return agent

    def configure(self, name: str, spec: Any) -> None:
        self._agents[name] = spec
        self.setup()

    def setup(self, **config: Any) -> None:
        config = {"agents": self._agents, **config}
        told = {"leaders": str(self.editor.leaders)}
        self.send("setup", config=config, **told)

    def talk(self) -> Talk:
        """The number of a session that is yet to be opened."""
        self._talks += 1
        return Talk(self, self._talks)

    def new(self, agent: str = "mine", cwd: Path | None = None, verb: str = "new", **more: Any) -> Talk:
        talk = self.talk()
        talk.send(verb, agent=agent, cwd=str(cwd or self.folder), **more)
        return talk

    async def ready(self, agent: str = "mine", cwd: Path | None = None) -> Talk:
        talk = self.new(agent, cwd)
        await talk.until("idle")
        return talk

    def messages(self, *levels: str) -> list[str]:
        return [text for level, text in self.editor.messages if not levels or level in levels]

    async def message(self, *words: str) -> str:
        """The first message that holds all these words."""

        def found() -> str | None:
            said: Iterable[str] = self.messages()
            return next((text for text in said if all(word in text for word in words)), None)

        return str(await eventually(found))

    def log(self) -> list[str]:
        return self.client.backend_log.lines()

    def faults(self) -> list[str]:
        return [line for line in self.log() if "Traceback" in line]


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    tasks = [asyncio.create_task(desk.editor.run()), asyncio.create_task(desk.client.run())]
    yield desk
    for task in reversed(tasks):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
    logging.getLogger("acp_nvim").removeHandler(desk.client.backend_log)
    desk.editor.show()
    assert desk.editor.complaints == []
    assert [stray for agent in desk.scripted for stray in agent.logged("stray")] == []
    assert bool(desk.faults()) == desk.expects_faults, "\n".join(desk.log())


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another folder to work in."""
    folder = tmp_path / "other"
    folder.mkdir()
    return folder
