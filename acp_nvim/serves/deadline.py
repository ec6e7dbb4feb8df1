"""An end to what Python itself would not end: a regular expression may take longer than the universe has left."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SECONDS = 0.05  # the backend stands still meanwhile; a match of four kibibytes takes a thousandth of it


@contextmanager
def deadline(seconds: float = _SECONDS) -> Iterator[None]:
    """Raises TimeoutError within it. For the main thread, where the backend lives."""
    armed = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise TimeoutError(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
