"""Defines what the backend expects of an editor: named functions with JSON arguments, called in frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from acp_nvim.messages.base_classes import Call, Question

A = TypeVar("A")
Wire = list[Any]  # [name, argument, …]
Collect = Callable[[], list[Call]]


class Editor(Protocol):
    def wake(self, at_once: bool = False) -> None:
        """Schedule a frame: soon, or at once if the user waits for it."""

    def notify(self, call: Call) -> None:
        """Call a function with the next frame."""

    async def call(self, call: Question[A]) -> A:
        """Call a function now, behind the frame under way, and wait for its answer."""
