"""Finds the tool calls of a transcript: by the agent's id, by what they show, by what they wait for.

Ids come again. `meant` says which call an update is about: the known one, or none yet, because it begins another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.tool_call import ToolCall, is_another


class CallIndex:
    def __init__(self) -> None:
        self._by_id: dict[str, ToolCall] = {}  # the newest last
        self._open: dict[int, ToolCall] = {}  # by key
        self._turn = 0  # counts turns, also those of a replay
        self._is_live = False  # a turn of ours is running

    # --- turns

    def begin_turn(self) -> None:
        self._turn += 1
        self._is_live = True

    def see_prompt(self) -> None:
        """Take notice of a prompt of the user. In a replay it begins a turn, because nothing else tells of it."""
        self._turn += not self._is_live

    def end_turn(self, how: str, now: float) -> list[ToolCall]:
        """Close the calls that the turn left open and return them."""
        self._is_live = False
        left = [call for call in self._open.values() if not call.stays]
        for call in left:
            call.leave(how, now)
            del self._open[call.key]
        return left

    def cancel(self) -> None:
        """Mark the open calls: the user cancels the turn, and agents call them failed then."""
        for call in self._open.values():
            call.is_cancelled = True

    # --- calls that come

    def meant(self, update: schema.ToolCallUpdate, asks: bool) -> ToolCall | None:
        """Return the call that an update is about; None if it begins one. `asks`: it comes with a permission."""
        call = self._by_id.get(update.id)
        if call is None or is_another(call, update, asks, call.turn != self._turn, self._is_live):
            return None
        return call

    def begin(self, key: int, id: str, now: float) -> ToolCall:
        """Make a call of this turn. An earlier one with the same id is not found by it any more."""
        self._by_id.pop(id, None)
        call = self._by_id[id] = ToolCall(key, id, now, turn=self._turn)
        return call

    def rename(self, call: ToolCall, id: str) -> None:
        """Give a call of ours the agent's id, because the agent tells of it now."""
        self._by_id.pop(call.id, None)
        call.id = id
        self._by_id[id] = call

    def add(self, call: ToolCall) -> None:
        self._by_id[call.id] = call
        self.track(call)

    def track(self, call: ToolCall) -> None:
        """Note whether a call is open, because it has changed."""
        if call.is_open:
            self._open[call.key] = call
        else:
            self._open.pop(call.key, None)

    def forget_ids(self, but: Iterable[ToolCall]) -> None:
        """Forget the agent's ids, except those of some calls."""
        self._by_id = {call.id: call for call in but}

    # --- looked up

    def find(self, id: str) -> ToolCall | None:
        return self._by_id.get(id)

    def recent(self) -> Iterator[ToolCall]:
        """Yield the recent calls, the latest first."""
        return islice(reversed(self._by_id.values()), limits.RECENT_CALLS)

    def latest(self, fits: Callable[[ToolCall], bool]) -> ToolCall | None:
        """Return the latest recent call that fits."""
        return next(filter(fits, self.recent()), None)

    def of_turn(self) -> Iterator[ToolCall]:
        """Yield the recent calls of this turn, the latest first."""
        return (call for call in self.recent() if call.turn == self._turn)

    def unasked(self) -> Iterator[ToolCall]:
        """Yield the open calls of this turn without a question, the latest first."""
        return (call for call in self.of_turn() if call.is_open and not call.questions)

    def showing(self, terminal_id: str) -> Iterator[ToolCall]:
        """Yield the recent calls that show a terminal."""
        return (
            call
            for call in self.recent()
            if any(
                isinstance(item, schema.TerminalRef) and item.terminal_id == terminal_id
                for item in call.content
            )
        )
