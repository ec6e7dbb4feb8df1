"""Models a compaction: the agent shortens its memory of the conversation, and may say what it keeps."""

from __future__ import annotations

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
