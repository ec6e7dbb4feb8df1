"""Joins the two halves of a call: what the agent tells of it, and what its server asks us. It is one line in the chat.

Most agents tell of a call just before or just after they make it, some never. So a line of ours is drawn only when it
has to be, or a moment after the call has ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from acp_nvim.editor_tools.catalogue import TOOLS
from acp_nvim.protocol import schema
from acp_nvim.session.own_tool import PREFIX, own_tool
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

_TITLE = ("path", "query", "symbol")  # arguments that stand in the title
# Seconds for the agent to tell of a call that has ended: opencode takes one on a busy machine.
_PATIENCE = 2.0
_numbers = count(1)


class Line:
    """The line of one call. `call` is what rules look at; it is in the chat once the agent has told of it, or `show`
    was called."""

    def __init__(self, lines: ChatLines, session: Session, tool: str, arguments: dict[str, Any]) -> None:
        self.tool = tool
        self.is_told = False  # by the agent: the line has its id
        self._lines, self._session, self._status = lines, session, "in_progress"
        self.call = ToolCall(0, f"neovim-{next(_numbers)}", time.monotonic())
        self.call.apply(_under_our_name(schema.ToolCallUpdate(self.call.id), f"{PREFIX}{tool}", arguments), 0)

    @property
    def is_shown(self) -> bool:
        return self.call.key > 0

    def show(self) -> ToolCall:
        """Return the call in the chat."""
        if not self.is_shown:
            known = self._session.transcript.calls.find(self.call.id) if self.is_told else None
            self._apply(self._status if known is None else None)
            shown = self._session.transcript.calls.find(self.call.id)
            assert shown
            self.call = shown
        return self.call

    def take_told(self, id: str) -> None:
        """The agent tells of the call now, by its own id."""
        self.is_told = True
        if self.is_shown:
            self._session.transcript.calls.rename(self.call, id)
        self.call.id = id

    def end(self, has_failed: bool) -> None:
        """End a call of which the agent has told nothing. Of others it says itself how they did."""
        self._status = "failed" if has_failed else "completed"
        if self.is_shown:
            self._late()
        elif not self.is_told:
            asyncio.get_running_loop().call_later(_PATIENCE, self._late)

    def settle(self) -> None:
        """End a call that waited for the user: until then the agent's own word about its end did not count."""
        if self.call.is_open and self._session.transcript.calls.find(self.call.id) is self.call:
            self._apply("completed")

    def _late(self) -> None:
        if self.is_told:
            return
        if not self.is_shown:
            self.show()
        elif self.call.is_open and not any(each.is_open for each in self.call.questions):
            self._apply(self._status)

    def _apply(self, status: str | None) -> None:
        # not announced, so that a word of the agent about it comes late and begins no other call
        update = schema.ToolCallUpdate(self.call.id, status=status)
        self._lines.apply(self._session, _under_our_name(update, self.call.name, self.call.raw_input))


class ChatLines:
    def __init__(self, touch: Callable[[Session], None]) -> None:
        self._touch = touch
        # calls that have both halves, by turn and id
        self._joined: WeakKeyDictionary[Session, set[tuple[int, str]]] = WeakKeyDictionary()
        # calls of this turn of which the agent has told nothing
        self._untold: WeakKeyDictionary[Session, tuple[int, list[Line]]] = WeakKeyDictionary()

    # --- what the agent tells

    def named(self, session: Session, update: schema.ToolCallUpdate) -> schema.ToolCallUpdate:
        """Return what an agent tells of a call under our name, if the call is for one of our tools."""
        told = own_tool(update)
        known = session.transcript.calls.meant(update, False)
        if known and known.name.startswith(PREFIX):
            arguments = told.arguments if told and told.is_sure else schema.UNSET
            if any(each.is_open and not each.is_agents for each in known.questions):
                # the agent was told to go on, and the change that the user looks at stays
                update = replace(update, status=None, content=None)
            return _under_our_name(update, known.name, arguments)
        if told and told.name in TOOLS and session.tools.is_reached:
            line = self._take_untold(session, told.name) if known is None else None
            if line:
                line.take_told(update.id)
                self._join(session, update.id)
                return _under_our_name(update, line.call.name, line.call.raw_input)
            if told.is_sure:
                return _under_our_name(update, f"{PREFIX}{told.name}", told.arguments)
        if (update.name or "").startswith(PREFIX):  # a tool of another server that is called like ours
            return replace(update, name=f"other {update.name}")
        return update

    def _take_untold(self, session: Session, tool: str) -> Line | None:
        waiting = self._waiting(session)
        found = next((line for line in waiting if line.tool == tool), None)
        if found:
            waiting.remove(found)
        return found

    def _waiting(self, session: Session) -> list[Line]:
        turn, waiting = self._untold.get(session, (-1, []))
        if turn != session.turn:
            waiting = []
            self._untold[session] = session.turn, waiting
        return waiting

    def _join(self, session: Session, id: str) -> None:
        self._joined.setdefault(session, set()).add((session.turn, id))

    # --- what its server asks

    def begin(self, session: Session, tool: str, arguments: dict[str, Any]) -> Line:
        """Return the line of a call that has come: that of which the agent has told, or else a new one."""
        line = Line(self, session, tool, arguments)
        joined = self._joined.get(session, set())
        known = [call for call in session.transcript.calls.of_turn() if _is_for(call, tool)]
        free = [call for call in reversed(known) if (session.turn, call.id) not in joined and call.is_open]
        call = next((each for each in free if each.raw_input == arguments), free[0] if free else None)
        if call:
            line.take_told(call.id)
            self._join(session, call.id)
            line.show()
        else:
            self._waiting(session).append(line)
        return line

    def apply(self, session: Session, update: schema.ToolCallUpdate) -> None:
        session.apply(update, time.monotonic())
        self._touch(session)


def _is_for(call: ToolCall, tool: str) -> bool:
    if call.name.startswith(PREFIX):
        return call.name == f"{PREFIX}{tool}"
    told = own_tool(schema.ToolCallUpdate(call.id, title=call.title, name=call.name))
    return told is not None and told.name == tool


def _under_our_name(update: schema.ToolCallUpdate, name: str, arguments: Any) -> schema.ToolCallUpdate:
    tool = TOOLS[name.removeprefix(PREFIX)]
    kind = "read" if tool.reads else "edit"
    title = None
    if isinstance(arguments, dict):
        given = [str(arguments[each]) for each in _TITLE if isinstance(arguments.get(each), str | int)]
        line = f":{arguments['line']}" if tool.name == "show" and "line" in arguments else ""
        title = f"{' '.join([name, *given[:2]])}{line}"
    elif not update.known:
        title = name
    return replace(update, name=name, title=title, kind=kind, raw_input=arguments)
