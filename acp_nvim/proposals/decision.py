"""Represents what the user has decided about one file of a proposal: a text in the place of the proposed one.

    left       a b c d     the live text: the disk has a b c, the user has not saved d
    right      a B C d     the agent wants B for b and C for c
    decided    a B c d U   the user refuses C, and has typed U: mine is a b c d U
    saved      a B c U     the disk is to hold that

None: there is, or shall be, no file; for `saved` also: it overlaps unsaved lines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from acp_nvim.files import disk
from acp_nvim.files.file_snapshot import Typed
from acp_nvim.messages.proposals import FileAnswer
from acp_nvim.proposals.proposed_file import ProposedFile
from acp_nvim.text.compare_decision import Taken, decide, taken
from acp_nvim.text.text_file import split


class Sides(NamedTuple):
    """What a decision is about: the file as the agent wants it, over the text that the user had."""

    file: ProposedFile
    left: str | None
    right: str | None
    mine: str | None = None  # left with what the user has typed; None: nothing of it is the user's
    saved: str | None = None
    written: frozenset[str | None] = frozenset()  # what the disk may hold once the agent has done it
    takes_unsaved: bool = False  # unsaved lines make something else of what the agent writes


class Decision(NamedTuple):
    path: str  # resolved
    about: Sides
    decided: str | None

    @classmethod
    def of(cls, file: ProposedFile, said: FileAnswer | None) -> Decision:
        """Make a decision of what the editor says; None: all of the proposal is taken."""
        path, change = disk.resolve(file.path), file.change
        if said is None:
            return cls(path, Sides(file, change.base, change.new), change.new)
        like = file.disk if file.disk is not None else change.new or ""
        left, right, decided, mine, saved, written = (
            _shaped(like, text)
            for text in (said.left, said.right, said.decided, said.mine, said.saved, said.written)
        )
        _, decided = decide(left, right, decided)
        # some agents make a new file before they write it
        may_be = {right, *({""} if decided is None else ())} if left is None else {written} - {None}
        about = Sides(file, left, right, mine, saved, change.written | may_be, said.takes_unsaved)
        return cls(path, about, decided)

    @property
    def kind(self) -> Literal["all", "nothing", "mixed"]:
        """Return how much of the proposal the user has taken."""
        return decide(self.about.left, self.about.right, self.decided).kind

    @property
    def typed(self) -> Typed | None:
        return Typed.of(self.about.left, self.about.mine)

    @property
    def is_enforced(self) -> bool:
        """Whether the agent would write something else than the user wants."""
        return self.kind != "all" or self.about.takes_unsaved

    @property
    def taken(self) -> Taken:
        """Return how many hunks of the proposal the user has taken. A change that has no place has no hunks."""
        found = taken(self.about.left, self.about.right, self.decided)
        has_place = self.kind != "all" or not self.about.file.change.problem
        return found if has_place else found._replace(whole=0, proposed=0)


def _shaped(like: str, text: str | None) -> str | None:
    """Return the text with the line ends of the file."""
    if text is None:
        return None
    return replace(split(text), end=split(like).end).whole
