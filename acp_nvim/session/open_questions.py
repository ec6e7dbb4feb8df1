"""Keeps the open questions of one session, oldest first: asks them within their calls, and ends them.

A question about a call shows what the call would do. When the agent changes the call, the question gets a new version,
so that no answer is taken that the user gave to an older one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acp_nvim.protocol import schema
from acp_nvim.session.pending_events import PendingEvents
from acp_nvim.session.permission_text import describe, matters
from acp_nvim.session.proposed_diffs import has_diff
from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript
from acp_nvim.session.turn_clock import TurnClock


class OpenQuestions:
    """`on_end` is called with each question that ends; `now` returns the time at which it does."""

    def __init__(
        self,
        transcript: Transcript,
        events: PendingEvents,
        cwd: str,
        on_end: Callable[[Question], None],
        now: Callable[[], float],
    ) -> None:
        self._transcript, self._events, self._cwd = transcript, events, cwd
        self._on_end, self._now = on_end, now
        self.turn = TurnClock()  # stops while a question is open
        self._open: dict[int, Question] = {}
        self._before_forms: dict[int, ToolCall] = {}  # by key: changes that open forms may ask about
        self.changed = False

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Question]:
        return iter(list(self._open.values()))

    def get(self, question_id: int) -> Question | None:
        return self._open.get(question_id)

    def call_of(self, question: Question) -> ToolCall | None:
        """Return the call that the question is about. A later call may have the same id and is another."""
        if not question.tool_call_id or question.key is None:
            return None
        call = self._transcript.entry(question.key)
        return call if isinstance(call, ToolCall) else None

    # --- asked and ended

    def ask(self, question: Question, call: schema.ToolCallUpdate | None, now: float) -> None:
        before = self.basis(call.id) if call else None
        tool = self._transcript.ask(question, call, now)
        question.key = tool.key
        if call:
            self._refresh(tool, before)
            describe(question, tool, self._cwd)
            self._events.add_tool_call(tool, self._cwd)
        self._open[question.id] = question
        self._show_before_forms()
        self.turn.wait(now, is_asking=True)
        self.changed = True
        self._events.add("AcpQuestion", id=question.id)

    def end(self, question: Question, option: Option | None, by: str) -> bool:
        """End a question with an answer, or without one; False if it had ended before."""
        if not question.end(option, by):
            return False
        self.changed = self._open.pop(question.id, None) is not None or self.changed
        self._show_before_forms()
        self._on_end(question)
        now = self._now()
        self.turn.wait(now, is_asking=bool(self._open))
        self._transcript.answered(question, now=now)
        self._events.add("AcpAnswered", id=question.id, option_id=option.id if option else None, by=by)
        return True

    def end_all(
        self, by: str, *, also_ours: bool = False, but: Callable[[Question], bool] = lambda question: False
    ) -> None:
        """End the questions of the agent, except those that `but` names. Ours stay, because we wait for the answers."""
        for question in self:
            if also_ours or not (question.stays or but(question)):
                self.end(question, None, by)

    def begin_transcript_again(self) -> None:
        """Clear the transcript, and add the open questions to it again."""
        left = [(question, self._transcript.asked.find(question)) for question in self]
        self._transcript.clear()
        self._before_forms = {}
        for question, call in left:
            if call:
                question.key = self._transcript.ask_again(question, call).key
                self.touch(question)

    # --- changes of their calls

    def touch(self, question: Question) -> None:
        """Raise the version, because what the user must have seen has changed."""
        question.version += 1
        question.edited = {}  # the editor tells again what is left of it
        self.changed = True

    def basis(self, call_id: str) -> object:
        """Return what answers about a call depend on, to be compared when it has changed."""
        return matters(self._transcript.calls.find(call_id)) if self._open else None

    def follow(self, tool: ToolCall, before: object) -> None:
        """Take notice of a call that has changed. `before`: the `basis` of it until then."""
        if tool.status in ("completed", "failed"):
            for question in [each for each in tool.questions if each.is_open and each.is_agents]:
                self.end(question, None, "agent")
        self._refresh(tool, before)
        self._show_before_forms()

    def change_before(self, question: Question) -> ToolCall | None:
        """Return the change that a form may ask about, if there is one: that of the call it names, else the only one of
        an open call. Some agents ask for their edits by forms, and announce the call a moment later."""
        found = list(self._before(question))
        return found[0] if len(found) == 1 else None

    def _before(self, question: Question) -> Iterator[ToolCall]:
        if question.is_form:
            named = self._transcript.calls.find(question.tool_call_id) if question.tool_call_id else None
            of_form = [named] if named and named.is_open and not question.asked_by else []
            calls = of_form if question.tool_call_id else self._transcript.calls.unasked()
            yield from (call for call in calls if has_diff(call, self._cwd))

    def _show_before_forms(self) -> None:
        """Have the changes shown that open forms may ask about."""
        waits = {call.key: call for question in self._open.values() for call in self._before(question)}
        for key, call in (self._before_forms | waits).items():
            if call.waits_for_form is not (key in waits):
                call.waits_for_form = key in waits
                self._transcript.touch(call)
        self._before_forms = waits

    def _refresh(self, tool: ToolCall, before: object) -> None:
        """Give open questions of this call a new version, if what they show has changed."""
        if self._open and matters(tool) != before:
            for question in tool.questions:
                if question.is_open and question.of_its_call:
                    describe(question, tool, self._cwd)
                    self.touch(question)
                    self._transcript.touch(tool)
