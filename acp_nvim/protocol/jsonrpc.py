"""Implements JSON-RPC 2.0 as a state machine: bytes become events, calls become bytes, both id spaces are kept apart.

No input makes it raise. A line that is no message becomes a `Stray` for the log. Everything with an `id` and a `method`
is a request, since some agents send an id with their notifications. All texts are valid Unicode.
"""

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic_core import from_json

from acp_nvim import limits
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.framing import LineSplitter

RequestId = str | int | float | None
_SURROGATE = re.compile("[\ud800-\udfff]")


class Request(NamedTuple):
    """A request of the agent, to be answered exactly once with this id as it came."""

    id: RequestId
    method: str
    params: Any


class Notification(NamedTuple):
    method: str
    params: Any


class Response(NamedTuple):
    """The answer to our request `id` of `method`; its result may be null."""

    id: int
    method: str
    result: Any


class Failure(NamedTuple):
    id: int
    method: str
    error: RpcError


class Stray(NamedTuple):
    """A line that is not a usable message, cut, and the reason."""

    text: str
    why: str


Event = Request | Notification | Response | Failure | Stray


class Peer:
    def __init__(self, limit: int = limits.LINE_BYTES) -> None:
        self.pending: dict[int, str] = {}
        self._lines = LineSplitter(limit)
        self._next_id = 0

    def receive(self, data: bytes) -> list[Event]:
        return self._events(self._lines.feed(data))

    def finish(self) -> list[Event]:
        """Read the rest when the agent's stdout has ended: the last line may lack its newline."""
        return self._events(self._lines.finish())

    def request(self, method: str, params: object) -> tuple[int, bytes]:
        number = self._next_id
        self._next_id += 1
        self.pending[number] = method
        return number, _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def notify(self, method: str, params: object) -> bytes:
        return _line({"jsonrpc": "2.0", "method": method, "params": params})

    def respond(self, id: RequestId, result: object) -> bytes:
        return _line({"jsonrpc": "2.0", "id": id, "result": result})

    def fail(self, id: RequestId, error: RpcError) -> bytes:
        return _line({"jsonrpc": "2.0", "id": id, "error": error.to_wire()})

    def _events(self, lines: Iterable[bytes]) -> list[Event]:
        events = [self._event(line) for line in lines]
        if self._lines.dropped:
            why = f"longer than {self._lines.limit} bytes"
            events += [_stray(head, why) for head in self._lines.dropped]
            self._lines.dropped.clear()
        return events

    def _event(self, line: bytes) -> Event:
        message = _parsed(line)
        if not isinstance(message, dict):
            return _stray(line, "not a JSON-RPC message")
        method = message.get("method")
        if method is None:
            return self._answer(message) or _stray(line, "an answer to no request of ours")
        if method.__class__ is not str:
            return _stray(line, "a method that is not a string")
        if "id" not in message:
            return Notification(method, message.get("params"))
        if not _can_be_echoed(message["id"]):
            return _stray(line, "a request id that is neither text nor number")
        return Request(message["id"], method, message.get("params"))

    def _answer(self, message: dict[str, Any]) -> Response | Failure | None:
        number = _our_id(message.get("id"))
        if number not in self.pending:
            return None
        method = self.pending.pop(number)
        error = message.get("error")
        if error is None:
            return Response(number, method, message.get("result"))
        return Failure(number, method, RpcError.from_wire(error))


def _line(message: dict[str, object]) -> bytes:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    # Readers that split on every Unicode line end, as Node's readline does, must see one line.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _whole(text).encode()


def _parsed(line: bytes) -> Any:
    """Return the JSON of a line; None if it cannot be parsed.

    Invalid UTF-8, raw control characters in texts and halves of surrogate pairs are repaired. `from_json` judges the
    result as well, since it bounds the depth for everybody who walks it later.
    """
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        pass
    try:
        value = json.loads(line.decode("utf-8-sig", errors="replace"), strict=False)
        return from_json(_whole(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which are not Unicode."""
    return _SURROGATE.sub("\ufffd", text)


def _our_id(id: object) -> int:
    """Return the number of our request, which some agents echo as text; -1, which we never use, for anything else."""
    if isinstance(id, str):
        return int(id) if id.isdecimal() and len(id) < 20 else -1
    if isinstance(id, float):
        return int(id) if id.is_integer() else -1
    return id if isinstance(id, int) and not isinstance(id, bool) else -1


def _can_be_echoed(id: object) -> bool:
    return id is None or isinstance(id, str | int) or (isinstance(id, float) and math.isfinite(id))


def _stray(line: bytes, why: str) -> Stray:
    return Stray(line[: limits.BAD_LINE_BYTES].decode("utf-8", errors="replace"), why)
