"""Follows where the agent works: the newest place that it named, read or wrote, a few times a second at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.tool_paths import named

_PACE = 0.2  # seconds between two jumps: more often, nobody could read along
_LINES = ("line", "start_line", "startLine", "line_number", "offset")  # in raw input, from 1


class Place(NamedTuple):
    """`line` counts from 1; None if the agent named none."""

    path: str
    line: int | None = None


@dataclass(slots=True)
class LocationFollower:
    """Takes the places that an agent names. Of places that come too fast only the newest is shown."""

    cwd: str
    _named: dict[str, Place] = field(default_factory=dict)  # the last one of each tool call
    _missing: dict[str, Place] = field(default_factory=dict)  # of tool calls: of no file that existed then
    _waiting: list[tuple[str | None, Place]] = field(default_factory=list)
    _taken: float = float("-inf")

    def tool(self, update: schema.ToolCallUpdate) -> None:
        """Take the new places of a call. A file that the call creates is shown when the call has ended."""
        place = self._place(update)
        if place and place != self._named.get(update.id):
            self._named[update.id] = place
            self._waiting.append((update.id, place))
        elif update.status == "completed" and (late := self._missing.pop(update.id, None)):
            self._waiting.append((update.id, late))

    def touch(self, path: str, line: int | None = None) -> None:
        """Take the place of a finished read or write."""
        self._waiting.append((None, Place(path, None if line is None else max(1, line))))

    def ready_at(self) -> float | None:
        """Return the time from which `take` may return a place; None if nothing waits."""
        return self._taken + _PACE if self._waiting else None

    def take(self, now: float, exists: Callable[[str], bool]) -> Place | None:
        """Return the newest place in an existing file, unless it comes too soon after the last one."""
        if now < self._taken + _PACE:
            return None
        waiting, self._waiting = self._waiting, []
        for call, place in reversed(waiting):
            if exists(place.path):
                self._taken = now
                return place
            if call:
                self._missing[call] = place
        return None

    def _place(self, update: schema.ToolCallUpdate) -> Place | None:
        """Return the last location; for agents that send none, the place in diffs or raw input."""
        if update.locations:
            last = update.locations[-1]
            return self._absolute((last,), None, None, last.line)
        if update.id in self._named:
            return None
        raw = None if update.raw_input is schema.UNSET else update.raw_input
        return self._absolute(None, update.content, raw, _line(raw))

    def _absolute(self, locations: Any, content: Any, raw: Any, line: int | None) -> Place | None:
        paths = named(locations, content, raw, self.cwd)
        return Place(paths[-1], None if line is None else max(1, line)) if paths else None


def _line(raw: Any) -> int | None:
    """Return the first number that can be a line."""
    said = (raw.get(name) for name in _LINES) if isinstance(raw, dict) else ()
    numbers = (line for line in said if isinstance(line, int) and not isinstance(line, bool))
    return next((line for line in numbers if line <= limits.LINE_NUMBER), None)
