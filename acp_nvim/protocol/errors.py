"""Represents the error object of JSON-RPC as an exception, for both directions."""

import json
from collections.abc import Callable
from typing import Any

from acp_nvim import limits

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
NOT_FOUND = -32002
CANCELLED = -32800

_WORDS = ("details", "detail", "message", "error", "reason")  # keys under which agents say what is wrong


class RpcError(Exception):
    """An error answer to a request of either side."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def from_wire(cls, error: object) -> "RpcError":
        """Read whatever stood under `error`: some agents send a bare text, or a code that is no number."""
        if not isinstance(error, dict):
            return cls(INTERNAL_ERROR, _written(error))
        message = error.get("message", error.get("error", "unknown error"))
        return cls(_code(error.get("code")), _written(message), error.get("data"))

    def hiding(self, hide: Callable[[Any], Any]) -> "RpcError":
        """Return the error without secrets. Do this before cutting it: half a secret would not be recognized."""
        return type(self)(self.code, hide(self.message), hide(self.data))

    def to_wire(self) -> dict[str, object]:
        wire: dict[str, object] = {"code": self.code, "message": self.message}
        return wire if self.data is None else {**wire, "data": self.data}

    @property
    def needs_login(self) -> bool:
        """Whether the agent wants an authentication first. Some say so in the data of an internal error."""
        said = self.data.get("code") if isinstance(self.data, dict) else None
        return self.code == AUTH_REQUIRED or said == "auth_required"

    @property
    def words(self) -> str:
        """Return its text without the code, which means nothing to a user."""
        message = self.message[: limits.ERROR_CHARS]
        return message + "".join(f": {part}" for part in _parts(self.data) if part != message)

    def __str__(self) -> str:
        """Return the words first, since the end may be cut."""
        return f"{self.words} ({self.code})"


def _code(code: object) -> int:
    if isinstance(code, int) and not isinstance(code, bool) and abs(code) < limits.ERROR_CODE:
        return code
    return INTERNAL_ERROR


def _parts(data: object) -> list[str]:
    """Return the readable parts of the data, then the rest."""
    if data is None:
        return []
    key = (
        next((key for key in _WORDS if isinstance(data.get(key), str)), None)
        if isinstance(data, dict)
        else None
    )
    if not isinstance(data, dict) or key is None:
        return [_text(data)]
    rest = {name: value for name, value in data.items() if name != key}
    return [_text(data[key]), _text(rest)] if rest else [_text(data[key])]


def _text(value: object) -> str:
    return _written(value)[: limits.ERROR_CHARS]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
