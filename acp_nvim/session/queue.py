"""Queues prompts while a turn runs. A held queue sends nothing until the user sends a prompt."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Prompt:
    """A prompt: the text, and its context."""

    text: str
    context: list[dict[str, Any]] = field(default_factory=list)
    seq: int = 0  # its number, by which the editor knows it
    steers: bool = False  # it waits to be put into the turn that runs
    is_owed: bool = (
        False  # meant for the turn that ran: it goes out also if the agent has ended that by itself
    )

    @property
    def pictures(self) -> dict[str, str]:
        """Return the files of the pictures, by their labels in `attached`."""
        return {_words(item): str(item["image"]) for item in self.context if item.get("image")}

    @property
    def comments(self) -> list[int]:
        """Return the ids of the user's comments that the text holds."""
        return [int(item["comment"]) for item in self.context if item.get("comment")]

    @property
    def attachments(self) -> list[dict[str, Any]]:
        """Return the pieces of context that become blocks beside the text."""
        return [item for item in self.context if not item.get("comment")]

    @property
    def attached(self) -> list[str]:
        """Return a label for each piece of context, such as `parse.py 10-24`."""
        return [_words(item) for item in self.attachments if not item.get("missing")]


def _words(item: dict[str, Any]) -> str:
    for kind in ("image", "audio"):
        if item.get(kind):
            return f"{kind} {os.path.basename(str(item[kind]))}"
    name = os.path.basename(str(item.get("file") or "").rstrip("/")) or str(item.get("title") or "text")
    first, last = item.get("first"), item.get("last")
    lines = "" if not first else f"{first}" if last in (None, first) else f"{first}-{last}"
    return f"{name} {lines}".strip()


class Queue:
    """The prompts that wait. Those that steer stand first, and become ordinary ones when the turn ends."""

    def __init__(self) -> None:
        self._items: list[Prompt] = []
        # sent into the turn; the agent has not said yet whether it took it
        self._steering: Prompt | None = None
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

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(self._items)

    @property
    def waiting(self) -> list[int]:
        """Return the numbers of all that may still be sent, for the editor, which has the texts."""
        items = [self._steering, *self._items] if self._steering else self._items
        return [prompt.seq for prompt in items]

    @property
    def comments(self) -> list[int]:
        """Return the ids of the user's comments that wait."""
        items = [self._steering, *self._items] if self._steering else self._items
        return [id for prompt in items for id in prompt.comments]

    def restore(self, prompts: Iterable[Prompt]) -> None:
        """Queue prompts that waited while there was no backend."""
        self._items = list(prompts)
        self.hold()

    def add(self, prompt: Prompt, *, first: bool = False) -> None:
        """Queue a prompt at the end. One sent after a hold goes first and releases the rest."""
        if first or self._stopped or self._first:
            self._items.insert(self._first, prompt)
            self._first += 1
            self._stopped = False
        else:
            self._items.append(prompt)

    # --- prompts that steer

    def steer(self, prompt: Prompt) -> None:
        """Queue a prompt that is to go into the running turn: behind others of its kind, ahead of the rest."""
        prompt.steers = True
        place = sum(each.steers for each in self._items)
        self._items.insert(place, prompt)
        self._first += 1 if self._first else 0

    def steer_waiting(self, seq: int) -> bool:
        """Have the waiting prompt of this number go into the running turn; False if there is none."""
        found = next((each for each in self._items if not each.steers and each.seq == seq), None)
        if found is None:
            return False
        self._drop(found)
        self.steer(found)
        return True

    def begin_steering(self) -> Prompt | None:
        """Return the next prompt that steers. It waits aside until `steered` or `stop_steering` is called."""
        found = next((each for each in self._items if each.steers), None)
        if found is not None:
            self._drop(found)
            self._steering = found
        return found

    def steered(self) -> None:
        """Forget the prompt that was sent: the agent has taken it."""
        self._steering = None

    def stop_steering(self, *, sent: bool = False, is_overtaken: bool = False) -> list[Prompt]:
        """Make the prompts that steer the next ordinary ones, and return them. `sent`: also the one that was sent, in
        front, or where it was overtaken behind what goes first."""
        if sent and self._steering:
            self._items.insert(self._first if is_overtaken else 0, self._steering)
            self._first += 1 if self._first and not is_overtaken else 0
            self._steering = None
        stopped = [each for each in self._items if each.steers]
        for prompt in stopped:
            prompt.steers = False
        return stopped

    def remove(self, prompt: Prompt) -> bool:
        """Remove this very prompt; False if it does not wait any more."""
        is_there = any(each is prompt for each in self._items)
        if is_there:
            self._drop(prompt)
        return is_there

    def _drop(self, prompt: Prompt) -> None:
        place = next(at for at, each in enumerate(self._items) if each is prompt)
        del self._items[place]
        self._first -= 1 if place < self._first else 0

    def place(self, prompt: Prompt) -> int:
        """Return the number of a queued prompt: 1 is the next one."""
        return 1 + next(index for index, each in enumerate(self._items) if each is prompt)

    # --- held and sent

    @property
    def is_owed(self) -> bool:
        """Whether the next prompt goes out even if the agent has ended the turn by itself, as on a rejection."""
        return bool(self._items) and (self._items[0].is_owed or self._items[0].steers)

    def hold(self) -> None:
        self._stopped, self._first = True, 0
        for prompt in (*self._items, self._steering):
            if prompt:
                prompt.is_owed = False

    def release(self) -> None:
        self._stopped = False

    def take(self) -> Prompt | None:
        """Return the next prompt that may be sent."""
        if self._stopped or not self._items:
            return None
        self._first = max(0, self._first - 1)
        return self._items.pop(0)

    def clear(self) -> list[str]:
        texts = self.texts
        self._items.clear()
        self._first = 0
        return texts

    def replace(self, prompts: Iterable[Prompt]) -> None:
        """Replace the queue by an edited one."""
        self._items = list(prompts)
        self._first = min(self._first, len(self._items))
