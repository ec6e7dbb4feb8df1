"""Updates for a session whose id we do not know yet: some agents send them before their session/new answer."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

_MOST = 10_000  # updates kept; an agent that sends more before its answer is not to be helped


class Orphans:
    def __init__(self) -> None:
        self._expected = 0
        self._kept: dict[str, list[Any]] = defaultdict(list)
        self._count = 0

    def expect(self) -> None:
        if not self._expected:  # what came before a refusal was for a session that never was
            self._kept.clear()
            self._count = 0
        self._expected += 1

    def met(self) -> None:
        """An answer has come, for good or ill."""
        self._expected -= 1

    def keep(self, session_id: str | None, params: Any) -> bool:
        if not self._expected or session_id is None or self._count >= _MOST:
            return False
        self._kept[session_id].append(params)
        self._count += 1
        return True

    def take(self, session_id: str) -> list[Any]:
        """What had come for it; with no answer outstanding, the rest belongs to nobody."""
        found = self._kept.pop(session_id, [])
        if not self._expected:
            self._kept.clear()
        self._count = sum(map(len, self._kept.values()))
        return found
