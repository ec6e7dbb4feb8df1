"""Models one conversation: its transcript, questions, queue and controls, and the phases from its start to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session import past_decisions
from acp_nvim.session.agent_hints import AgentHints
from acp_nvim.session.controls import Controls
from acp_nvim.session.entries import Changes, Message
from acp_nvim.session.follow_along import LocationFollower
from acp_nvim.session.offer_limits import OfferLimits
from acp_nvim.session.open_questions import OpenQuestions
from acp_nvim.session.past_decisions import PastDecisions
from acp_nvim.session.pending_events import PendingEvents
from acp_nvim.session.pending_reports import PendingReports
from acp_nvim.session.question import Question
from acp_nvim.session.queue import Prompt, Queue
from acp_nvim.session.remembered_answers import RememberedAnswers
from acp_nvim.session.session_title import telling
from acp_nvim.session.slash_commands import SlashCommands
from acp_nvim.session.steer_request import SteerRequest
from acp_nvim.session.subagent_registry import SubagentRegistry
from acp_nvim.session.tools_state import ToolsState
from acp_nvim.session.transcript import Transcript
from acp_nvim.session.usage import SessionUsage
from acp_nvim.text.printable import one_line, visible

State = Literal["starting", "idle", "running", "asking", "auth", "stopped", "failed"]
_ABOUT = 80  # characters
_STOPPED_BY_USER = "you stopped it here"
_AGENTLESS = ("replay", "taken")  # the editor knows these sessions by such names
_KEEPS_QUEUE = {"cancelled", "refusal"}


class Session:
    def __init__(self, number: int, agent: str, cwd: str, roots: tuple[str, ...] = ()) -> None:
        self.number, self.agent, self.cwd, self.roots = number, agent, cwd, roots
        # further folders that the agent has saved with it: sent back to the agent, and no reason to let it read there
        self.saved_roots: tuple[str, ...] = ()
        self.id: str | None = None
        self.title: str | None = None  # the agent's
        self.name: str | None = None  # the user's own title for it
        self.about: str | None = None  # the beginning of the first prompt, where there is no title
        self.phase: State = "starting"
        self.stop_reason: str | None = None
        self.error: str | None = None
        self.turn = 0
        self._prompt: Prompt | None = None  # of the newest turn
        self.unanswered: Prompt | None = None  # its agent has failed during its turn
        self.prompt_keys: dict[int, int] = {}  # by turn: its prompt's entry in the transcript
        self.changed: dict[int, Changes] = {}  # by turn: the line in the chat about its changes of files
        self.cancelling = False
        self.own_ends = 0  # how many turns in a row the agent has cancelled, without the user
        self.closing = False  # the user has closed it, so no event tells of its end
        self.lived = False  # has been ready once: it stays in the list when its agent ends
        self.memory: str | None = None  # the id under which the agent can continue it
        self._decided: PastDecisions = {}  # before this session was loaded
        self.reloading = False  # the agent replays the conversation, which replaces what is shown
        self.ack = 0
        self.hints = AgentHints(self._warn)
        self.usage = SessionUsage(self._warn)
        # of the agent's process: agent_title, agent_version, capabilities, pid, logins
        self.facts: dict[str, Any] = {}
        offer_limits = OfferLimits(self._warn)
        self.commands = SlashCommands(offer_limits)
        self.controls = Controls(offer_limits)
        self.servers: list[dict[str, Any]] | None = None  # MCP servers that the agent was told of
        self.tools = ToolsState()  # the editor's, that the agent can call
        self.recording: str | None = None  # the file in which the transcript is kept
        self.follow = LocationFollower(cwd)
        self.events = PendingEvents(number)
        self.clock: Callable[[], float] = time.monotonic  # a replay has a clock of its own
        self._write_to(Transcript())
        self.remembered = RememberedAnswers()  # what the user has allowed or rejected for good
        self.reports = PendingReports()
        # called when the running turn may be able to take the user's words: its agent's host sends them
        self.on_steerable: Callable[[], None] = lambda: None
        self.on_idle: Callable[[], None] = lambda: (
            None
        )  # a turn of its own has ended: prompts may wait for that
        self.writes_through = False  # its agent writes files by asking us
        self.queue = Queue()
        self.steer_request: SteerRequest | None = (
            None  # nobody knows yet whether the agent has taken its words
        )

    def _write_to(self, transcript: Transcript) -> None:
        """Set the transcript. Subagents and questions write to the same one."""
        self.transcript = transcript
        self.subagents = SubagentRegistry(transcript, self._warn)
        self.questions = OpenQuestions(
            transcript, self.events, self.cwd, on_end=self._question_ended, now=lambda: self.clock()
        )

    def _question_ended(self, question: Question) -> None:
        """Have the user's comments on a proposal go out, if the user has answered."""
        if question.comments and question.ended_by == "user":
            self.reports.add_comments(question.comments, self.cwd).is_ready = True
            question.comments = []
        self.on_steerable()

    def continue_from(self, earlier: Session) -> None:
        """Go on below what an earlier session has said. Called before anything is asked in this one."""
        self._write_to(earlier.transcript)
        self.turn = earlier.turn

    def _warn(self, text: str) -> None:
        self.transcript.note("warning", text)

    @property
    def state(self) -> State:
        if len(self.questions) and self.phase not in ("stopped", "failed"):
            return "asking"
        # words that outlive their turn may be the next prompt: until that is known the session is not free
        return "running" if self.phase == "idle" and self.steer_request else self.phase

    @property
    def is_agentless(self) -> bool:
        """Whether nobody is spoken to in it: it is a replay, or holds what was taken from elsewhere."""
        return self.agent in _AGENTLESS

    @property
    def agent_title(self) -> str:
        """Return the name of the agent for its user."""
        return str(self.facts.get("agent_title") or self.agent)

    @property
    def shown_title(self) -> str | None:
        """Return the user's own title for it, else the agent's if that says something."""
        return self.name or telling(self.title, self.id or self.memory, self.cwd)

    @property
    def asked_for(self) -> str:
        """Return what the newest turn was asked for, or where it was taken from; empty if a tool has begun it."""
        return self._prompt.text if self._prompt else (self.name or "") * self.is_agentless

    @property
    def in_turn(self) -> bool:
        return self.phase == "running"

    # --- beginning and end

    def starting(self) -> None:
        self.phase, self.error, self.id = "starting", None, None
        self.cancelling = False

    def ready(self, session_id: str) -> None:
        self.lived = True
        self.id, self.phase, self.error = session_id, "idle", None
        self.events.add("AcpSessionStarted")

    def begin_take(self, title: str) -> None:
        """Begin the only turn of a session that has no agent: what somebody else has changed is taken into review."""
        self.name, self.phase, self.turn = title, "idle", 1
        self.changed[self.turn] = self.transcript.changes(self.turn)
        self.events.add("AcpTurnStarted", turn=self.turn)

    def end_take(self) -> None:
        self.stop_reason = "taken"
        self.events.add("AcpTurnEnded", turn=self.turn, stop_reason=self.stop_reason, error=None)

    def refuse(self, error: str) -> None:
        """Mark the session failed, because it cannot start."""
        self.phase, self.error = "failed", error
        self.queue.hold()
        self.transcript.note("error", error)
        self.events.add("AcpSessionEnded", reason="failed")

    def lock(self, error: str, how: str) -> None:
        """Wait for a login. Prompts of the user wait for it and are not held."""
        self.phase, self.error = "auth", error
        self.transcript.note("warning", how)

    def unlock(self) -> None:
        """Go on after a login of a session that existed before."""
        if self.phase == "auth":
            self.phase, self.error = "idle", None

    def loaded(self, now: float) -> None:
        """Close what the replay of the conversation has left open."""
        self.transcript.end_turn(now)
        past_decisions.label(self.transcript, self._decided)
        first = next((entry for entry in self.transcript.entries if entry.speaker == "user"), None)
        if isinstance(first, Message):
            self.about = self.about or one_line("".join(first.parts)[:_ABOUT])

    def recall_decisions(self, decided: PastDecisions) -> None:
        """Label the calls that the agent tells again, or has told by now, with what the user had decided."""
        self._decided = decided
        past_decisions.label(self.transcript, decided)

    def resumed(self) -> None:
        above = (
            "the conversation above"
            if self.transcript.entries
            else "the earlier conversation, which is not shown here"
        )
        self.transcript.note("info", f"resumed: the agent remembers {above}")

    def agent_ended(self, reason: str, error: str | None, now: float) -> None:
        """Mark the session stopped, because the agent's process has ended."""
        self.facts = {key: value for key, value in self.facts.items() if key != "pid"}
        if reason == "closed":
            self.questions.end_all("exit", also_ours=True)
        if self.phase in ("stopped", "failed"):
            return
        self.questions.end_all("exit")
        self.subagents.end(now)
        if self.in_turn:
            self.unanswered = self._prompt
            self.end_turn(now, error=error or reason)
        elif error:
            self.transcript.note("error", error)
        if error:
            self.transcript.note("info", "send a prompt or :Acp restart to reconnect")
        self.phase = "stopped" if reason in ("stopped", "closed") or error is None else "failed"
        self.error = error if self.phase == "failed" else self.error
        self.queue.hold()
        self.events.add("AcpSessionEnded", reason=reason)

    # --- turns

    def begin_turn(self, prompt: Prompt, report: str = "", at: float | None = None) -> None:
        """Begin a turn. `report` is sent to the agent before the user's words. `at`: now, in seconds since 1970; None
        in a replay."""
        self._begin_turn(prompt)
        self.about = self.about or one_line(prompt.text[:_ABOUT])
        self.prompt_keys[self.turn] = self.transcript.user(prompt.text, report, at)
        pictures = prompt.pictures
        for words in prompt.attached:
            self.transcript.note("info", f"with {visible(words)}", pictures.get(words))
        self.events.add("AcpTurnStarted", turn=self.turn)

    def begin_own_turn(self) -> None:
        """Begin a turn that no prompt has begun: the agent proposes a change by a tool of the editor's while none
        runs."""
        self._begin_turn(None)
        self.transcript.own_turn()
        self.events.add("AcpTurnStarted", turn=self.turn)

    def _begin_turn(self, prompt: Prompt | None) -> None:
        self.turn += 1
        self._prompt, self.unanswered = prompt, None
        self.questions.turn.begin(self.clock())
        self.usage.tokens.begin_turn()
        self.memory = self.id
        self.reloading = False
        self.phase, self.stop_reason, self.error, self.cancelling = "running", None, None, False
        self.hints.begin_turn()

    @property
    def takes_words(self) -> bool:
        """Whether the running turn may be steered now. An open question is answered first."""
        return self.in_turn and not self.cancelling and not len(self.questions)

    def steered(
        self,
        prompt: Prompt | None,
        report: str,
        attached: Iterable[str] = (),
        at: float | None = None,
        starts_turn: bool = False,
    ) -> None:
        """Show what the agent has taken into the running turn. `at`: now, in seconds since 1970; None in a replay."""
        self.transcript.steered(prompt.text if prompt else "", report, at)
        for words in attached:
            self.transcript.note("info", f"with {visible(words)}")
        if starts_turn:
            self.transcript.note("info", "the agent started a new turn for this")
        if prompt:
            self.events.add("AcpSteered", text=prompt.text, outcome="injected")

    def unsteer(self, *, sent: bool = False, is_overtaken: bool = False) -> None:
        """Leave what was to go into the turn to the next prompts. `sent`: also what the agent did not take, which the
        user may have overtaken by another prompt."""
        for prompt in self.queue.stop_steering(sent=sent, is_overtaken=is_overtaken):
            self.events.add("AcpSteered", text=prompt.text, outcome="queued")

    def end_turn(
        self,
        now: float,
        stop_reason: str | None = None,
        error: str | None = None,
        tokens: schema.Tokens | None = None,
        brief: str | None = None,
        advice: str = "",
    ) -> None:
        """End the turn: close open calls and questions, and note what went wrong. `brief`: the error in short, for the
        chat; empty where another note has it. `advice`: what the user can do about it."""
        if not self.in_turn:
            return
        if stop_reason == "cancelled":
            self.questions.end_all("cancel")
        else:
            self.questions.end_all("agent", but=lambda question: question.outlives_turn)
        for tool in self.transcript.end_turn(now, stop_reason == "cancelled"):
            self.events.add_tool_call(tool, self.cwd)
        self.transcript.time_turn(self.questions.turn.end(now))
        if error:
            if brief != "":
                self.transcript.note("error", brief or error, details=error)
        elif stop_reason == "cancelled" and self.cancelling:
            self.transcript.note("interrupted", _STOPPED_BY_USER)
        elif stop_reason not in ("end_turn", "restored"):
            self.transcript.note("stop", stop_reason or "")
        if advice:
            self.transcript.note("info", advice)
        self.changed[self.turn] = self.transcript.changes(self.turn)
        stops = stop_reason in _KEEPS_QUEUE and not (self.cancelling or self.queue.is_owed)
        if error or stops:
            self.queue.hold()
        self.phase, self.stop_reason, self.error, self.cancelling = "idle", stop_reason, error, False
        self.unsteer()
        if sent := self.steer_request:
            self.transcript.expect_echo(sent.prompt.text if sent.prompt else "", sent.told)
        self.hints.end_turn()
        took = self.usage.tokens.end_turn(tokens)
        more = {"tokens": took} if took else {}
        self.events.add("AcpTurnEnded", turn=self.turn, stop_reason=stop_reason, error=error, **more)

    def cancel(self) -> None:
        """Hold the queue and end questions, because the user cancels the turn."""
        self.queue.hold()
        self.unsteer()
        self.cancelling = self.in_turn
        self.transcript.calls.cancel()
        self.subagents.cancel()
        self.questions.end_all("cancel")

    def start_over(self) -> None:
        """Forget the agent's ids and remembered answers, because a new session of the agent replaces this one."""
        self.reloading = False
        self.remembered.forget_agent()
        self.transcript.forget_ids()
        self.subagents.clear()
        if self.turn:
            self.transcript.note("info", "started again: the agent does not remember the conversation above")

    def replay(self) -> None:
        """Begin the transcript again, because the agent replays the conversation."""
        self.reloading = False
        self.questions.begin_transcript_again()
        self.subagents.clear()

    # --- what the agent says

    def apply(self, update: schema.Update, now: float) -> None:
        """Apply an update of the agent's, live or in a replay."""
        match update:
            case schema.Chunk():
                self.transcript.chunk(update, now)
            case schema.ToolCallUpdate():
                self._apply_tool(update, now)
            case schema.PlanUpdate():
                self.transcript.plan(update)
            case schema.CommandsUpdate():
                self.commands.apply(update)
            case schema.InfoUpdate():
                if update.title is not schema.UNSET:
                    self.title = update.title and update.title[: limits.SESSION_TITLE_CHARS]
                if update.suggestion is not None:
                    self.hints.suggest(update.suggestion)
            case schema.UsageUpdate() | schema.TokensUpdate() | schema.LimitUpdate():
                self.usage.apply(update, time.time())
            case schema.NoticeUpdate():
                self.transcript.note(update.level, update.text)
            case schema.CompactionUpdate():
                self.transcript.compaction(update)
            case schema.InterruptedUpdate():
                if not self.in_turn:  # of a turn of ours the end says so
                    self.transcript.note("interrupted", _STOPPED_BY_USER)
            case schema.SubagentUpdate():
                self.subagents.announce(self.id or self.memory or "", update, now)
            case schema.SessionMessageUpdate():
                self.subagents.message(self.id or self.memory or "", update)
            case _:
                self.controls.apply(update)

    def _apply_tool(self, update: schema.ToolCallUpdate, now: float) -> None:
        before = self.questions.basis(update.id)
        tool = self.transcript.tool(update, now)
        self.follow.tool(update)
        self.questions.follow(tool, before)
        self.events.add_tool_call(tool, self.cwd)
