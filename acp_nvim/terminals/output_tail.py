"""Keeps the last bytes of an output, cut between characters."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Sequence

from acp_nvim import limits

_LONGEST = 3  # bytes of a character after its first


class Tail:
    """Keeps the last `limit` bytes of the output, and counts all of them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._pieces: deque[bytes] = deque()
        self._size = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        data = _end(data, self.limit)
        self._size += len(data)
        if self._pieces and len(self._pieces[-1]) + len(data) <= limits.OUTPUT_PIECE_BYTES:
            self._pieces[-1] += data
        else:
            self._pieces.append(data)
        while self._pieces and self._size - len(self._pieces[0]) >= self.limit:
            self._size -= len(self._pieces.popleft())

    @property
    def kept(self) -> int:
        return self._size

    def shrink(self, limit: int) -> None:
        """Lower the limit."""
        if limit < self.limit:
            data = _end(self._bytes(), limit)
            self.limit, self._size, self._pieces = limit, len(data), deque([data])

    def text(self, ended: bool) -> tuple[str, bool]:
        """Return a text of at most `limit` bytes, and whether that is less than all. A character whose end has not come
        is not there yet; bytes that are no text become U+FFFD, which may be more bytes than they were."""
        cut = self.total > self.limit
        data = self._bytes()
        text, _ = codecs.utf_8_decode(_from_boundary(data) if cut else data, "replace", ended)
        if "\ufffd" not in text or len(encoded := text.encode()) <= self.limit:
            return text, cut
        return _from_boundary(_end(encoded, self.limit)).decode(), True

    def since(self, position: int, most: int) -> tuple[int, bytes]:
        """Return the bytes behind the first `position`, at most so many, and where they begin, which may be later."""
        first = max(position, self.total - min(self._size, self.limit))
        at = len(data := self._bytes()) - (self.total - first)
        return first, data[at : at + most]

    def _bytes(self) -> bytes:
        return _end(b"".join(self._pieces), self.limit)


def bound(tails: Sequence[Tail], most: int) -> None:
    """Limit the bytes of all tails together. The oldest, which come first, are emptied; newer ones keep a little."""
    for tail in tails[: -limits.ENDED_TERMINALS]:
        tail.shrink(0)
    too_many = sum(tail.kept for tail in tails) - most
    for tail in tails[-limits.ENDED_TERMINALS :]:
        if too_many <= 0:
            return
        before = tail.kept
        tail.shrink(limits.ENDED_TERMINAL_BYTES)
        too_many -= before - tail.kept


def _end(data: bytes, size: int) -> bytes:
    return data[len(data) - size :] if len(data) > size else data


def _from_boundary(data: bytes) -> bytes:
    """Drop the rest of a character whose beginning is lost."""
    start = 0
    while start < min(_LONGEST, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:] if start else data
