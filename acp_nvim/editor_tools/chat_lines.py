"""Joins the two halves of a call: what the agent tells of it, and what its server asks us. It is one line in the chat.

Most agents announce a call before they make it, some while or after they make it, some never.
"""

from __future__ import annotations

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
_numbers = count(1)


class ChatLines:
    def __init__(self, touch: Callable[[Session], None]) -> None:
        self._touch = touch
        # by the key of their entries: calls whose other half has come
        self._joined: WeakKeyDictionary[Session, set[int]] = WeakKeyDictionary()
        # calls that no agent has told of yet
        self._untold: WeakKeyDictionary[Session, list[ToolCall]] = WeakKeyDictionary()

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
            untold = known is None and self._take_untold(session, told.name)
            if untold:
                session.transcript.calls.rename(untold, update.id)
            if told.is_sure or untold:
                return _under_our_name(update, f"{PREFIX}{told.name}", told.arguments)
        if (update.name or "").startswith(PREFIX):  # a tool of another server that is called like ours
            return replace(update, name=f"other {update.name}")
        return update

    def _take_untold(self, session: Session, tool: str) -> ToolCall | None:
        waiting = self._untold.get(session, [])
        found = next((call for call in waiting if call.name == f"{PREFIX}{tool}"), None)
        if found:
            waiting.remove(found)
        return found

    # --- what its server asks

    def begin(self, session: Session, tool: str, arguments: dict[str, Any]) -> ToolCall:
        """Return the call that the agent has told of, or else a new one."""
        joined = self._joined.setdefault(session, set())
        known = [call for call in session.transcript.calls.of_turn() if _is_for(call, tool)]
        free = [call for call in reversed(known) if call.key not in joined and call.is_open]
        call = next((each for each in free if each.raw_input == arguments), free[0] if free else None)
        told = call is not None
        id = call.id if call else f"neovim-{next(_numbers)}"
        update = schema.ToolCallUpdate(id, known=told, status=None if told else "in_progress")
        self._apply(session, _under_our_name(update, f"{PREFIX}{tool}", arguments))
        made = session.transcript.calls.find(id)
        assert made
        joined.add(made.key)
        if not told:
            self._untold.setdefault(session, []).append(made)
        return made

    def end(self, session: Session, call: ToolCall, has_failed: bool) -> None:
        """End a call of which the agent has told nothing. Of others it says itself how they did."""
        if call in self._untold.get(session, ()) and call.is_open:
            status = "failed" if has_failed else "completed"
            self._apply(session, schema.ToolCallUpdate(call.id, status=status))

    def settle(self, session: Session, call: ToolCall) -> None:
        """End a call that waited for the user: until then the agent's own word about its end did not count."""
        if call.is_open and session.transcript.calls.find(call.id) is call:
            self._apply(session, schema.ToolCallUpdate(call.id, status="completed"))

    def forget_turn(self, session: Session) -> None:
        self._untold.pop(session, None)

    def _apply(self, session: Session, update: schema.ToolCallUpdate) -> None:
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
        title = " ".join([name, *given[:2]])
    elif not update.known:
        title = name
    return replace(update, name=name, title=title, kind=kind, raw_input=arguments)
