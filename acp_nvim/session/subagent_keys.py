"""Gives keys to what subagents do, and finds it by them: none of it is among the entries of the chat.

    entry of the chat                      key 3
    call nested within a call              key -1, the next -2
    entry of the first subagent            key TRANSCRIPT_KEYS + 3
    call nested within one of its calls    key -TRANSCRIPT_KEYS - 1

A transcript that begins again does not reuse its keys, so an old key finds nothing else.
"""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.session.entries import Entry
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall


class SubagentKeys:
    """`base` is that of the transcript that they belong to, see `next_base`."""

    def __init__(self, base: int) -> None:
        self.calls: dict[int, ToolCall] = {}  # nested within entries, in the order in which they came
        self._subagents: dict[int, Subagent] = {}  # by the number of their base
        self._last_call = -base
        self._last_base = 0

    def clear(self) -> None:
        self.calls.clear()
        self._subagents.clear()

    def next_call(self) -> int:
        """Return the key of the next nested call."""
        self._last_call -= 1
        return self._last_call

    def add_call(self, call: ToolCall) -> None:
        self.calls[call.key] = call

    def next_base(self) -> int:
        """Return the number below the keys of the next subagent's transcript."""
        self._last_base += 1
        return self._last_base * limits.TRANSCRIPT_KEYS

    def add_subagent(self, child: Subagent) -> None:
        self._subagents[self._last_base] = child

    def find(self, key: int) -> Entry | None:
        """Return what has the key; None if it is that of an entry of the chat, or of none."""
        if key in self.calls:
            return self.calls[key]
        child = self._owner(key)
        return child.transcript.entry(key) if child else None

    def home(self, entry: Entry) -> Entry:
        """Return the entry of the chat within which another one is shown, or the entry itself."""
        if isinstance(entry, ToolCall) and entry.root:
            entry = entry.root
        return self._owner(entry.key) or entry

    def _owner(self, key: int) -> Subagent | None:
        return self._subagents.get(abs(key) // limits.TRANSCRIPT_KEYS)
