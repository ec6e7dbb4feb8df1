"""Keeps the subagents of one session: each is announced by `subagent_update`, and has a transcript of its own.

    on the wire, in session s                                in the chat of s
    subagent_update {sessionId c, title "Explore"}           agent   Explore
    session_message {sender s, recipient c}                    its body: what it was told
    in session c: tool_call, agent_message_chunk, …            its calls, and a transcript of its own
    session_message {sender c, recipient s}                    its body: what it has answered

A subagent of a subagent has a line of its own in the same chat. Ids of calls are unique in their session only, so the
calls of a subagent are kept under "c/id".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.protocol.schema import UNSET
from acp_nvim.session.subagent import SessionMessage, Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript


class SubagentRegistry:
    def __init__(self, transcript: Transcript, warn: Callable[[str], None]) -> None:
        self._transcript, self._warn = transcript, warn
        self._by_id: dict[str, Subagent] = {}
        self._messages: dict[tuple[str, str], SessionMessage] = {}  # by session and id
        self._is_full = False

    def get(self, session_id: str | None) -> Subagent | None:
        return self._by_id.get(session_id or "")

    def shapes(self) -> list[dict[str, Any]]:
        return [child.shape() for child in self._by_id.values()]

    def clear(self) -> None:
        """Forget all of them, because the transcript begins again."""
        self._by_id.clear()
        self._messages.clear()

    def cancel(self) -> None:
        """Take notice that the user cancels the turn."""
        for child in self._by_id.values():
            child.transcript.calls.cancel()

    def end(self, now: float) -> None:
        """Close what they were doing, because their agent has ended."""
        for child in self._by_id.values():
            if child.is_running:
                child.state = None
                child.transcript.end_turn(now)
                self._transcript.touch(child)

    # --- what the agent says of them

    def announce(self, parent: str, update: schema.SubagentUpdate, now: float) -> None:
        """Add the child that a session has begun, or change what is known of it. It keeps its parent."""
        child = self._by_id.get(update.id) or self._add(parent, update.id)
        if child is None:
            return
        child.describe(update)
        if update.state is not UNSET:
            self._set_state(child, update.state, update.stop_reason, now)
        self._transcript.touch(child)

    def _add(self, parent: str, id: str) -> Subagent | None:
        if len(self._by_id) >= limits.SUBAGENTS:
            if not self._is_full:
                self._warn(
                    f"the agent started more than {limits.SUBAGENTS} subagents: the others are not shown"
                )
            self._is_full = True
            return None
        child = self._by_id[id] = self._transcript.subagent(id, parent)
        return child

    def _set_state(self, child: Subagent, state: str | None, stop_reason: str | None, now: float) -> None:
        """Set the state. A turn of the child begins when it runs, and ends when it does not run any more."""
        was_running = child.is_running
        child.state, child.stop_reason = state, stop_reason
        if child.is_running and not was_running:
            child.transcript.begin_turn()
        elif was_running and not child.is_running:
            for call in child.transcript.end_turn(now, stop_reason == "cancelled"):
                child.nested.note_change(call)

    # --- what they say and do

    def apply(self, child: Subagent, update: schema.Update, now: float) -> ToolCall | None:
        """Apply an update of the child's own session; return the tool call that it was about."""
        match update:
            case schema.Chunk():
                child.transcript.chunk(update, now)
            case schema.PlanUpdate():
                child.transcript.plan(update)
            case schema.NoticeUpdate():
                child.transcript.note(update.level, update.text)
            case schema.CompactionUpdate():
                child.transcript.compaction(update)
            case schema.SubagentUpdate():
                self.announce(child.id, update, now)
            case schema.SessionMessageUpdate():
                self.message(child.id, update)
            case schema.ToolCallUpdate():
                return self._apply_tool(child, update, now)
        return None

    def _apply_tool(self, child: Subagent, update: schema.ToolCallUpdate, now: float) -> ToolCall:
        parent = update.parent and child.call_id(update.parent)
        update = replace(update, id=child.call_id(update.id), parent=parent)
        before = child.transcript.calls.find(update.id)
        call = child.transcript.tool(update, now)
        if call is before:
            child.nested.note_change(call)
        else:
            child.nested.add(call)
        self._transcript.touch(child, urgent=False)
        return call

    # --- what they are told, and answer

    def message(self, session_id: str, update: schema.SessionMessageUpdate) -> None:
        """Apply a message between two sessions, as one of them sees it."""
        message = self._messages.get((session_id, update.id))
        if message is None:
            if len(self._messages) >= limits.SESSION_MESSAGES:
                return
            message = self._messages[session_id, update.id] = SessionMessage()
        if update.sender is not UNSET:
            message.sender = update.sender
        if update.recipient is not UNSET:
            message.recipient = update.recipient
        before = message.text
        if update.grows:
            message.add(str(update.text))
        elif update.text is not UNSET:
            message.text = ""
            message.add(str(update.text or ""))
        self._show_message(session_id, update.id, message, before)

    def _show_message(self, session_id: str, id: str, message: SessionMessage, before: str) -> None:
        """Show a message below the line of the child that it is to or from. One that a child exchanges with a session
        other than its children is added to the child's own transcript. `before`: its text until now."""
        other = message.recipient if message.sender == session_id else message.sender
        child = self._by_id.get(other or "")
        if child and child.parent == session_id:
            child.messages[id] = message
            self._transcript.touch(child, urgent=False)
        elif (child := self._by_id.get(session_id)) and message.text != before:
            new = message.text.removeprefix(before)
            role: schema.Role = "agent" if message.sender == session_id else "user"
            child.transcript.chunk(schema.Chunk(role, new, None, id), 0.0)
