"""Represents what the user has decided about one file of a proposal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from acp_nvim.files import disk
from acp_nvim.files.documents import DecidedBase
from acp_nvim.files.file_snapshot import Typed
from acp_nvim.messages.proposals import FileAnswer
from acp_nvim.proposals.proposed_file import ProposedFile
from acp_nvim.text.compare_decision import Taken, decide, taken
from acp_nvim.text.text_file import Text, split


@dataclass(slots=True, eq=False)
class Decision:
    """One file's part of a decision, which is `about` what the agent has asked for.

    `left` is the live text, `right` that with the whole proposal, `decided` what the user wants instead, and `saved`
    that without the lines that the user has not saved. None: there is, or shall be, no file; for `saved` also: it
    overlaps unsaved lines. `typed` is what of it is the user's.

        left       a b c d     the disk has a b c, the user has not saved d
        right      a B C d     the agent wants B for b and C for c
        decided    a B c d U   the user refuses C, and has typed U: mine is a b c d U
        saved      a B c U
    """

    path: str  # resolved
    about: ProposedFile
    left: str | None
    right: str | None
    decided: str | None
    saved: str | None = None
    written: frozenset[str | None] = frozenset()  # what the disk may hold once the agent has done it
    kind: Literal["all", "nothing", "mixed"] = "mixed"  # how much of the proposal it is
    typed: Typed | None = None
    takes_unsaved: bool = False  # unsaved lines make something else of what the agent writes
    settled: bool = False  # its write has come, or is not expected any more
    is_taken_back: bool = False
    through: bool = False  # by a write through us
    put: str | None = None  # what has been put on the disk in the place of the agent's write

    @classmethod
    def of(cls, file: ProposedFile, said: FileAnswer | None) -> Decision:
        """Make a decision of what the editor says; None: all of the proposal is taken."""
        path, change = disk.resolve(file.path), file.change
        if said is None:
            return cls(path, file, change.base, change.new, change.new, kind="all")
        like = file.disk if file.disk is not None else change.new or ""
        left, right, decided, mine, saved, written = (
            _shaped(like, text)
            for text in (said.left, said.right, said.decided, said.mine, said.saved, said.written)
        )
        kind, text = decide(left, right, decided)
        return cls(
            path=path,
            about=file,
            left=left,
            right=right,
            decided=text,
            saved=saved,
            written=change.written | ({right, *_empty(text)} if left is None else {written} - {None}),
            kind=kind,
            typed=Typed.of(left, mine),
            takes_unsaved=said.takes_unsaved,
        )

    @property
    def is_enforced(self) -> bool:
        """Whether the agent would write something else than the user wants."""
        return self.kind != "all" or self.takes_unsaved

    @property
    def taken(self) -> Taken:
        """Return how much of the proposal the user has taken. A change that has no place has no hunks."""
        found = taken(self.left, self.right, self.decided)
        has_place = self.kind != "all" or not self.about.change.problem
        return found if has_place else found._replace(whole=0, proposed=0)

    def is_proposal(self, content: str | None) -> bool:
        """Whether a write through us is the one that was proposed; None: the file goes."""
        if content is None:
            return self.right is None
        wanted = (*self.written, self.right)
        return any(text is not None and _lines(text) == _lines(content) for text in wanted)

    @property
    def on_disk(self) -> Text | None:
        """Return what the disk shall hold instead of the agent's own write; None: no file, or unsaved lines overlap
        it."""
        if self.deletes:
            return None
        text = self.saved if self.saved is not None else self.decided if self.left is None else None
        return None if text is None else split(text)

    @property
    def base(self) -> DecidedBase:
        """Return the text that the decision builds on: the whole proposal, if the agent has put that on the disk."""
        left = self.left or ""
        proposed = frozenset(text for text in self.written if text not in (None, self.about.disk))
        return DecidedBase(left, left if self.right is None else self.right, proposed)

    @property
    def deletes(self) -> bool:
        return self.decided is None


def _empty(decided: str | None) -> set[str]:
    """Return what a new file may hold that the user does not want: some agents make it before they write it."""
    return {""} if decided is None else set()


def _shaped(like: str, text: str | None) -> str | None:
    """Return the text with the line ends of the file."""
    if text is None:
        return None
    return replace(split(text), end=split(like).end).whole


def _lines(text: str) -> tuple[str, ...]:
    return split(text.removeprefix("\ufeff")).lines
