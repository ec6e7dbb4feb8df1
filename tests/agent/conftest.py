"""What the tests of the agent's process share: a handler that writes down what it is told, and connections
that are ended with their test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from acp_nvim.agent.connection import Connection
from acp_nvim.agent.exit_report import ExitReport
from acp_nvim.protocol.jsonrpc import Notification, Request, Stray


@dataclass
class Witness:
    """Everything in the order it came: (what, value)."""

    seen: list[tuple[str, Any]] = field(default_factory=list)

    def on_update(self, params: Any) -> None:
        self.seen.append(("update", params))

    def on_request(self, request: Request) -> None:
        self.seen.append(("request", request))

    def on_notification(self, notification: Notification) -> None:
        self.seen.append(("notification", notification))

    def on_stray(self, stray: Stray) -> None:
        self.seen.append(("stray", stray))

    def on_exit(self, report: ExitReport) -> None:
        self.seen.append(("exit", report))

    def answer(self, result: Any) -> None:
        """To be given to `call` as `then`."""
        self.seen.append(("answer", result))

    def late(self, what: str) -> Callable[[], None]:
        return lambda: self.seen.append(("late", what))

    def all(self, what: str) -> list[Any]:
        return [value for kind, value in self.seen if kind == what]

    def texts(self) -> list[str]:
        return [params["update"]["content"]["text"] for params in self.all("update")]


class Lab:
    """Starts connections in the background and ends them all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[Connection, asyncio.Task[ExitReport]] = {}

    def connect(self, argv: list[str], handler: Witness, **options: Any) -> Connection:
        options.setdefault("cwd", str(self.folder))
        connection = Connection("mine", argv, handler=handler, **options)
        self.running[connection] = asyncio.create_task(connection.run())
        return connection

    async def end(self) -> None:
        await asyncio.gather(*(connection.stop(0) for connection in self.running))
        await asyncio.wait_for(asyncio.gather(*self.running.values(), return_exceptions=True), 5)


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest_asyncio.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    lab = Lab(tmp_path)
    yield lab
    await lab.end()
