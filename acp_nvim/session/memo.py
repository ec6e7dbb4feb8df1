"""Caches what was computed from parts of a message while they stay the same: agents resend large ones."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


class Kept(Generic[Found]):
    """Compares by identity: comparing contents could take as long as computing."""

    def __init__(self) -> None:
        self._last: tuple[tuple[Any, ...], Found] | None = None

    def of(self, parts: tuple[Any, ...], find: Callable[[], Found]) -> Found:
        if self._last is None or not all(map(operator.is_, self._last[0], parts)):
            self._last = parts, find()
        return self._last[1]

    def is_new(self, parts: tuple[Any, ...], found: Found) -> bool:
        """Whether the parts differ from the last ones; if so, keep `found` for them."""
        if self._last is not None and all(map(operator.is_, self._last[0], parts)):
            return False
        self._last = parts, found
        return True
