"""What the user has decided about one file of a proposal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acp_nvim.files import disk
from acp_nvim.messages.commands import FileAnswer
from acp_nvim.proposals.decision import Decision
from acp_nvim.proposals.proposed_file import ProposedFile
from acp_nvim.text.decision_report import decide
from acp_nvim.text.hunk_count import taken
from acp_nvim.text.text_file import split


@dataclass(slots=True)
class AnsweredFile:
    """Texts of the moment of the decision, None where there is no file: `left` the live text, `right` that with all of
    the proposal, `decided` what the user wants instead."""

    path: str
    real_path: str
    kind: str  # "all", "nothing", "mixed"
    left: str | None = None
    right: str | None = None
    decided: str | None = None
    hunks: tuple[int, int] = (0, 0)  # those that are taken as they were proposed, and all
    decision: Decision | None = None  # None: what the agent writes is what the user wants
    takes_unsaved: bool = False

    @classmethod
    def of(cls, file: ProposedFile, said: FileAnswer | None) -> AnsweredFile:
        """`said` by the editor; None: all of the proposal is taken."""
        real = disk.resolve(file.path)
        if said is None:
            base, new = file.change.base, file.change.new
            hunks = (0, 0) if file.change.problem else taken(base, new, new)
            return cls(file.path, real, "all", hunks=hunks)
        like = file.disk if file.disk is not None else file.change.new or ""
        left, right, decided, saved = (
            _shaped(like, text) for text in (said.left, said.right, said.decided, said.saved)
        )
        kind, text = decide(left, right, decided)
        takes_unsaved = kind == "all" and said.takes_unsaved
        answered = cls(file.path, real, kind, left, right, text, taken(left, right, text))
        answered.takes_unsaved = takes_unsaved
        if kind != "all" or takes_unsaved:
            written = {*file.change.written, *([right] if left == file.disk else [])}
            answered.decision = Decision(real, left, right, text, saved, file.disk, frozenset(written))
        return answered


def _shaped(like: str, text: str | None) -> str | None:
    """With the line ends of the file."""
    if text is None:
        return None
    return replace(split(text), end=split(like).end).whole
