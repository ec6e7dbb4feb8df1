"""Speaks JSON-RPC 2.0 over two pipes: one JSON object a line, requests in both directions.

One thread reads (`serve`); any thread may write. A request of ours returns a `Reply`, on which the thread
that wants the answer waits. Each request of the client comes with an `Answer`, to be used once, now or later.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Json = dict[str, Any]
T = TypeVar("T")

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_FOUND = -32002


class RpcError(Exception):
    """What a request is answered with when there is no result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_json(self) -> Json:
        error: Json = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class ClientError(RpcError):
    """The client answered one of our requests with an error."""


class BadShape(Exception):
    """A message lacks a field, or the field has a type that it may not have."""


def field(obj: Json, name: str, kind: type[T]) -> T:
    """A required field of a message that somebody else wrote."""
    value = obj.get(name)
    # True is an int for Python, but not for JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadShape(f"`{name}` must be of type {kind.__name__}")
    return value


class Reply:
    """The answer to a request of ours: not there yet."""

    def __init__(self) -> None:
        self._there = threading.Event()
        self._message: Json = {}

    def arrive(self, message: Json) -> None:
        self._message = message
        self._there.set()

    def abandon(self) -> None:
        """Wake the thread that waits. An answer that comes later is ignored."""
        self._there.set()

    def wait(self) -> Json:
        """The result ({} for null), once it has come. Raises ClientError."""
        self._there.wait()
        error = self._message.get("error")
        if isinstance(error, dict):
            raise ClientError(error.get("code", INTERNAL_ERROR), str(error.get("message", "error")))
        result = self._message.get("result")
        return result if isinstance(result, dict) else {}


class Answer:
    """Our answer to one request of the client."""

    def __init__(self, wire: Wire, request_id: Any) -> None:
        self._wire = wire
        self._id = request_id
        self.given = False

    def result(self, result: Json) -> None:
        self.given = True
        self._wire.send({"id": self._id, "result": result})

    def error(self, error: RpcError) -> None:
        self.given = True
        self._wire.send({"id": self._id, "error": error.to_json()})


class Wire:
    """Both directions of the conversation with the client."""

    def __init__(self, lines: Iterable[bytes], out: int) -> None:
        self._lines = lines
        self._out = out
        self._sending = threading.Lock()
        self._waiting: dict[int, Reply] = {}
        self._next_id = 0

    def notify(self, method: str, params: Json) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Json) -> Reply:
        reply = Reply()
        with self._sending:
            request_id = self._next_id
            self._next_id += 1
            self._waiting[request_id] = reply
        self.send({"id": request_id, "method": method, "params": params})
        return reply

    def send(self, message: Json) -> None:
        # Half of a surrogate pair is legal in JSON text but not in UTF-8: it leaves as a question mark.
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        rest = memoryview(text.encode("utf-8", "replace") + b"\n")
        with self._sending:
            while rest:
                rest = rest[os.write(self._out, rest) :]

    def serve(
        self, on_request: Callable[[str, Json, Answer], None], on_notification: Callable[[str, Json], None]
    ) -> None:
        """Reads until the client closes its end."""
        for line in self._lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line.decode("utf-8", "replace"))
            except (ValueError, RecursionError) as error:
                Answer(self, None).error(RpcError(PARSE_ERROR, f"not JSON: {error}"))
                continue
            if not isinstance(message, dict):
                Answer(self, None).error(RpcError(INVALID_REQUEST, "not a JSON object"))
            elif "method" not in message:
                self._take_reply(message)
            else:
                self._take_call(message, on_request, on_notification)

    def _take_reply(self, message: Json) -> None:
        request_id = message.get("id")
        # An answer nobody waits for, such as one that comes twice, is none of our business.
        reply = self._waiting.pop(request_id, None) if isinstance(request_id, int) else None
        if reply is not None:
            reply.arrive(message)

    def _take_call(
        self,
        message: Json,
        on_request: Callable[[str, Json, Answer], None],
        on_notification: Callable[[str, Json], None],
    ) -> None:
        method, params = message["method"], message.get("params", {})
        answer = Answer(self, message["id"]) if "id" in message else None
        if isinstance(method, str) and isinstance(params, dict):
            if answer is None:
                on_notification(method, params)
            else:
                on_request(method, params, answer)
        elif answer is not None:
            code = INVALID_PARAMS if isinstance(method, str) else INVALID_REQUEST
            answer.error(RpcError(code, "`method` must be a string, `params` an object"))
