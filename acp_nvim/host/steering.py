"""Steers the running turn: puts the user's words, and reports of their decisions, into it.

An agent that offers it takes one request at a time. What waits to be steered stands at the front of the session's
queue meanwhile, so it becomes an ordinary prompt whenever the turn ends before the agent has taken it. While a request
has no answer no prompt is sent: nobody knows yet whether its words have arrived.

    the agent answers     the words
    injected              are in the turn
    startedNewTurn        are in a turn that the agent has begun by itself
    promptRequired        are the next prompt, because the turn was over
    anything else         are the next prompt, and the user is told
    nothing in time       are the next prompt, unless the agent says in time after all that it has taken them

Agents that ask for such words by themselves get them with their next request (`pull`).
"""

from __future__ import annotations

import asyncio
import time
from functools import partial

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.host import prompt_blocks
from acp_nvim.host.interface import AgentHost
from acp_nvim.host.prompt_blocks import PromptBlocks
from acp_nvim.protocol import encode, steering
from acp_nvim.protocol.encode import Block
from acp_nvim.protocol.jsonrpc import Response
from acp_nvim.protocol.schema import Initialized
from acp_nvim.session.pending_reports import PendingReport, comments_of, texts_of
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.steer_request import SteerRequest

_PATIENCE = 10.0  # seconds; agents answer at once, or not at all
_OF_REPORT = ("report of what you refused", "your next prompt begins with it")


