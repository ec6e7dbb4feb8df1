"""What an agent believes of the files: the base on which it builds when it writes one.

It believes the whole text behind its last read, or its last content exactly as sent, never what became of it by a
merge or a formatter. Of a file that it never had from us it is taken to know what the disk held when its turn began.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Beliefs:
    """Of one session. Paths are resolved ones; None are the bytes of a file that was not there."""

    def __init__(self, now: int) -> None:
        self.turn_began = now  # on the clock of the file system
        self._texts: dict[str, str] = {}
        self._at_turn_start: Mapping[str, bytes | None] = {}

    def learn(self, path: str, text: str) -> None:
        self._texts[path] = text

    def begin_turn(self, now: int, looked_at: Mapping[str, bytes | None]) -> None:
        """`looked_at`: files as they are now, because they could change before the agent asks for them."""
        self.turn_began = now
        self._at_turn_start = looked_at

    def base(self, path: str, disk: bytes | None, changed: int, decode: Callable[[bytes], str]) -> str | None:
        """The text that a write of the agent builds on; None if nobody knows.

        A file that has not changed since the turn began is its own witness; otherwise somebody must have looked.
        """
        if path in self._texts:
            return self._texts[path]
        if path in self._at_turn_start:
            return decode(self._at_turn_start[path] or b"")
        return decode(disk or b"") if disk is None or changed < self.turn_began else None
