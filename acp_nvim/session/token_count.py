"""Counts the tokens of the running turn and of the whole session.

An agent tells of them at the end of a turn, or with each request to its model; what it says at the end counts.
"""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.protocol.schema import Tokens

_NAMES = ("input", "output", "thought", "cached_read", "cached_write", "total")
Record = dict[str, int]


class TokenCount:
    def __init__(self) -> None:
        self._turn: Record = {}  # the newest of which anything is known
        self._running: Record = {}  # what the running turn has told so far
        self._session: Record = {}

    def begin_turn(self) -> None:
        self._running = {}

    def add(self, tokens: Tokens) -> None:
        """Add what one request to the model took."""
        self._running = self._turn = _sum(self._running, _record(tokens))

    def end_turn(self, tokens: Tokens | None) -> Record | None:
        """Return what the turn took; None if the agent has not said."""
        took = _record(tokens) if tokens else self._running
        self._running = {}
        if took:
            self._turn, self._session = took, _sum(self._session, took)
        return took or None

    def shape(self) -> dict[str, Record] | None:
        """Return the counts for `acp.status()`; None if nothing is known. Those of the running turn are included."""
        session = _sum(self._session, self._running)
        return {"turn": self._turn, "session": session} if session else None


def _record(tokens: Tokens) -> Record:
    """Return the counts that are known, with their total.

    input 100, output 20: total 120. An agent that tells the total is right: cached tokens may count or not.
    """
    known: Record = tokens.model_dump(include=set(_NAMES), exclude_none=True)
    known.setdefault("total", min(known.get("input", 0) + known.get("output", 0), limits.TOKENS))
    return known


def _sum(one: Record, other: Record) -> Record:
    names = (name for name in _NAMES if name in one or name in other)
    return {name: min(one.get(name, 0) + other.get(name, 0), limits.TOKENS) for name in names}
