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


class IncomingRequest:
    """One request of the agent. Only the first answer is sent; `answer` and `fail` return whether theirs was the
    first."""

    def __init__(self, requests: IncomingRequests, request: Request) -> None:
        self.request = request
        self._requests = requests
        self.weight = 0  # about what it takes in memory
        self.scope: anyio.CancelScope | None = None
        self.on_withdrawn: Callable[[], object] | None = None

    @property
    def is_open(self) -> bool:
        return self in self._requests.open

    def answer(self, result: Any) -> bool:
        return self._requests.close(self, lambda wire: wire.respond(self.request.id, result))

    def fail(self, error: RpcError) -> bool:
        return self._requests.close(self, lambda wire: wire.fail(self.request.id, error))

    def withdraw(self) -> None:
        """Cancel the request, because the agent has withdrawn it or has ended."""
        if self.on_withdrawn:
            self.on_withdrawn()
        if self.scope:
            self.scope.cancel()
        self.fail(RpcError(CANCELLED, "the request was cancelled"))


Now = Callable[[IncomingRequest], None]
Later = Callable[[IncomingRequest], Awaitable[Any]]
Refuse = Callable[[Request], RpcError | None]


class IncomingRequests:
    """Those of one agent. A service answers at once or keeps the request (`now`), or works in a task of its own
    (`later`)."""

    def __init__(self, wire: Wire, tasks: TaskGroup, refuse: Refuse) -> None:
        self._wire: Wire | None = wire
        self._tasks = tasks
        self._refuse = refuse
        self.open: dict[IncomingRequest, None] = {}
        self._weight = 0
        self.now: dict[str, Now] = {}
        self.later: dict[str, Later] = {}
        # called before a request is served
        self.before: Callable[[IncomingRequest], None] = lambda incoming: None

    def enter(self, request: Request) -> None:
        incoming = IncomingRequest(self, request)
        self.open[incoming] = None
        incoming.weight = weight(request.params)
        self._weight += incoming.weight
        try:
            refused = self._why_too_many() or self._refuse(request)
            if not refused:
                self.before(incoming)
        except Exception as error:
            refused = _as_rpc(error, incoming)  # whatever fails, the agent gets an answer
        if refused:
            incoming.fail(refused)
        else:
            self._serve(incoming)

    def _why_too_many(self) -> RpcError | None:
        if len(self.open) <= limits.WAITING_REQUESTS and self._weight <= limits.WAITING_REQUESTS_WEIGHT:
            return None
        return RpcError(INTERNAL_ERROR, "too many requests wait for their answers: send this one later")

    def _serve(self, incoming: IncomingRequest) -> None:
        if incoming.request.method in self.now:
            self._serve_now(incoming)
        else:
            self._tasks.start_soon(self._serve_later, incoming)

    def cancel(self, request_id: Any) -> None:
        """Handle the agent's `$/cancel_request`. An unknown id is ignored."""
        for incoming in list(self.open):
            if incoming.request.id == request_id and type(incoming.request.id) is type(request_id):
                incoming.withdraw()

    def abandon(self) -> None:
        """Drop all requests, because their agent has ended."""
        self._wire = None
        for incoming in list(self.open):
            incoming.withdraw()

    def close(self, incoming: IncomingRequest, say: Callable[[Wire], None]) -> bool:
        if incoming not in self.open:
            return False
        del self.open[incoming]
        self._weight -= incoming.weight
        if self._wire:
            say(self._wire)
        return True

    def _serve_now(self, incoming: IncomingRequest) -> None:
        try:
            self.now[incoming.request.method](incoming)
        except Exception as error:
            incoming.fail(_as_rpc(error, incoming))
            incoming.withdraw()  # also ends a question that it has begun

    async def _serve_later(self, incoming: IncomingRequest) -> None:
        with anyio.CancelScope() as incoming.scope:
            try:
                incoming.answer(await self.later[incoming.request.method](incoming))
            except Exception as error:
                incoming.fail(_as_rpc(error, incoming))
            finally:
                incoming.fail(RpcError(CANCELLED, "the request was cancelled"))


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


def _as_rpc(error: Exception, incoming: IncomingRequest) -> RpcError:
    if isinstance(error, RpcError):
        return error
    log.exception("serving %s failed", incoming.request.method, exc_info=error)
    return RpcError(INTERNAL_ERROR, f"{incoming.request.method} failed: {error}")
