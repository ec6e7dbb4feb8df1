"""Keeps the open requests of an agent and makes sure that each is answered exactly once."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import anyio
from anyio.abc import TaskGroup

from acp_nvim import limits
from acp_nvim.protocol.errors import CANCELLED, INTERNAL_ERROR, RpcError
from acp_nvim.protocol.jsonrpc import Request

log = logging.getLogger(__name__)
_VALUE = 64  # bytes that any value takes beside its characters


class Wire(Protocol):
    """Sends the answers to the agent."""

    def respond(self, request_id: Any, result: Any) -> None: ...
    def fail(self, request_id: Any, error: RpcError) -> None: ...


class Entry:
    """One request of the agent. Only the first answer is sent; `answer` and `fail` return whether theirs was the
    first."""

    def __init__(self, ledger: Requests, request: Request) -> None:
        self.request = request
        self._ledger = ledger
        self.weight = 0  # about what it takes in memory
        self.scope: anyio.CancelScope | None = None
        self.on_withdrawn: Callable[[], object] | None = None

    @property
    def is_open(self) -> bool:
        return self in self._ledger.open

    def answer(self, result: Any) -> bool:
        return self._ledger.close(self, lambda wire: wire.respond(self.request.id, result))

    def fail(self, error: RpcError) -> bool:
        return self._ledger.close(self, lambda wire: wire.fail(self.request.id, error))

    def withdraw(self) -> None:
        """Cancel the request, because the agent has withdrawn it or has ended."""
        if self.on_withdrawn:
            self.on_withdrawn()
        if self.scope:
            self.scope.cancel()
        self.fail(RpcError(CANCELLED, "the request was cancelled"))


Now = Callable[[Entry], None]
Later = Callable[[Entry], Awaitable[Any]]
Refuse = Callable[[Request], RpcError | None]


class Requests:
    """A service answers at once or keeps its entry (`now`), or works in a task of its own (`later`)."""

    def __init__(self, wire: Wire, tasks: TaskGroup, refuse: Refuse) -> None:
        self._wire: Wire | None = wire
        self._tasks = tasks
        self._refuse = refuse
        self.open: dict[Entry, None] = {}
        self._weight = 0
        self.now: dict[str, Now] = {}
        self.later: dict[str, Later] = {}
        self.before: Callable[[Entry], None] = lambda entry: None  # called before an entry is served

    def enter(self, request: Request) -> None:
        entry = Entry(self, request)
        self.open[entry] = None
        entry.weight = weight(request.params)
        self._weight += entry.weight
        try:
            refused = self._why_too_many() or self._refuse(request)
            if not refused:
                self.before(entry)
        except Exception as error:
            refused = _as_rpc(error, entry)
        if refused:
            entry.fail(refused)
        else:
            self._serve(entry)

    def _why_too_many(self) -> RpcError | None:
        if len(self.open) <= limits.WAITING_REQUESTS and self._weight <= limits.WAITING_REQUESTS_WEIGHT:
            return None
        return RpcError(INTERNAL_ERROR, "too many requests wait for their answers: send this one later")

    def _serve(self, entry: Entry) -> None:
        if entry.request.method in self.now:
            self._serve_now(entry)
        else:
            self._tasks.start_soon(self._serve_later, entry)

    def cancel(self, request_id: Any) -> None:
        """Handle the agent's `$/cancel_request`. An unknown id is ignored."""
        for entry in list(self.open):
            if entry.request.id == request_id and type(entry.request.id) is type(request_id):
                entry.withdraw()

    def abandon(self) -> None:
        """Drop all requests, because their agent has ended."""
        self._wire = None
        for entry in list(self.open):
            entry.withdraw()

    def close(self, entry: Entry, say: Callable[[Wire], None]) -> bool:
        if entry not in self.open:
            return False
        del self.open[entry]
        self._weight -= entry.weight
        if self._wire:
            say(self._wire)
        return True

    def _serve_now(self, entry: Entry) -> None:
        try:
            self.now[entry.request.method](entry)
        except Exception as error:
            entry.fail(_as_rpc(error, entry))
            entry.withdraw()  # also ends a question that it has begun

    async def _serve_later(self, entry: Entry) -> None:
        with anyio.CancelScope() as entry.scope:
            try:
                entry.answer(await self.later[entry.request.method](entry))
            except Exception as error:
                entry.fail(_as_rpc(error, entry))
            finally:
                entry.fail(RpcError(CANCELLED, "the request was cancelled"))


def weight(params: Any) -> int:
    """Estimate the bytes that a JSON value takes in memory."""
    found, ahead = 0, [params]
    while ahead:
        value = ahead.pop()
        found += _VALUE
        if isinstance(value, str):
            found += len(value)
        elif isinstance(value, list):
            ahead += value
        elif isinstance(value, dict):
            ahead += value
            ahead += value.values()
    return found


def _as_rpc(error: Exception, entry: Entry) -> RpcError:
    if isinstance(error, RpcError):
        return error
    log.exception("serving %s failed", entry.request.method, exc_info=error)
    return RpcError(INTERNAL_ERROR, f"{entry.request.method} failed: {error}")
