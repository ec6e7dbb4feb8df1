"""What the user has decided about one file of a proposal that the agent was then allowed to make."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_nvim.review.agents_view import Own, proposed
from acp_nvim.review.codec import Text, split
from acp_nvim.review.texts import join


@dataclass(slots=True, eq=False)
class Decision:
    """`left` is the live text of the moment of the decision, `right` that with the whole proposal, `decided` what the
    user wants instead. None: there is, or shall be, no such file."""

    path: str  # resolved
    left: str | None
    right: str | None
    decided: str | None
    disk: str | None  # what the disk held then
    written: frozenset[str | None] = field(
        default_factory=frozenset
    )  # what it holds once the agent has done it
    settled: bool = False  # its write has come, or is not expected any more
    is_taken_back: bool = False
    through: bool = False  # by a write through us
    put: str | None = None  # what has been put on the disk in the place of the agent's write

    @property
    def own(self) -> Own | None:
        """The agent's changes that the user has taken as they were proposed; None: all of them."""
        if self.decided == self.right:
            return None
        left, right = (split(text or "").lines for text in (self.left, self.right))
        return proposed(left, right)

    def is_proposal(self, merged: Text, live: Text) -> bool:
        """Whether a write that makes `merged` of the live text is the one that was proposed."""
        if self.right is None:
            return False
        expected = split(self.right) if self.left is None else rebased(self.left, live, self.right)
        return expected is not None and expected.lines == merged.lines

    def on_disk(self, now: str | None) -> Text | None:
        """What the disk shall hold in the place of `now`, the agent's own write; None: no file."""
        if self.decided is None or now is None or self.right is None or self.left == self.disk:
            return None if self.decided is None else split(self.decided)
        if self.left is not None and self.disk is not None:
            kept = rebased(self.left, split(self.disk), self.decided)  # unsaved lines stay unsaved
            if kept is not None:
                return kept
        return rebased(self.right, split(now), self.decided)

    def base(self, disk: str | None) -> str:
        """Of the decision, for the live text: an agent that writes both ways may have written the disk before."""
        is_there = disk is not None and disk in self.written and disk != self.disk
        return (self.right if is_there and self.right is not None else self.left) or ""

    @property
    def deletes(self) -> bool:
        return self.decided is None


def rebased(base: str | None, live: Text, text: str) -> Text | None:
    """What `text` makes of `base`, made of the live text; None: they overlap."""
    joined = join(base or "", live, text)
    return None if joined.overlaps else joined.ours
