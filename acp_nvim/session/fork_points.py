"""Finds where a session can be forked: at a message of the agent, or at a point that it names at the end of a turn.

You    one
agent  First.     message m1       a fork here, or at "two", ends behind m1
You    two
agent  Second.    message m2
"""

from __future__ import annotations

from acp_nvim.session.entries import Message
from acp_nvim.session.transcript import Transcript


def find(transcript: Transcript, key: int, by_message: bool) -> str | None:
    """Return the last point at or above an entry: the id of a message, or else what the agent has named."""
    entry = transcript.entry(key)
    at = transcript.index(transcript.subagent_keys.home(entry).key) if entry else None
    for above in reversed(transcript.entries[: 0 if at is None else at + 1]):
        if isinstance(above, Message) and above.role == "agent":
            point = above.message_id if by_message else above.branch_point
            if point:
                return point
    return None


def mark(transcript: Transcript, point: str) -> None:
    """Note what the agent names at the end of a turn: there ends its last message."""
    last = next((entry for entry in reversed(transcript.entries) if isinstance(entry, Message)), None)
    if last and last.role == "agent":
        last.branch_point = point
