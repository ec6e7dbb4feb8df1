"""Models compactions: the agent shortens its memory of the conversation, and may say what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from acp_nvim.protocol.schema import UNSET, CompactionUpdate


@dataclass(slots=True, eq=False)
class Compaction:
    """The entry of a compaction. Later updates change it in place."""

    speaker: ClassVar[str | None] = None
    key: int
    status: str = "in_progress"
    summary: str = ""
    error: str = ""

    def apply(self, update: CompactionUpdate) -> None:
        """Apply an update. Without a status it is a piece of the summary; else given fields replace, null clears."""
        if update.status is None:
            self.summary += update.summary if isinstance(update.summary, str) else ""
            return
        self.status = update.status
        if update.summary is not UNSET:
            self.summary = update.summary or ""
        if update.error is not UNSET:
            self.error = update.error or ""


class Compactions:
    """Those of a transcript, by the agent's ids."""

    def __init__(self, add: Callable[[], Compaction]) -> None:
        self._add = add  # makes an entry
        self._by_id: dict[str, Compaction] = {}

    def clear(self) -> None:
        self._by_id.clear()

    def apply(self, update: CompactionUpdate) -> Compaction:
        """Apply an update to its compaction, which begins with the first one."""
        entry = self._by_id.get(update.id)
        if entry is None:
            entry = self._by_id[update.id] = self._add()
        entry.apply(update)
        return entry
