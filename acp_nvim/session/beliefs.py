"""What an agent believes of the files: the base on which it builds when it writes one.

It believes the whole text behind its last read, or its last content exactly as sent, never what became of it by a
merge or a formatter. Of a file that it never had from us it is taken to know what the disk held when its turn began.
"""

from __future__ import annotations

from collections.abc import Mapping


class Beliefs:
    """Of one session. Paths are resolved ones; None is the text of a file that was not there."""

    def __init__(self, now: int) -> None:
        self.turn_began = now  # on the clock of the file system
        self._texts: dict[str, str] = {}
        self._at_turn_start: Mapping[str, str | None] = {}

    def learn(self, path: str, text: str) -> None:
        self._texts[path] = text

    def begin_turn(self, now: int, texts: Mapping[str, str | None]) -> None:
        """`texts`: what was looked at now, because it could change before the agent asks for it."""
        self.turn_began = now
        self._at_turn_start = texts

    def base(self, path: str, on_disk: str | None, changed: int) -> str | None:
        """The text that a write of the agent builds on; None if nobody knows.

        A file that has not changed since the turn began is its own witness; otherwise somebody must have looked.
        """
        if path in self._texts:
            return self._texts[path]
        if path in self._at_turn_start:
            return self._at_turn_start[path] or ""
        return on_disk or "" if on_disk is None or changed < self.turn_began else None
