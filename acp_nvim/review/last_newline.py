"""The newline at the end of a file: a change of it alone leaves all lines as they are, and is a hunk of the last."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from acp_nvim.review.blocks import Author, new_id
from acp_nvim.review.patchwork import Hunk


class LastNewline:
    def __init__(self) -> None:
        self.was = True  # the last line had a newline
        self._hunk: Hunk | None = None

    def changed(self, was: bool, now: bool, last: str, author: Author) -> bool:
        """An agent has written the file; its last line is `last`, as before. False: nothing is pending that was not."""
        hunk = self._hunk
        if hunk and hunk.state == "pending" and hunk.old == (last,):
            self._hunk = None if now == self.was else replace(hunk, author=author) if was != now else hunk
        elif was != now:
            self.was = was
            self._hunk = Hunk(new_id(), author, "pending", 0, (last,), (last,))
        return self._hunk is not hunk

    def pending(self, count: int, last: str | None) -> list[Hunk]:
        """None where the last line is another one by now: then its newline is of whoever wrote it."""
        hunk = self._hunk
        if hunk is None or hunk.state != "pending" or hunk.old != (last,):
            return []
        if hunk.first != count - 1:
            self._hunk = hunk = replace(hunk, first=count - 1)
        return [hunk]

    @property
    def decided(self) -> list[Hunk]:
        return [self._hunk] if self._hunk and self._hunk.state != "pending" else []

    @property
    def note(self) -> str:
        return f"no newline at end {'now' if self.was else 'before'}"

    def owns(self, hunk: Hunk) -> bool:
        return self._hunk is not None and hunk.id == self._hunk.id

    def decide(self, ids: Collection[int], kept: bool) -> bool:
        """False: it is not among them."""
        hunk = self._hunk
        if hunk is None or hunk.id not in ids or hunk.state != "pending":
            return False
        self._hunk = replace(hunk, state="kept" if kept else "undone")
        return True
