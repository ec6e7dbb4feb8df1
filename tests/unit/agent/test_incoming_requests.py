"""Every request of an agent is answered exactly once, whatever happens to who serves it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from acp_nvim.agent.incoming_requests import IncomingRequest, IncomingRequests
from acp_nvim.protocol.errors import CANCELLED, INTERNAL_ERROR, METHOD_NOT_FOUND, RpcError
from acp_nvim.protocol.jsonrpc import Request


class Wire:
    def __init__(self) -> None:
        self.sent: list[tuple[Any, Any]] = []

    def respond(self, request_id: Any, result: Any) -> None:
        self.sent.append((request_id, result))

    def fail(self, request_id: Any, error: RpcError) -> None:
        self.sent.append((request_id, error.code))


def refuse(request: Request) -> RpcError | None:
    return RpcError(METHOD_NOT_FOUND, "no") if request.method == "unknown" else None


class Served:
    """An agent's requests with a service of each kind."""

    def __init__(self, tasks: Any) -> None:
        self.wire = Wire()
        self.requests = IncomingRequests(self.wire, tasks, refuse)
        self.kept: list[IncomingRequest] = []
        self.requests.now = {
            "keep": self.kept.append,
            "now": lambda incoming: incoming.answer("now") and None,
            "broken": _broken,
        }
        self.requests.later = {"later": self._later, "fails": _fails, "hangs": _hangs, "refuses": _refuses}

    async def _later(self, incoming: IncomingRequest) -> str:
        return "later"

    def ask(self, method: str, request_id: Any = 0) -> None:
        self.requests.enter(Request(request_id, method, {}))


def _broken(incoming: IncomingRequest) -> None:
    raise ZeroDivisionError("ours")


async def _fails(incoming: IncomingRequest) -> None:
    raise ZeroDivisionError("ours")


async def _refuses(incoming: IncomingRequest) -> None:
    raise RpcError(-32602, "bad")


async def _hangs(incoming: IncomingRequest) -> None:
    await anyio.sleep_forever()


class Tasks:
    """A task group whose end does not have to be in the task of its beginning, as fixtures need it."""

    def __init__(self) -> None:
        self.running: list[asyncio.Task[None]] = []

    def start_soon(self, function: Any, *arguments: Any) -> None:
        self.running.append(asyncio.get_running_loop().create_task(function(*arguments)))


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    tasks = Tasks()
    yield Served(tasks)
    for task in tasks.running:
        task.cancel()


@pytest.mark.statement(11, 13)
@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("now", "now"),
        ("later", "later"),
        ("unknown", METHOD_NOT_FOUND),
        ("broken", INTERNAL_ERROR),
        ("fails", INTERNAL_ERROR),
        ("refuses", -32602),
    ],
)
async def test_whatever_becomes_of_it_there_is_one_answer(served: Served, method: str, answer: Any) -> None:
    served.ask(method)
    await anyio.wait_all_tasks_blocked()
    assert served.wire.sent == [(0, answer)]
    assert not served.requests.open


@pytest.mark.statement(9)
@pytest.mark.parametrize("request_id", [0, "0", None, "srv_1", 1.5])
async def test_their_id_comes_back_with_its_type(served: Served, request_id: Any) -> None:
    served.ask("now", request_id)
    assert [(type(key), key) for key, _ in served.wire.sent] == [(type(request_id), request_id)]


async def test_the_first_answer_is_the_answer(served: Served) -> None:
    served.ask("keep")
    incoming = served.kept[0]
    assert incoming.answer(1)
    assert not incoming.answer(2)
    assert not incoming.fail(RpcError(-1, "late"))
    assert served.wire.sent == [(0, 1)]


@pytest.mark.statement(21)
@pytest.mark.parametrize("method", ["keep", "hangs"])
async def test_a_cancelled_request_gets_one_answer(served: Served, method: str) -> None:
    served.ask(method, 7)
    await anyio.wait_all_tasks_blocked()
    served.requests.cancel(7)
    await anyio.wait_all_tasks_blocked()
    assert served.wire.sent == [(7, CANCELLED)]


@pytest.mark.statement(22)
async def test_cancelling_an_unknown_id_is_nothing(served: Served) -> None:
    served.ask("keep", 7)
    served.requests.cancel(8)
    served.requests.cancel("7")
    assert served.wire.sent == []
    assert len(served.requests.open) == 1


async def test_two_requests_with_one_id_are_two_requests(served: Served) -> None:
    served.ask("keep", 7)
    served.ask("keep", 7)
    for number, incoming in enumerate(served.kept):
        assert incoming.answer(number)
    assert served.wire.sent == [(7, 0), (7, 1)]


async def test_when_the_agent_is_gone_nobody_is_answered_and_nothing_hangs(served: Served) -> None:
    served.ask("keep", 1)
    served.ask("hangs", 2)
    await anyio.wait_all_tasks_blocked()
    withdrawn: list[int] = []
    served.kept[0].on_withdrawn = lambda: withdrawn.append(1)
    served.requests.abandon()
    await anyio.wait_all_tasks_blocked()
    assert served.wire.sent == []
    assert not served.requests.open
    assert withdrawn == [1]
    assert not served.kept[0].answer("late")
