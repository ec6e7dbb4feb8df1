"""Limits the values of an agent that are passed to the editor: text length, items, depth and total size.

    bounded({"loadSession": True, "x" * 9000: {}})  ->  {"loadSession": True}

Titles, capabilities and login methods of megabytes would keep Neovim from answering a key for seconds.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from acp_nvim import limits


def bounded(value: Any) -> Any:
    """Return the value within the limits. Numbers that msgpack cannot carry become text."""
    return _Budget().take(value)


def short(text: str, longest: int = limits.VALUE_TEXT_CHARS) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def abridged(value: Any, chars: int, items: int, depth: int) -> Any:
    """Cut the texts, lists and objects in a JSON value. For what is written to disk, where a reader sees the cut."""
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}… ({len(value)} characters)"
    if isinstance(value, list | dict) and depth < 0:
        return "…"
    if isinstance(value, list):
        return [abridged(item, chars, items, depth - 1) for item in value[:items]]
    if isinstance(value, dict):
        kept = islice(value.items(), items)
        return {key: abridged(item, chars, items, depth - 1) for key, item in kept}
    return value


class _Budget:
    def __init__(self) -> None:
        self._left = limits.VALUE_CHARS

    def take(self, value: Any, depth: int = 0) -> Any:
        self._left -= 8
        if isinstance(value, str):
            return self._text(value)
        if depth < limits.VALUE_DEPTH and isinstance(value, dict):
            return self._object(value, depth)
        if depth < limits.VALUE_DEPTH and isinstance(value, (list, tuple)):
            return [self.take(item, depth + 1) for item in value[: limits.VALUE_ITEMS] if self._left > 0]
        if isinstance(value, (dict, list, tuple)):
            return None
        fits = not isinstance(value, int) or -(2**63) <= value < 2**63
        return (
            value
            if fits
            else short(str(value) if value.bit_length() < limits.VALUE_NUMBER_BITS else "too large")
        )

    def _text(self, value: str) -> str:
        told = short(value)
        self._left -= len(told)
        return told

    def _object(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for key, item in list(value.items())[: limits.VALUE_ITEMS]:
            if self._left <= 0:
                break
            if len(str(key)) <= limits.VALUE_TEXT_CHARS:  # a cut key could be taken for another
                self._left -= len(str(key))
                told[str(key)] = self.take(item, depth + 1)
        return told
