"""Converts a transcript to wire messages that `replay` can play: about one for each entry, with joined chunks. Each
call of `lines` returns what was added or changed since the last one.

    entry of the transcript            line
    the prompt                         -> session/prompt, id 3
    message of the agent, its chunks   <- agent_message_chunk with all of them; later ones get a line of their own
    tool call                          <- tool_call; tool_call_update when it has changed, and with its end
    its question, once answered        <- session/request_permission, -> the answer
    (the turn has ended)               <- the answer of 3 with the stop reason
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from acp_nvim.history import encode_entry
from acp_nvim.history.encode_entry import Terminal
from acp_nvim.protocol import schema, steering
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.entries import AgentContext, Entry, Message, Note, Placeholder, Report, Thought
from acp_nvim.session.plan import Plan
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall

Line = dict[str, Any]
_ROLES = {"user": "user_message_chunk", "agent": "agent_message_chunk"}


class TranscriptMessages:
    def __init__(self, session: Session, terminal: Terminal) -> None:
        self._session, self._terminal = session, terminal
        self.begun = session.transcript.begun
        self._id = session.id or session.memory or "session"
        self._next = 0  # the first entry that has not been told
        self._nested = 0  # calls of subagents that have been told
        self._parts = 0  # of the entry before that
        # entries of this turn that may change in place, as they were told
        self._changing: dict[int, tuple[object, ...]] = {}
        # the same of calls, as far as it counts in the middle of a turn
        self._settled: dict[int, tuple[bool, int]] = {}
        self._pieces: dict[tuple[int, str], int] = {}  # of terminals of the agent's own, that have been told
        self._said: dict[tuple[int, str], str] = {}  # messages to and from subagents, as they were told
        self._asked: set[int] = set()
        self._requests = 0
        self._open: str | None = None  # the prompt that has no answer yet
        self._stop = "end_turn"
        self.is_cut = False  # the turn was ended with us: its prompt gets no answer
        self._clock = self._first = 0.0

    def lines(self, now: float, in_passing: bool = False) -> list[Line]:
        """Return new lines. `in_passing`, often in the middle of a turn: of a tool call only its begin and its end."""
        changed = self._ended_calls if in_passing else self._changed
        if not self._requests:
            self._first = self._clock = now
            return [*self._head(), *self._rest(now, changed)]
        return list(self._rest(now, changed))

    # --- requests and turns around the entries

    def _head(self) -> Iterator[Line]:
        facts, session = self._session.facts, self._session
        title = session.agent_title
        # not the agent's name: the messages are in the standard dialect
        info = {"name": "transcript", "title": title, "version": facts.get("agent_version") or ""}
        yield from self._asks("initialize", {"protocolVersion": 1}, {"protocolVersion": 1, "agentInfo": info})
        place = {"cwd": session.cwd, "mcpServers": [], **encode_entry.further_folders(session)}
        yield from self._asks("session/new", place, {"sessionId": self._id})

    def _asks(self, method: str, params: Any, result: Any) -> Iterator[Line]:
        id = self._request()
        yield self._line("->", {"id": id, "method": method, "params": params})
        yield self._line("<-", {"id": id, "result": result})

    def _request(self) -> str:
        self._requests += 1
        return str(self._requests)

    def _rest(self, now: float, changed: Callable[[], Iterator[Line]]) -> Iterator[Line]:
        yield from changed()
        entries = self._session.transcript.entries
        if self._next:
            yield from self._grown(entries[self._next - 1])
        while self._next < len(entries):
            entry = entries[self._next]
            self._next += 1
            self._parts = len(entry.parts) if isinstance(entry, Message | Thought | AgentContext) else 0
            yield from self._told(entry)
        nested = islice(self._session.transcript.subagent_keys.calls.values(), self._nested, None)
        for call in nested:
            self._nested += 1
            yield from self._told(call)
        self._clock = max(self._clock, now)
        if not self._session.in_turn and not self.is_cut:
            yield from self._ended()

    def _changed(self) -> Iterator[Line]:
        """Tell entries of this turn again that look different now."""
        for key, was in list(self._changing.items()):
            entry = self._session.transcript.entry(key)
            if entry is not None and _looks(entry, self._terminal) != was:
                yield from self._told(entry)

    def _ended_calls(self) -> Iterator[Line]:
        """Tell calls again that have ended, or one of whose questions has."""
        for key, was in list(self._settled.items()):
            call = self._session.transcript.entry(key)
            if isinstance(call, ToolCall) and _settled(call) != was:
                yield from self._told(call)

    def _grown(self, entry: Entry) -> Iterator[Line]:
        """Tell what has been added to the last entry since it was told."""
        if isinstance(entry, Message | Thought) and len(entry.parts) > self._parts:
            more, self._parts = "".join(entry.parts[self._parts :]), len(entry.parts)
            yield self._chunk(entry, more)
        if isinstance(entry, AgentContext):
            known, self._parts = self._parts, len(entry.parts)
            yield from self._context(entry, known)
        if isinstance(entry, Thought):
            self._clock = max(self._clock, entry.ended or 0.0)

    def _ended(self) -> Iterator[Line]:
        """Answer the prompt that is open: its turn has ended."""
        if self._open:
            yield self._line("<-", {"id": self._open, "result": {"stopReason": self._stop}})
            self._open, self._stop = None, "end_turn"

    # --- entries

    def _told(self, entry: Entry) -> Iterator[Line]:
        if isinstance(entry, ToolCall | Subagent | Plan | Compaction):
            self._changing[entry.key] = _looks(entry, self._terminal)
        is_known = entry.key in self._settled
        if isinstance(entry, ToolCall):
            self._settled[entry.key] = _settled(entry)
        match entry:
            case Message(steered=True) | Report(steered=True):
                params = {"sessionId": self._id, "prompt": self._blocks(entry)}
                yield from self._asks(steering.METHOD, params, {"outcome": "injected"})
            case Report(is_replayed=True):
                id = {"messageId": entry.message_id} if entry.message_id else {}
                content = {"type": "text", "text": "".join(entry.parts)}
                yield self._update({"sessionUpdate": _ROLES["user"], "content": content, **id})
            case Message(prompt=True) | Report():
                yield from self._prompt(entry)
            case Message():
                yield self._chunk(entry, "".join(entry.parts))
            case AgentContext():
                yield from self._context(entry)
            case Thought():
                self._clock = max(self._clock, entry.started)
                yield self._chunk(entry, "".join(entry.parts))
                self._clock = max(self._clock, entry.ended or 0.0)
            case Placeholder():
                tag = _ROLES[entry.role]
                yield self._update({"sessionUpdate": tag, "content": encode_entry.block(entry.block)})
            case ToolCall():
                yield from self._tool(entry, is_known)
            case Subagent():
                yield from self._subagent(entry)
            case Plan():
                yield from map(self._update, encode_entry.plan(entry))
            case Compaction():
                yield self._update(encode_entry.compaction(entry))
            case Note(kind="interrupted") if self._open:  # our own turn
                self._stop = "cancelled"
                yield self._line("->", {"method": "session/cancel", "params": {"sessionId": self._id}})
            case Note(kind="interrupted"):
                content = {"type": "text", "text": "[Request interrupted by user]"}
                yield self._update({"sessionUpdate": _ROLES["user"], "content": content})
            case Note(kind="stop"):
                self._stop = entry.text
            case Note():
                yield self._update({"sessionUpdate": "notice", "severity": entry.kind, "title": entry.text})

    def _prompt(self, entry: Message | Report) -> Iterator[Line]:
        yield from self._ended()
        self._changing.clear()
        self._settled.clear()
        blocks = self._blocks(entry)
        self._open = self._request()
        params = {"sessionId": self._id, "prompt": blocks}
        yield self._line("->", {"id": self._open, "method": "session/prompt", "params": params})

    def _blocks(self, entry: Message | Report) -> list[dict[str, Any]]:
        """Return our report, an entry of its own, and the user's words behind it: both were sent at once."""
        words = "".join(entry.parts)
        texts = [f"{words}\n\n" if isinstance(entry, Report) else words]
        entries = self._session.transcript.entries
        follower = entries[self._next] if self._next < len(entries) else None
        match follower:
            case Message(role="user", prompt=False, steered=False):
                texts.append("".join(follower.parts))
                self._next += 1
                self._parts = len(follower.parts)
        return [{"type": "text", "text": text} for text in texts]

    def _chunk(self, entry: Message | Thought, text: str) -> Line:
        tag = "agent_thought_chunk" if isinstance(entry, Thought) else _ROLES[entry.role]
        id = {"messageId": entry.message_id} if entry.message_id else {}
        return self._update({"sessionUpdate": tag, "content": {"type": "text", "text": text}, **id})

    def _context(self, entry: AgentContext, known: int = 0) -> Iterator[Line]:
        id = {"messageId": entry.message_id} if entry.message_id else {}
        for part in entry.parts[known:]:
            block = {"type": "text", "text": part} if isinstance(part, str) else encode_entry.block(part)
            content = {**block, "annotations": {"audience": ["assistant"]}}
            yield self._update({"sessionUpdate": _ROLES[entry.role], "content": content, **id})

    def _tool(self, call: ToolCall, is_known: bool) -> Iterator[Line]:
        """Tell a call, or what has become of one that is `is_known`: announced again it would be another one."""
        self._clock = max(self._clock, call.started)
        told = encode_entry.call(call, self._terminal)
        if is_known and not call.is_open:
            del told["status"]  # its end follows
        tag = "tool_call_update" if is_known else "tool_call"
        yield self._update({"sessionUpdate": tag, **told}, None if is_known else call.started)
        for question in call.questions:
            if question.kind == "permission" and not question.is_open and question.id not in self._asked:
                yield from self._permission(told["toolCallId"], question)
        for id, pieces in call.terminals.items():
            before = self._pieces.get((call.key, id), 0)
            if before == len(pieces):
                continue
            self._pieces[call.key, id] = len(pieces)
            meta = {"terminal_output": {"terminal_id": id, "data": pieces.since(before)}}
            change = {"toolCallId": told["toolCallId"], "_meta": meta}
            yield self._update({"sessionUpdate": "tool_call_update", **change})
        if not call.is_open and not call.left:
            change = {"toolCallId": told["toolCallId"], "status": call.status}
            if call.terminal_exit_code is not None or call.terminal_signal:
                end = {"exit_code": call.terminal_exit_code, "signal": call.terminal_signal or None}
                change["_meta"] = {"terminal_exit": end}
            yield self._update({"sessionUpdate": "tool_call_update", **change}, call.ended)

    def _subagent(self, child: Subagent) -> Iterator[Line]:
        """Tell a subagent, and those of its messages that have changed."""
        told = {"sessionId": child.id, "title": child.title, "description": child.description}
        state = None if child.state is None else {"state": child.state, "stopReason": child.stop_reason}
        yield self._update({"sessionUpdate": "subagent_update", **told, "state": state})
        for id, message in child.messages.items():
            if self._said.get((child.key, id)) != message.text:
                self._said[child.key, id] = message.text
                is_answer = message.sender == child.id
                between = (child.id, self._id) if is_answer else (self._id, child.id)
                ends = dict(zip(("senderSessionId", "recipientSessionId"), between, strict=True))
                content = [{"type": "text", "text": encode_entry.short(message.text)}]
                update = {"sessionUpdate": "session_message", "messageId": id, **ends, "content": content}
                yield self._update(update)

    def _permission(self, call_id: str, question: Question) -> Iterator[Line]:
        self._asked.add(question.id)
        id = f"q{question.id}"
        options = [{"optionId": each.id, "name": each.name, "kind": each.kind} for each in question.options]
        params = {"sessionId": self._id, "toolCall": {"toolCallId": call_id}, "options": options}
        yield self._line(
            "<-", {"id": id, "method": "session/request_permission", "params": params}, question.asked_at
        )
        answer = question.answer
        outcome = {"outcome": "selected", "optionId": answer.id} if answer else {"outcome": "cancelled"}
        result = {"outcome": outcome, **encode_entry.allowed_part(question)}
        yield self._line("->", {"id": id, "result": result}, question.ended_at)

    def _update(self, update: dict[str, Any], when: float | None = None) -> Line:
        params = {"sessionId": self._id, "update": update}
        return self._line("<-", {"method": "session/update", "params": params}, when)

    def _line(self, direction: str, message: dict[str, Any], when: float | None = None) -> Line:
        seconds = max(0.0, (self._clock if when is None else when) - self._first)
        return {"t": round(seconds, 3), "dir": direction, "msg": {"jsonrpc": "2.0", **message}}


def _settled(call: ToolCall) -> tuple[bool, int]:
    return call.is_open, sum(not question.is_open for question in call.questions)


def _looks(entry: Entry, terminal: Terminal) -> tuple[object, ...]:
    """Return what may change in place, for comparing. Large values are replaced as a whole, so comparing is cheap."""
    match entry:
        case ToolCall():
            own = [len(pieces) for pieces in entry.terminals.values()]
            shown = [
                terminal(item.terminal_id) for item in entry.content if isinstance(item, schema.TerminalRef)
            ]
            answered = [question.id for question in entry.questions if not question.is_open]
            told = (entry.title, entry.kind, entry.status, entry.left, entry.content, entry.locations)
            return (*told, entry.raw_input, entry.raw_output, own, shown, answered)
        case Subagent():
            said = [message.text for message in entry.messages.values()]
            return (entry.title, entry.description, entry.state, said)
        case Plan():
            return (entry.entries, entry.words, entry.is_removed)
        case Compaction():
            return (entry.status, entry.summary, entry.error)
    return ()
