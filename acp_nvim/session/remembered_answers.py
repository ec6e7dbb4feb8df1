"""Keeps what stays allowed or rejected in a session: rules of the user, opened folders, answers that the agent
remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from acp_nvim import limits
from acp_nvim.session.permission_rules import Rule


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something that is allowed or rejected without another question."""

    id: int
    action: Literal["allow", "reject"]
    what: str
    by: Literal["session", "agent"]  # who remembers it: only what we remember can be taken back here
    rule: Rule | None = None
    on_forget: Callable[[], None] | None = None

    def shape(self) -> dict[str, Any]:
        return {"id": self.id, "action": self.action, "what": self.what, "by": self.by}


class RememberedAnswers:
    """Ids are never reused: the transcript names rules by them."""

    def __init__(self) -> None:
        self._items: dict[int, Remembered] = {}
        self._last = 0

    def add_rule(self, rule: Rule, what: str) -> int:
        action: Literal["allow", "reject"] = "allow" if rule.action == "allow" else "reject"
        self._last += 1
        self._items[self._last] = Remembered(self._last, action, what, "session", rule)
        return self._last

    def add_grant(self, what: str, on_forget: Callable[[], None]) -> int:
        """Remember what the user allowed us for the whole session."""
        self._last += 1
        self._items[self._last] = Remembered(self._last, "allow", what, "session", on_forget=on_forget)
        return self._last

    def add_of_agent(self, action: Literal["allow", "reject"], what: str) -> int:
        """Remember that the agent was told "always". Only the agent applies it. Return 0 where there are too many."""
        known = [item for item in self._items.values() if item.by == "agent"]
        for item in known:
            if item.what == what and item.action == action:
                return item.id
        if len(known) >= limits.REMEMBERED_ANSWERS:
            return 0
        self._last += 1
        self._items[self._last] = Remembered(self._last, action, what, "agent")
        return self._last

    @property
    def rules(self) -> list[tuple[int, Rule]]:
        return [(item.id, item.rule) for item in self._items.values() if item.rule]

    def id_of(self, rule: Rule) -> int:
        """Return the id of a rule of the session; 0 if it is none."""
        return next((item.id for item in self._items.values() if item.rule is rule), 0)

    @property
    def by_id(self) -> dict[int, str]:
        """Return who remembers each item."""
        return {item.id: item.by for item in self._items.values()}

    def forget(self, ids: Iterable[int] | None = None) -> tuple[list[Remembered], list[Remembered]]:
        """Forget the named ones, or all. Return them, and those that only the agent can forget, which stay."""
        wanted = self._items.keys() if ids is None else set(ids) & self._items.keys()
        named = [self._items[id] for id in sorted(wanted)]
        ours = [item for item in named if item.by == "session"]
        for item in ours:
            del self._items[item.id]
            if item.on_forget:
                item.on_forget()
        return ours, [item for item in named if item.by == "agent"]

    def forget_agent(self) -> None:
        """Forget what the agent was told, because its session is replaced by a new one."""
        self._items = {id: item for id, item in self._items.items() if item.by == "session"}

    def shape(self) -> list[dict[str, Any]]:
        return [item.shape() for item in self._items.values()]
