"""What an agent takes a file in review for: the text as the agent has last written it, without what the user has made
of it since.

    before      a b c
    the agent   a B c      its view: a B c
    the user    a b c d    takes the hunk back, and writes a line: that is told in the next prompt
    the agent   A b c d    its view: A B c, for nobody has told it yet
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_nvim.review.merge import merge3


class View(NamedTuple):
    left: list[str]  # without the agent's pending changes
    right: list[str]


class AgentsView:
    """One for each session that has changed the file."""

    def __init__(self) -> None:
        self._views: dict[int, View] = {}

    def written(self, session: int, was: Sequence[str], now: Sequence[str], base: Sequence[str]) -> None:
        """An agent has made `now` of `was`; `base` is that without all that is pending."""
        for other, view in [*self._views.items()]:
            self._views[other] = View(list(base), _carried(view.right, was, now))
        self._views.setdefault(session, View(list(base), list(now)))

    def tell(self, session: int, base: Sequence[str], now: Sequence[str]) -> View | None:
        """What its agent has known so far; from now on that is the text as it is."""
        view = self._views.get(session)
        if view:
            self._views[session] = View(list(base), list(now))
        return view


def _carried(view: list[str], was: Sequence[str], now: Sequence[str]) -> list[str]:
    if view == was:
        return list(now)
    merged = merge3(list(was), view, list(now))
    return list(now) if merged.overlaps else merged.lines("ours")
