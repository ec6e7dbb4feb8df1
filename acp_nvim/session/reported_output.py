"""Keeps the end of the output of an agent's own terminal, and counts all of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from acp_nvim import limits


class ReportedOutput:
    """Iterating yields the kept pieces; the length counts all output."""

    def __init__(self) -> None:
        self._pieces: deque[str] = deque()
        self._size = 0  # of what is kept
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def add(self, text: str) -> None:
        self._total += len(text)
        text = text[-limits.REPORTED_OUTPUT_CHARS :]
        self._size += len(text)
        if self._pieces and len(self._pieces[-1]) + len(text) <= limits.OUTPUT_PIECE_BYTES:
            self._pieces[-1] += text
        else:
            self._pieces.append(text)
        while self._size - len(self._pieces[0]) >= limits.REPORTED_OUTPUT_CHARS:
            self._size -= len(self._pieces.popleft())

    def since(self, position: int) -> str:
        """Return the output behind the first so many characters, as far as it is kept."""
        kept = "".join(self._pieces)
        return kept[max(0, len(kept) - (self._total - position)) :]
