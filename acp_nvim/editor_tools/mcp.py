"""Speaks MCP with one server process of an agent: a state machine over JSON-RPC, fed by the loop's callbacks."""

from __future__ import annotations

import hmac
from typing import Any, Protocol

from anyio.abc import TaskGroup

from acp_nvim import __version__, limits
from acp_nvim.agent.incoming_requests import IncomingRequest, IncomingRequests
from acp_nvim.editor_tools import catalogue
from acp_nvim.protocol.errors import CANCELLED, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from acp_nvim.protocol.jsonrpc import Notification, Peer, Request
from acp_nvim.session.own_tool import SERVER

_REVISIONS = ("2025-11-25", "2025-06-18")  # the first is offered to clients that ask for another one
_SERVER_ERROR = -32000
_BEFORE_INITIALIZE = ("initialize", "ping")
_METHODS = (*_BEFORE_INITIALIZE, "tools/list", "tools/call")
REFUSED = "Neovim refused the connection: its token is that of another session"
TOO_MANY = f"{limits.TOOL_CONNECTIONS} servers of this session are connected: end one of them first"


class Transport(Protocol):
    """What is used of asyncio's transport."""

    def write(self, data: bytes) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...
    def get_write_buffer_size(self) -> int: ...


class ConnectionOwner(Protocol):
    """What a connection needs of the endpoint that it belongs to: `endpoint.py`."""

    token: str
    names: list[str]  # of the tools

    def admit(self, connection: Connection) -> bool:
        """Count a connection that has been initialized; False: there are too many."""

    def listed(self, connection: Connection) -> None: ...
    def ended(self, connection: Connection) -> None: ...
    async def call(self, name: str, arguments: Any) -> dict[str, Any]: ...


class Connection:
    """The loop calls `connection_made`, `data_received`, `eof_received` and `connection_lost`."""

    def __init__(self, owner: ConnectionOwner, tasks: TaskGroup) -> None:
        self.is_initialized = False
        self._owner = owner
        self._peer = Peer(limits.TOOL_REQUEST_BYTES)
        self._transport: Transport | None = None
        self._greeting: bytes | None = b""  # the token, as far as it has come; None: it was right
        self._requests = IncomingRequests(self, tasks, self._refusal)
        self._requests.now |= {
            "initialize": self._initialize,
            "ping": lambda incoming: _answer(incoming, {}),
            "tools/list": self._list,
        }
        self._requests.later["tools/call"] = self._call

    def close(self) -> None:
        if self._transport:
            self._transport.close()

    # --- what the loop calls

    def connection_made(self, transport: Transport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._greeting is not None:
            self._greeting, newline, data = (self._greeting + data).partition(b"\n")
            if not newline and len(self._greeting) <= limits.NAME_CHARS:
                return
            if not hmac.compare_digest(self._greeting, self._owner.token.encode()):
                self._send(f"{REFUSED}\n".encode())
                return self.close()
            self._greeting = None
            self._send(b"ok\n")
        for event in self._peer.receive(data):
            if isinstance(event, Request):
                self._requests.enter(event)
            elif isinstance(event, Notification):
                self._notified(event)

    def eof_received(self) -> bool:
        return False  # the transport is to be closed

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self._requests.abandon()
        self._owner.ended(self)

    def pause_writing(self) -> None:
        """Called by the loop when much waits to be read: `_send` looks at it."""

    def resume_writing(self) -> None:
        """Called by the loop when it has been read."""

    # --- answers

    def respond(self, request_id: Any, result: Any) -> None:
        self._send(self._peer.respond(request_id, result))

    def fail(self, request_id: Any, error: RpcError) -> None:
        if error.code != CANCELLED:  # what was cancelled has no answer in MCP
            self._send(self._peer.fail(request_id, error))

    def _send(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)
            if self._transport.get_write_buffer_size() > limits.TOOL_UNREAD_BYTES:
                self._transport.abort()  # it asks and does not read

    # --- requests

    def _refusal(self, request: Request) -> RpcError | None:
        if request.method not in _METHODS:
            return RpcError(
                METHOD_NOT_FOUND, f"no method {request.method[: limits.UNKNOWN_NAME_CHARS]!r} here"
            )
        if not self.is_initialized and request.method not in _BEFORE_INITIALIZE:
            return RpcError(_SERVER_ERROR, "send initialize first")
        return None

    def _initialize(self, incoming: IncomingRequest) -> None:
        params = _params(incoming)
        if not self._owner.admit(self):
            raise RpcError(_SERVER_ERROR, TOO_MANY)
        self.is_initialized = True
        wanted = params.get("protocolVersion")
        _answer(
            incoming,
            {
                "protocolVersion": wanted if wanted in _REVISIONS else _REVISIONS[0],
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": {"name": SERVER, "title": "Neovim", "version": __version__},
                "instructions": catalogue.instructions(self._owner.names),
            },
        )

    def _list(self, incoming: IncomingRequest) -> None:
        _answer(incoming, {"tools": [catalogue.TOOLS[name].shape() for name in self._owner.names]})
        self._owner.listed(self)

    async def _call(self, incoming: IncomingRequest) -> dict[str, Any]:
        params = _params(incoming)
        name = params.get("name")
        if name not in self._owner.names:
            there = ", ".join(self._owner.names)
            named = str(name)[: limits.UNKNOWN_NAME_CHARS]
            raise RpcError(INVALID_PARAMS, f"no tool {named!r}: there are {there}")
        return await self._owner.call(str(name), params.get("arguments"))

    def _notified(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled" and isinstance(notification.params, dict):
            self._requests.cancel(notification.params.get("requestId"))


def _params(incoming: IncomingRequest) -> dict[str, Any]:
    return incoming.request.params if isinstance(incoming.request.params, dict) else {}


def _answer(incoming: IncomingRequest, result: dict[str, Any]) -> None:
    incoming.answer(result)
