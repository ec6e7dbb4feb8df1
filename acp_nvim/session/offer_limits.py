"""Limits the modes, models, options and commands of an agent, which may send any number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from acp_nvim import limits

T = TypeVar("T")


class OfferLimits:
    """Return the first items, and say once that there are more."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say
        self._told: set[str] = set()

    def first(self, what: str, sent: tuple[T, ...], most: int = limits.OFFERED_ITEMS) -> tuple[T, ...]:
        if len(sent) > most and what not in self._told:
            self._told.add(what)
            self._say(f"the agent offers {len(sent)} {what}: only the first {most} are used")
        return sent[:most]
