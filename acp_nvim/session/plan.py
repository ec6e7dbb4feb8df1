"""Keeps the agent's plans: one of the turn, or several by their ids. Each is sent whole and has one block in the
chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.text.printable import one_line


@dataclass(slots=True, eq=False)
class Plan:
    speaker: ClassVar[str | None] = "agent"
    key: int
    id: str = ""
    entries: Sequence[schema.PlanEntry] = ()
    words: str = ""  # of a plan without steps
    is_removed: bool = False
    done: int = 0
    current: str | None = None  # the step under way, else the next one
    steps: list[dict[str, str]] = field(default_factory=list)  # as the status shows them with every frame

    def replace(self, entries: Sequence[schema.PlanEntry], words: str = "") -> None:
        self.entries, self.words = entries, words
        self.done = sum(entry.status == "completed" for entry in entries)
        step = next((entry for entry in entries if entry.status == "in_progress"), None)
        step = step or next((entry for entry in entries if entry.status != "completed"), None)
        self.current = one_line(step.content[: limits.PLAN_STEP_CHARS]) if step else None
        self.steps = [
            {"text": one_line(entry.content[: limits.PLAN_STEP_CHARS]), "status": entry.status}
            for entry in entries[: limits.PINNED_STEPS]
        ]

    def progress(self) -> dict[str, Any]:
        return {"done": self.done, "total": len(self.entries), "current": self.current}

    def shape(self) -> dict[str, Any]:
        """Return it as `status().plans` shows it."""
        return {"id": one_line(self.id[: limits.PLAN_ID_CHARS]), **self.progress()}


class Plans:
    """The plans that are open. That of a turn ends with it; one with an id stays until it is removed."""

    def __init__(self, add: Callable[[str], Plan]) -> None:
        self._add = add  # makes a block for the plan with that id
        self._open: dict[str, Plan] = {}
        self._old: set[str] = set()  # ids of those whose block stands in an earlier turn

    @property
    def last(self) -> Plan | None:
        """Return the plan of which the agent has spoken last."""
        return next(reversed(self._open.values()), None)

    def shapes(self) -> list[dict[str, Any]]:
        return [plan.shape() for plan in self._open.values()]

    def progress(self) -> dict[str, Any] | None:
        return self.last.progress() if self.last else None

    def steps(self) -> list[dict[str, str]]:
        return self.last.steps if self.last else []

    def begin_turn(self) -> None:
        self._open.pop("", None)
        self._old = set(self._open)

    def clear(self) -> None:
        self._open.clear()
        self._old.clear()

    def apply(self, update: schema.PlanUpdate) -> Plan | None:
        """Apply an update. A plan that goes on in a later turn gets a block there."""
        plan = self._open.pop(update.id, None)
        if update.is_removed:
            return self._remove(plan)
        if plan is None and not (update.entries or update.words):
            return None
        if plan is None or update.id in self._old:
            self._old.discard(update.id)
            plan = self._add(update.id)
        plan.replace(update.entries, update.words)
        self._open[update.id] = plan  # the last one
        if len(self._open) > limits.OPEN_PLANS:
            del self._open[next(iter(self._open))]
        return plan

    def _remove(self, plan: Plan | None) -> Plan | None:
        """Mark a plan as given up, unless all of it is done."""
        if plan and (plan.done < len(plan.entries) or plan.words):
            plan.is_removed = True
        return plan