class Steering:
    def __init__(self, host: AgentHost) -> None:
        self._host = host

    @property
    def is_offered(self) -> bool:
        """Whether the agent takes words into a running turn."""
        agent = self._host.agent
        return bool(agent and steering.is_offered(agent)) or self._host.dialect.pulls is not None

    def add(self, session: Session, prompt: Prompt) -> bool:
        """Put a prompt into the running turn as soon as the agent can take it; False if there is no turn, or it never
        can."""
        if not self.is_offered or not session.in_turn or session.cancelling:
            return False
        session.queue.steer(prompt)
        self.send_next(session)
        return True

    def add_waiting(self, session: Session, seq: int) -> bool:
        """Put a queued prompt into the running turn; False if it is not queued any more."""
        is_queued = not session.cancelling and session.queue.steer_waiting(seq)
        if is_queued:
            self.send_next(session)
        return is_queued

    def give_up(self, session: Session) -> None:
        """Let words that the agent has not taken wait for the user, because the user cancels the turn."""
        if session.steer_request:
            session.steer_request.is_given_up = True

    def send_next_soon(self, session: Session) -> None:
        """Send what waits in a moment: an answer to a question goes out first, and a turn that ends has ended then."""
        asyncio.get_running_loop().call_soon(self.send_next, session)

    def send_next(self, session: Session) -> None:
        """Send what waits to be steered, unless a question is open: the agent needs its answer first."""
        agent = self._host.agent
        if not (agent and steering.is_offered(agent) and self._host.alive) or session.steer_request:
            return
        if not session.takes_words or not self._host.has_sent_prompt(session):
            return
        reports = session.reports.take_ready()
        prompt = session.queue.begin_steering()
        sent = SteerRequest(prompt, reports, "\n\n".join(texts_of(reports)))
        if prompt is None and not sent.told:
            return
        blocks = [encode.text(f"{sent.told}\n\n")] if sent.told else []
        if prompt:
            made = self._blocks_of(session, prompt, agent)
            blocks += made.blocks
            sent.attached = Prompt("", made.went).attached
        session.steer_request = sent
        session.transcript.expect_echo(prompt.text if prompt else "", sent.told)
        self._host.connection.call(
            steering.METHOD,
            steering.params(str(session.id), blocks),
            partial(self._answered, session, sent),
            timeout=min(self._host.spec.timeout_ms / 1000, _PATIENCE),
            on_timeout=partial(self._late, session, sent),
            owner=sent,
        )
        self._host.app.touch(session)

    def _answered(self, session: Session, sent: SteerRequest, result: Result) -> None:
        """Show the words if the agent has taken them, else make them the next prompt."""
        if session not in self._host.sessions:
            session.steer_request = None
            return
        outcome = steering.outcome(result.result) if isinstance(result, Response) else ""
        if sent.is_late:
            if outcome in steering.DELIVERED:
                self._taken_late(session, sent)
            return
        session.steer_request = None
        if outcome in steering.DELIVERED:
            session.queue.steered()
            self._tell_sent(sent.prompt, sent.reports)
            starts_turn = outcome == "startedNewTurn"
            session.steered(sent.prompt, sent.told, sent.attached, time.time(), starts_turn)
        elif isinstance(result, Gone):
            self._back_to_queue(session, sent)  # which is held
        else:
            if sent.prompt is None or outcome != "promptRequired":
                self._say_next(session, sent, "did not take")
            self._leave_to_next(session, sent)
        if not isinstance(result, Gone):
            self.send_next(session)
            self._host.advance(session)

    def _late(self, session: Session, sent: SteerRequest) -> None:
        """Give up the request: its words become the next prompt."""
        if session.steer_request is not sent:
            return
        session.steer_request = None
        sent.is_late = True
        self._host.connection.give_up(sent)
        self._say_next(session, sent, "did not confirm")
        self._leave_to_next(session, sent)
        self._host.advance(session)

    def _leave_to_next(self, session: Session, sent: SteerRequest) -> None:
        """Make the words the next prompt. Where nobody but the agent has ended the turn, that goes out."""
        self._back_to_queue(session, sent)
        if sent.prompt and not (sent.is_given_up or session.error):
            sent.prompt.is_owed = True  # some agents end the turn themselves when the user rejects a call
            if session.phase == "idle":
                session.queue.release()

    def _say_next(self, session: Session, sent: SteerRequest, what: str) -> None:
        if session.in_turn:
            thing, then = ("text", "it is the next prompt") if sent.prompt else _OF_REPORT
            self._host.warn(f"{self._host.name} {what} your {thing}: {then}")

    def _taken_late(self, session: Session, sent: SteerRequest) -> None:
        """The agent has taken the words after all: they need not be sent again, if they have not been."""
        session.reports.drop(sent.reports)
        self._tell_sent(sent.prompt, sent.reports)
        if sent.prompt is None or session.queue.remove(sent.prompt):
            session.steered(sent.prompt, sent.told, sent.attached, time.time())
        else:
            session.transcript.note("warning", "the agent also got this text in the last turn")
        self._host.app.touch(session)

    def _back_to_queue(self, session: Session, sent: SteerRequest) -> None:
        session.reports.give_back(sent.reports)
        session.unsteer(sent=True, is_overtaken=sent.is_overtaken)
        self._host.app.touch(session)

    # --- agents that ask for the words

    def pull(self, session: Session) -> list[tuple[str, list[Block]]]:
        """Return the words that the agent has asked for, with their blocks. It has them once they are returned."""
        agent, words = self._host.agent, list[tuple[str, list[Block]]]()
        if not agent or not session.takes_words:
            return words
        reports = session.reports.take_ready()
        if told := "\n\n".join(texts_of(reports)):
            self._tell_sent(None, reports)
            words.append((told, [encode.text(told)]))
            session.transcript.expect_echo("", told)
            session.steered(None, told, at=time.time())
        while len(words) < self._host.dialect.pulls_at_most and (prompt := session.queue.begin_steering()):
            made = self._blocks_of(session, prompt, agent)
            words.append((made.blocks[0]["text"], made.blocks))
            session.queue.steered()
            self._tell_sent(prompt)
            session.transcript.expect_echo(prompt.text)
            session.steered(prompt, "", Prompt("", made.went).attached, time.time())
        self._host.app.touch(session)
        return words

    def _tell_sent(self, prompt: Prompt | None, reports: list[PendingReport] | None = None) -> None:
        """Tell the editor which of the user's comments the agent has."""
        ids = comments_of(reports or []) + (prompt.comments if prompt else [])
        self._host.app.services.comments_sent(ids)

    def _blocks_of(self, session: Session, prompt: Prompt, agent: Initialized) -> PromptBlocks:
        made = prompt_blocks.make(prompt, agent, session.cwd)
        for complaint in made.trouble:
            session.transcript.note("warning", complaint)
        return made
