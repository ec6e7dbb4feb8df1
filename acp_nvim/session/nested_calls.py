"""Keeps the calls of a subagent: they are shown within the entry that began it, folded to their number and the one that
runs.

tool_call a "Explore"            agent   Explore  ▸ grep TODO    3 calls
  tool_call b (parent a)                 unfolded, each has a line below
  tool_call c (parent a)
  tool_call d (parent c)         nested deeper, and counted by the same entry
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_nvim import limits

if TYPE_CHECKING:
    from acp_nvim.session.tool_call import ToolCall


class NestedCalls:
    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.current: ToolCall | None = None  # asks the user, or runs
        self._failed: set[int] = set()
        self._asking: dict[int, ToolCall] = {}  # by key

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def shown(self) -> list[ToolCall]:
        """Return the calls that have a row where the entry is unfolded: the last ones, and all that ask."""
        last = self.calls[-limits.SHOWN_STEPS :]
        return [*(call for call in self._asking.values() if call not in last), *last]

    @property
    def asking(self) -> list[ToolCall]:
        return list(self._asking.values())

    @property
    def failed(self) -> int:
        return len(self._failed)

    def add(self, call: ToolCall) -> None:
        self.calls.append(call)
        self.note_change(call)

    def note_change(self, call: ToolCall) -> None:
        """Bring what is known of a call up to date: whether it failed, asks, or is the current one."""
        has_failed = call.status == "failed" and not call.left
        (self._failed.add if has_failed else self._failed.discard)(call.key)
        if any(question.is_open for question in call.questions):
            self._asking[call.key] = call
        else:
            self._asking.pop(call.key, None)
        asking = next(iter(self._asking.values()), None)
        if asking or call.is_open:
            self.current = asking or call
        elif self.current is None or not self.current.is_open:
            last = self.calls[: -limits.SHOWN_STEPS : -1]
            self.current = next((each for each in last if each.is_open), None)
