"""Collects the events of one session that become User autocommands with the next frame."""

from __future__ import annotations

from typing import Any

from acp_nvim import limits
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import one_line


class PendingEvents:
    def __init__(self, session: int) -> None:
        self._session = session
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        # by call: what its last event said. Its output streams without events
        self._told: dict[int, dict[str, Any]] = {}

    def add(self, event: str, **data: Any) -> None:
        self._waiting.append((event, {"session": self._session, **data}))

    def add_tool_call(self, call: ToolCall, cwd: str) -> None:
        """Add an event of the call, if the event says more than the last one did."""
        facts = {
            "kind": call.kind,
            "status": call.status,
            "title": one_line((call.title or call.kind)[: limits.SESSION_TITLE_CHARS]),
            "paths": call.paths(cwd),
        }
        if self._told.get(call.key) != facts:
            self._told[call.key] = facts
            self.add("AcpToolCall", id=call.id, **facts)

    def take(self) -> list[tuple[str, dict[str, Any]]]:
        waiting, self._waiting = self._waiting, []
        return waiting
