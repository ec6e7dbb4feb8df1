"""The transcript entry of the agent's plan for a turn. The agent sends the whole plan each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from acp_nvim.protocol import schema
from acp_nvim.text.printable import one_line


@dataclass(slots=True, eq=False)
class Plan:
    speaker: ClassVar[str | None] = "agent"
    key: int
    entries: Sequence[schema.PlanEntry] = ()
    done: int = 0
    current: str | None = None  # the step under way, else the next one

    def replace(self, entries: Sequence[schema.PlanEntry]) -> None:
        self.entries = entries
        self.done = sum(entry.status == "completed" for entry in entries)
        step = next((entry for entry in entries if entry.status == "in_progress"), None)
        step = step or next((entry for entry in entries if entry.status != "completed"), None)
        self.current = one_line(step.content) if step else None

    def progress(self) -> dict[str, Any]:
        return {"done": self.done, "total": len(self.entries), "current": self.current}
