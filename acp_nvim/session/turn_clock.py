"""Measures how long a turn takes, without the time in which the user was asked something."""

from __future__ import annotations


class TurnClock:
    def __init__(self) -> None:
        self._began: float | None = None
        self._waited = 0.0
        self._asked_at: float | None = None

    def begin(self, now: float) -> None:
        self._began, self._waited, self._asked_at = now, 0.0, None

    def wait(self, now: float, *, is_asking: bool) -> None:
        """Take notice of whether a question is open."""
        if self._asked_at is not None:
            self._waited += max(0.0, now - self._asked_at)
        self._asked_at = now if is_asking else None

    def end(self, now: float) -> float:
        """Return how many seconds the turn took."""
        self.wait(now, is_asking=False)
        began, self._began = self._began, None
        return 0.0 if began is None else max(0.0, now - began - self._waited)
