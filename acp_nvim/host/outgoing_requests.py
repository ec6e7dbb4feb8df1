"""Sends requests other than prompts to an agent: again under an older name if it does not know the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_nvim.agent.connection import Connection, Result
from acp_nvim.protocol import methods
from acp_nvim.protocol.errors import METHOD_NOT_FOUND
from acp_nvim.protocol.jsonrpc import Failure


class OutgoingRequests:
    """`on_answer()` is called after each answer, `on_late(method, seconds)` if there is none within that time."""

    def __init__(
        self,
        connection: Connection,
        cwd: str,
        seconds: float,
        on_answer: Callable[[], None],
        on_late: Callable[[str, float], None],
    ) -> None:
        self._connection, self._cwd, self._seconds = connection, cwd, seconds
        self._on_answer, self._on_late = on_answer, on_late
        self.unanswered = 0

    def call(
        self,
        method: str,
        params: Any,
        then: Callable[[Result], None],
        unbounded: bool = False,
        owner: object = None,
    ) -> None:
        self.unanswered += 1

        def answered(result: Result) -> None:
            older = methods.older(method, params, self._cwd) if _is_unknown(result) else None
            if older:
                self.call(*older, lambda late: then(result if _is_unknown(late) else late), unbounded, owner)
            else:
                then(result)
            self.unanswered -= 1
            self._on_answer()

        self._connection.call(
            method,
            params,
            answered,
            timeout=None if unbounded else self._seconds,
            on_timeout=lambda: self._on_late(method, self._seconds),
            owner=owner,
        )


def _is_unknown(result: Result) -> bool:
    return isinstance(result, Failure) and result.error.code == METHOD_NOT_FOUND
