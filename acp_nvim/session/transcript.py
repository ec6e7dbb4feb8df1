"""Keeps what was said and done in one conversation, as entries in the order in which they came.

An entry never moves and never goes: text grows the last one, all else adds one or changes one in place.
The view finds new entries and new text by itself; what changed earlier is named in `changed` and `urgent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from acp_nvim.protocol import schema
from acp_nvim.session import sent_prompt
from acp_nvim.session.asked_calls import AskedCalls
from acp_nvim.session.call_index import CallIndex
from acp_nvim.session.compaction import Compaction, Compactions
from acp_nvim.session.entries import (
    AgentContext,
    AnswerBegins,
    Changes,
    Entry,
    Message,
    Note,
    NoteKind,
    Placeholder,
    Report,
    Role,
    Thought,
)
from acp_nvim.session.growing_text import GrowingText
from acp_nvim.session.plan import Plan, Plans
from acp_nvim.session.prompt_echo import PromptEchoes
from acp_nvim.session.question import Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.subagent_keys import SubagentKeys
from acp_nvim.session.tool_call import ToolCall, only_asks
from acp_nvim.text import decision_report
from acp_nvim.text.printable import visible


class Transcript:
    """Keys are never used again. Those of a subagent's transcript begin at `base`, so that its entries can be found
    and shown in the chat of its parent, too."""

    def __init__(self, base: int = 0) -> None:
        self.entries: list[Entry] = []
        self.begun = 0  # how many times it has begun
        self._first = base + 1  # the key of the first entry
        self.subagent_keys = SubagentKeys(base)
        self.clear()

    def clear(self) -> None:
        """Begin again, as before a replay. The view notices it by `begun`."""
        self.begun += 1
        self._first += len(self.entries)
        self.entries.clear()
        self.changed: set[int] = set()  # keys of entries that look different now; they may wait a little
        self.urgent: set[int] = set()  # the same, not to wait: ends, failures, questions
        # for each turn that has ended: the key of its last entry, and how many seconds it took
        self.turn_times: list[tuple[int, float]] = []
        self.spoke_in_turn = False
        self._now = 0.0
        self._growing = GrowingText()
        self._echoes = PromptEchoes()
        self._is_prompted = False  # a prompt of ours is being answered
        self.plans = Plans(self._begin_plan)
        self._compactions = Compactions(self._begin_compaction)
        self.calls = CallIndex()
        self.subagent_keys.clear()
        self.asked = AskedCalls()

    def forget_ids(self) -> None:
        """Forget the agent's ids and plans, because its next session gives its own."""
        self._growing.entry = None
        self.plans.clear()
        self.calls.forget_ids(but=self.asked)  # some questions of ours are still open
        self._compactions.clear()

    # --- reading

    def index(self, key: int) -> int | None:
        at = key - self._first
        return at if 0 <= at < len(self.entries) else None

    def entry(self, key: int) -> Entry | None:
        at = self.index(key)
        return self.subagent_keys.find(key) if at is None else self.entries[at]

    def tool_calls(self) -> Iterator[ToolCall]:
        """Yield all calls, also those shown within other entries."""
        yield from (entry for entry in self.entries if isinstance(entry, ToolCall))
        yield from self.subagent_keys.calls.values()

    def last_words(self) -> str:
        """Return the last message of the agent."""
        for entry in reversed(self.entries):
            if isinstance(entry, Message) and entry.role == "agent":
                return "".join(entry.parts)
        return ""

    # --- text

    def chunk(self, chunk: schema.Chunk, now: float) -> None:
        """Append a chunk to the text that it continues, or else begin an entry."""
        self._now = now
        if isinstance(chunk, schema.ContextChunk):  # amid a turn it stands below the agent's heading
            return self._add_context(replace(chunk, role="agent") if self._is_prompted else chunk)
        text = chunk.text
        if chunk.role == "user" and self._is_prompted:
            return self._add_as_user(chunk)
        if chunk.role == "user" and (text := self._users_words(chunk)) == "":
            return
        if text is None:
            if chunk.block is not None:
                self._add(Placeholder(self._key(), _role(chunk.role), chunk.block, chunk.message_id))
        elif not self._growing.add(chunk.role, text, chunk.message_id) and text:
            self._say(chunk.role, text, chunk.message_id)

    def _users_words(self, chunk: schema.Chunk) -> str | None:
        """Return what the user has said in a chunk of their message, and show what else it is: a report of ours, an
        attachment. Empty if that is all. None: it is another block."""
        text = chunk.text
        attached = sent_prompt.attached_file(chunk.block) if text is None else self._attached_text(text)
        if attached:
            self._attach(attached)
            return ""
        if text is None:
            return None
        report, text = decision_report.split(text)
        if report:
            self._leave_plan()
            self._add(Report(self._key(), [report], message_id=chunk.message_id, is_replayed=True))
        return text

    def _attached_text(self, text: str) -> dict[str, Any] | None:
        """Return the attachment that a text is. The user's words come before all attachments."""
        last = self.entries[-1] if self.entries else None
        is_users = isinstance(last, Message) and last.role == "user"
        is_behind_words = is_users or isinstance(last, Note | AnswerBegins)
        return sent_prompt.attached_text(text) if is_behind_words else None

    def _attach(self, item: dict[str, Any]) -> None:
        """Show what the user had attached. Agents replay an attachment in several parts."""
        parts = list(takewhile(lambda entry: isinstance(entry, Note), reversed(self.entries)))
        for words in Prompt("", [item]).attached:
            text = f"with {visible(words)}"
            if not any(isinstance(part, Note) and part.text == text for part in parts):
                self.note("info", text)

    def user(self, text: str, report: str = "", at: float | None = None) -> int:
        """Add a prompt behind our report; return its key. An echo of it by the agent is not shown again."""
        if report:
            self._add(Report(self._key(), [report], at))
        self._leave_plan()
        key = self._key()
        self._add(Message(key, "user", [text], prompt=not report, is_whole=True, at=at))
        self.calls.begin_turn()
        self._is_prompted = True
        self._echoes.clear()
        self.expect_echo(text, report)
        return key

    def own_turn(self) -> None:
        """Begin a turn that no prompt has begun."""
        self._leave_plan()
        self.calls.begin_turn()

    def await_answer(self) -> None:
        """The prompt is on its way: what comes now is the agent's."""
        self._add(AnswerBegins(self._key()))

    def expect_echo(self, text: str, report: str = "") -> None:
        """Do not show what the agent may send back of words that are sent to it now."""
        self._echoes.expect(text, report)

    def steered(self, text: str, report: str = "", at: float | None = None) -> None:
        """Add words, or our report, that the agent has taken into the running turn."""
        if report:
            self._add(Report(self._key(), [report], at, steered=True))
        if text:
            self._add(Message(self._key(), "user", [text], is_whole=True, at=at, steered=not report))

    def _add_as_user(self, chunk: schema.Chunk) -> None:
        """Add what the agent sends in the user's name while it answers him. An echo of what we have sent is not shown
        again. All else he has not said: it is context that the agent gives itself."""
        if self._echoes and (chunk.text is None or self._attached_text(chunk.text)):
            return
        text = None if chunk.text is None else self._echoes.take(chunk.text)
        self._add_context(replace(chunk, role="agent", text=text))

    def _add_context(self, chunk: schema.Chunk) -> None:
        """Add context for the model. All of a message's that comes without anything between is one entry."""
        part = chunk.block if chunk.text is None else chunk.text
        if part is None or part == "":
            return
        last = self.entries[-1] if self.entries else None
        if (
            isinstance(last, AgentContext)
            and last.role == _role(chunk.role)
            and last.message_id == chunk.message_id
        ):
            last.parts.append(part)
            self.touch(last, urgent=False)
        else:
            self._add(AgentContext(self._key(), _role(chunk.role), [part], chunk.message_id))

    def _leave_plan(self) -> None:
        """Begin another prompt of the user, which has a plan of its own."""
        self.plans.begin_turn()
        self.spoke_in_turn = False
        self.calls.see_prompt()

    def _say(self, role: str, text: str, message_id: str | None) -> None:
        if role == "user":
            self._leave_plan()
        entry: Message | Thought
        if role == "thought":
            entry = Thought(self._key(), [text], message_id, self._now)
        else:
            entry = Message(self._key(), _role(role), [text], message_id)
        self._add(entry)
        self._growing.entry = entry

    # --- everything else

    def tool(self, update: schema.ToolCallUpdate, now: float, asks: bool = False) -> ToolCall:
        """Merge an update or a permission into its call; a call that was never announced begins here."""
        self._now = now
        call = self.calls.meant(update, asks)
        if call is None:
            # a call that names itself has no parent: another one may have had its id
            parent = self.calls.find(update.parent or "") if update.parent != update.id else None
            key = self.subagent_keys.next_call() if parent else self._key()
            call = self.calls.begin(key, update.id, now)
            if parent:  # what the agent itself says may go on around it
                self.subagent_keys.add_call(call)
                parent.nest(call)
            else:
                self._add(call)
        call.is_announced = call.is_announced or not (update.known or asks)
        was = call.status
        call.apply(update, now)
        self.calls.track(call)
        self.touch(call, urgent=call.status != was and not call.is_open)
        return call

    def plan(self, update: schema.PlanUpdate) -> None:
        """Replace a plan; each has one block in a turn."""
        if plan := self.plans.apply(update):
            self.touch(plan, urgent=False)

    def _begin_plan(self, id: str) -> Plan:
        plan = Plan(self._key(), id)
        self._add(plan)
        return plan

    def compaction(self, update: schema.CompactionUpdate) -> None:
        self.touch(self._compactions.apply(update), urgent=False)

    def _begin_compaction(self) -> Compaction:
        entry = Compaction(self._key())
        self._add(entry)
        return entry

    def note(self, kind: NoteKind, text: str, picture: str | None = None, details: str = "") -> None:
        self._add(Note(self._key(), kind, text, picture, details))

    def changes(self, turn: int) -> Changes:
        """Add the line about the files that the turn changed."""
        entry = Changes(self._key(), turn)
        self._add(entry)
        return entry

    def ask(self, question: Question, update: schema.ToolCallUpdate | None, now: float) -> ToolCall:
        """Add a question to its tool call; one without a call gets an entry of its own."""
        call = self.tool(update, now, asks=True) if update is not None else self._asking_call(question)
        if call is None:
            call = ToolCall(self._key(), "", now, title=question.title, kind="ask")
            self._add(call)
        question.asked_at = now
        self.asked.add(question, call)
        call.wait(now)
        self.touch(call)
        return call

    def _asking_call(self, question: Question) -> ToolCall | None:
        """Return the open call that the question names, if the call does nothing but ask it."""
        if not question.tool_call_id or question.asked_by:  # a subagent has ids of its own
            return None
        call = self.calls.find(question.tool_call_id)
        return call if call and call.is_open and not call.questions and only_asks(call, question) else None

    def ask_again(self, question: Question, before: ToolCall) -> ToolCall:
        """Add an open question again, because the transcript has begun again."""
        call = ToolCall(
            self._key(), before.id, before.started, title=before.title, kind="ask", content=before.content
        )
        self.calls.add(call)
        self._add(call)
        self.asked.add(question, call)
        return call

    def answered(self, question: Question, now: float | None = None) -> None:
        """Label the call of a question that has ended with the decision."""
        call = self.asked.end(question, self._now if now is None else now)
        if call is None:
            return
        if call.kind == "ask":
            call.status, call.ended = "completed" if question.answer else "cancelled", self._now
            self.calls.track(call)
        self.touch(call)

    def end_turn(self, now: float, cancelled: bool = False) -> list[ToolCall]:
        """Close the calls that the turn left open and return them."""
        self._now = now
        self._is_prompted = False
        self._echoes.clear()
        self._end_thought()
        left = self.calls.end_turn("cancelled" if cancelled else "left open", now)
        for call in left:
            self.touch(call)
        return left

    def time_turn(self, seconds: float) -> None:
        """Note how long the turn took that ends here."""
        if self.entries:
            self.turn_times.append((self.entries[-1].key, seconds))

    def touch_terminal(self, terminal_id: str) -> None:
        """Mark the calls that show this terminal as changed."""
        for call in self.calls.showing(terminal_id):
            self.touch(call, urgent=False)

    def touch(self, entry: Entry, urgent: bool = True) -> None:
        """Mark an entry as changed; a call of a subagent is shown within another entry."""
        if isinstance(entry, ToolCall) and entry.root:
            assert entry.root.nested is not None
            entry.root.nested.note_change(entry)
        home = self.subagent_keys.home(entry)
        (self.urgent if urgent else self.changed).add(home.key)

    def _key(self) -> int:
        return self._first + len(self.entries)

    def subagent(self, id: str, parent: str) -> Subagent:
        """Add the line of a subagent, with a transcript of its own."""
        transcript = Transcript(self.subagent_keys.next_base())
        child = Subagent(self._key(), id, parent, transcript)
        self.subagent_keys.add_subagent(child)
        self._add(child)
        return child

    def begin_turn(self) -> None:
        """Begin a turn that no prompt of ours has begun."""
        self.calls.begin_turn()

    def _add(self, entry: Entry) -> None:
        self._end_thought()
        self._growing.entry = None
        if entry.speaker == "agent":
            self.spoke_in_turn = self.spoke_in_turn or isinstance(entry, Message | Placeholder)
        self.entries.append(entry)

    def _end_thought(self) -> None:
        if thought := self._growing.end_thought(self._now):
            self.touch(thought)


def _role(role: str) -> Role:
    return "user" if role == "user" else "agent"
