"""The three-way merge as it is served: of large texts beside the loop, where nobody else has to wait for it."""

from __future__ import annotations

from anyio import to_thread

from acp_nvim.review.codec import Text
from acp_nvim.review.texts import Joined, join

_MANY = 10_000  # lines of all: fewer are merged sooner than a thread has been woken
_MOST = 3_000_000  # beyond them nothing is merged: what differs is for the user to decide


async def merged(base: str | None, ours: Text, theirs: str) -> Joined:
    if base == ours.whole or not is_large(ours, theirs, base or ""):  # to count takes time, too
        return join(base, ours, theirs)
    return await to_thread.run_sync(_join, base, ours, theirs)


def is_large(ours: Text, *others: str) -> bool:
    return _lines(ours, *others) > _MANY


def _join(base: str | None, ours: Text, theirs: str) -> Joined:
    is_mergeable = base == ours.whole or _lines(ours, theirs, base or "") <= _MOST
    return join(base if is_mergeable else None, ours, theirs)


def _lines(ours: Text, *others: str) -> int:
    return len(ours.lines) + sum(text.count("\n") for text in others)
