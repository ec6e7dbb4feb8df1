"""Adds chunks to the message or thought that they continue, until something else comes between."""

from __future__ import annotations

from acp_nvim.session.entries import Message, Thought


class GrowingText:
    """The text at the end of a transcript. `entry` is None where the next chunk begins another."""

    def __init__(self) -> None:
        self.entry: Message | Thought | None = None

    def add(self, role: str, text: str, message_id: str | None) -> bool:
        """Add a text, if it continues the last one. One without an id does; an id counts for all of its message."""
        entry = self.entry
        if entry is None or entry.role != role:
            return False
        if entry.message_id != message_id:
            if entry.message_id and message_id:
                return False
            entry.message_id = entry.message_id or message_id
        entry.parts.append(text)
        return True

    def end_thought(self, now: float) -> Thought | None:
        """End a thought and return it. A message may still go on behind the end of its turn."""
        entry = self.entry
        if not isinstance(entry, Thought):
            return None
        entry.ended = now
        self.entry = None
        return entry
