"""Keeps updates of a session whose id is not known yet: some agents send them before they answer session/new."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import weight


class EarlyUpdates:
    def __init__(self) -> None:
        self._expected = 0
        self._kept: dict[str, list[tuple[Any, int]]] = defaultdict(list)
        self._room = limits.EARLY_UPDATES_BYTES

    def expect(self) -> None:
        if not self._expected:  # the rest was for a session that was refused
            self._forget()
        self._expected += 1

    def count_answer(self) -> None:
        """Count an answer, be it a result or an error."""
        self._expected -= 1

    def keep(self, session_id: str | None, params: Any) -> bool:
        if not self._expected or session_id is None:
            return False
        size = weight(params)
        if size > self._room:
            return False
        self._kept[session_id].append((params, size))
        self._room -= size
        return True

    def take(self, session_id: str) -> list[Any]:
        """Return the kept updates of a session. If no answer is outstanding, the others are dropped."""
        found = self._kept.pop(session_id, [])
        self._room += sum(size for _, size in found)
        if not self._expected:
            self._forget()
        return [params for params, _ in found]

    def _forget(self) -> None:
        self._kept.clear()
        self._room = limits.EARLY_UPDATES_BYTES
