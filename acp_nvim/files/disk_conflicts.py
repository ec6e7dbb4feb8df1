"""Asks the user about files whose change on disk overlaps unsaved lines: one question a file, until it is decided.

No request of the agent waits for it, so the question outlives turns and cancels. If the disk changes again the question
is renewed, and what the user has merged so far is kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from acp_nvim.files import conflict_diff
from acp_nvim.files.conflict_question import Begun, Conflict, Conflicts, Merge, note_on, plain, shown
from acp_nvim.files.documents import Overlap, Settled
from acp_nvim.files.file_snapshot import ChangeAuthor, FileStamp
from acp_nvim.messages.proposals import Proposal
from acp_nvim.text.text_file import split

_APART = "the agent changed lines on disk that have unsaved changes"
_KEPT = "your unsaved lines stay: nobody resolved the conflict with the agent's lines on disk"

Sync = Callable[[str, str | None, Settled, ChangeAuthor], Awaitable[object]]


@dataclass(slots=True, eq=False)
class _Asked:
    by: ChangeAuthor
    earlier: str | None  # what the disk held before all of it
    apart: Overlap
    conflict: Conflict


class DiskConflicts:
    """The open questions. `sync` lets the buffer take up the disk's text and the user's decision."""

    def __init__(self, conflicts: Conflicts, sync: Sync) -> None:
        self._conflicts, self._sync = conflicts, sync
        self._open: dict[str, _Asked] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._open

    def earlier(self, path: str, text: str | None) -> str | None:
        """Return the disk's text that the buffer last agreed with; `text` if no question is open."""
        asked = self._open.get(path)
        return asked.earlier if asked else text

    def stamp(self, path: str) -> FileStamp | None:
        """Return the stamp of the file that the open question is about."""
        asked = self._open.get(path)
        return asked.apart.disk if asked else None

    async def ask(self, by: ChangeAuthor, path: str, earlier: str | None, apart: Overlap) -> None:
        """Ask until the user has decided. A question that is open is renewed."""
        if asked := self._open.get(path):
            return await self._renew(asked, apart)
        asked = self._open[path] = _Asked(by, earlier, apart, _conflict(path, apart))
        try:
            while settled := await self._decide(asked):
                found = await self._sync(path, earlier, settled, by)
                if not isinstance(found, Overlap):
                    return
                self._begin_again(asked, settled, found)
        finally:
            del self._open[path]

    def settle(self, path: str) -> None:
        """Close the question: the user has saved, or the agent has taken its change back."""
        asked = self._open.get(path)
        question = asked and asked.conflict.question
        if asked and question and asked.by.session.questions.end(question, None, "agent"):
            self._conflicts.touch(asked.by.session)

    async def _decide(self, asked: _Asked) -> Settled | None:
        session, conflict = asked.by.session, asked.conflict
        note = note_on(_APART, asked.apart.coarse)
        merge, by = await self._conflicts.ask(session, conflict, note, stays=True)
        if by == "agent":
            return None
        if by != "user":
            session.transcript.note("info", f"{os.path.basename(conflict.path)}: {_KEPT}")
        merge = merge or Merge(asked.apart.mine)
        return Settled(asked.apart, merge.text, merge.typed)

    def _begin_again(self, asked: _Asked, settled: Settled, found: Overlap) -> None:
        """Make a new question: the disk has changed again before the decision was carried out."""
        before, asked.apart = asked.conflict, found
        asked.conflict = _conflict(before.path, found)
        if before.merged is not None:
            asked.conflict.begun = Begun(before.agents, settled.text)

    async def _renew(self, asked: _Asked, found: Overlap) -> None:
        """Update the question to what the disk holds now."""
        question = asked.conflict.question
        if question is None or not question.is_open or asked.apart.disk == found.disk:
            return
        conflict, fresh = asked.conflict, _conflict(asked.conflict.path, found)
        asked.apart = found
        conflict.mine, conflict.agents = fresh.mine, fresh.agents
        asked.by.session.apply(shown(question, conflict), time.monotonic())
        self._conflicts.touch(asked.by.session)
        self._conflicts.editor.notify(Proposal(conflict_diff.payload(question, conflict, renews=True)))


def _conflict(path: str, apart: Overlap) -> Conflict:
    return Conflict(path, plain(split(apart.mine)), plain(split(apart.agents)))
