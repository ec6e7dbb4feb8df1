"""Prompts that wait for their turn. Nothing leaves a held queue behind the user's back."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Prompt:
    """What the user sends: the text, and what goes along with it."""

    text: str
    context: list[dict[str, Any]] = field(default_factory=list)

    @property
    def attached(self) -> list[str]:
        """What goes along, in a few words each: `parse.py 10-24`."""
        return [_words(item) for item in self.context]


def _words(item: dict[str, Any]) -> str:
    name = os.path.basename(str(item.get("file") or "")) or "a buffer without a name"
    lines = f"{item['first']}-{item['last']}" if item.get("first") and item.get("last") else ""
    return f"{name} {lines}".strip()


class Queue:
    def __init__(self) -> None:
        self._items: list[Prompt] = []
        self._stopped = False
        self._first = 0  # how many at the front were sent after the hold: they go first

    def __len__(self) -> int:
        return len(self._items)

    @property
    def held(self) -> bool:
        return self._stopped and bool(self._items)

    @property
    def texts(self) -> list[str]:
        return [prompt.text for prompt in self._items]

    def add(self, prompt: Prompt, *, first: bool = False) -> None:
        """Queue it at the end; a send after a hold goes first and releases what waits behind it."""
        if first or self._stopped or self._first:
            self._items.insert(self._first, prompt)
            self._first += 1
            self._stopped = False
        else:
            self._items.append(prompt)

    def hold(self) -> None:
        self._stopped, self._first = True, 0

    def release(self) -> None:
        self._stopped = False

    def take(self) -> Prompt | None:
        """The next prompt that may be sent."""
        if self._stopped or not self._items:
            return None
        self._first = max(0, self._first - 1)
        return self._items.pop(0)

    def clear(self) -> list[str]:
        texts = self.texts
        self._items.clear()
        self._first = 0
        return texts

    def replace(self, texts: list[str]) -> None:
        """The user edited the queue; a prompt whose text stayed keeps its context."""
        known = {prompt.text: prompt for prompt in self._items}
        self._items = [known.get(text) or Prompt(text) for text in texts if text.strip()]
        self._first = min(self._first, len(self._items))
