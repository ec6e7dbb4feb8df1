"""Caches a value that was computed from parts of a message while these parts stay the same objects.

Agents resend large messages. Comparing their contents could take as long as computing the value, so identity decides.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class IdentityCache(Generic[Value]):
    """Holds the last value alone, with the parts that it was computed from."""

    __slots__ = ("_last",)  # a tool call has six of them

    def __init__(self) -> None:
        self._last: tuple[tuple[Any, ...], Value] | None = None

    def get(self, parts: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        if self._last is None or not all(map(operator.is_, self._last[0], parts)):
            self._last = parts, compute()
        return self._last[1]
