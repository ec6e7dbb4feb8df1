"""The calls of a subagent: shown within the entry that began it, folded to their number and the one under way.

tool_call a "Explore"            agent   Explore  ▸ grep TODO    3 calls
  tool_call b (parent a)                 unfolded, each has a line below
  tool_call c (parent a)
  tool_call d (parent c)         nested deeper, and counted by the same entry
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_nvim import limits

if TYPE_CHECKING:
    from acp_nvim.session.tool_call import ToolCall


class Steps:
    def __init__(self) -> None:
        self.count = 0
        self.last: deque[ToolCall] = deque(maxlen=limits.SHOWN_STEPS)
        self.current: ToolCall | None = None  # asks the user, or runs
        self._failed: set[int] = set()
        self._asking: dict[int, ToolCall] = {}  # by key; one of them may be older than `last`

    def __iter__(self) -> Iterator[ToolCall]:
        """Return those that can be shown, in order: all that ask, and the last ones."""
        older = [call for key, call in self._asking.items() if not self.last or key < self.last[0].key]
        return iter([*older, *self.last])

    @property
    def failed(self) -> int:
        return len(self._failed)

    @property
    def asking(self) -> Iterator[ToolCall]:
        return iter(self._asking.values())

    def add(self, call: ToolCall) -> None:
        self.count += 1
        self.last.append(call)
        self.look(call)

    def look(self, call: ToolCall) -> None:
        """Take notice of a call that has changed."""
        (self._failed.add if call.status == "failed" else self._failed.discard)(call.key)
        if any(question.is_open for question in call.questions):
            self._asking[call.key] = call
        else:
            self._asking.pop(call.key, None)
        asking = next(iter(self._asking.values()), None)
        if asking or call.is_open:
            self.current = asking or call
        elif self.current is None or not self.current.is_open:
            self.current = next((each for each in reversed(self.last) if each.is_open), None)
