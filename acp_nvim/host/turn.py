"""Sends a prompt to the agent and ends the turn with its answer."""

from __future__ import annotations

import time
from typing import Any

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.host import prompt_blocks, turn_end
from acp_nvim.host.interface import AgentHost
from acp_nvim.host.pending_prompt import PendingPrompt
from acp_nvim.protocol import dialects, encode
from acp_nvim.protocol.errors import INVALID_PARAMS
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session


class Turns:
    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self._other_form = False  # the agent takes the second form of its dialect
        self._departures: dict[Session, PendingPrompt] = {}
        self._comments: dict[Session, list[int]] = {}  # in the prompt that departs

    def send(self, session: Session, prompt: Prompt) -> None:
        assert self._host.agent, "a session that is idle has an agent"
        made = prompt_blocks.make(prompt, self._host.agent, session.cwd)
        report, comments = self._host.app.services.report(session)
        self._comments[session] = comments + prompt.comments
        if report:
            made.blocks.insert(0, encode.text(f"{report}\n\n"))  # some agents glue blocks together
        session.begin_turn(Prompt(prompt.text, made.went), report, time.time())
        for complaint in made.trouble:
            session.transcript.note("warning", complaint)
        if made.trouble:
            self._host.app.say("warn", made.told())
        session.transcript.await_answer()
        spec, agent = self._host.spec, self._host.agent
        forms = dialects.prompts(made.blocks, spec.prompt_timeout_ms, self._host.dialect, spec.dialect, agent)
        self._depart(session, *(reversed(forms) if self._other_form else forms))

    def has_sent(self, session: Session) -> bool:
        """Whether the prompt of the running turn has been sent."""
        return session.in_turn and session not in self._departures

    def departing_comments(self, session: Session) -> list[int]:
        """Return the user's comments that the prompt holds which is about to be sent."""
        return self._comments.get(session, [])

    def hurry(self, session: Session) -> None:
        """Send a waiting prompt now."""
        if departure := self._departures.get(session):
            departure.go()

    def _depart(self, session: Session, *forms: dict[str, Any]) -> None:
        """Begin the turn at once. Its prompt is sent when the last turn's changes are known, so that none of them is
        counted for this turn."""
        turn = session.turn

        def send() -> None:
            self._departures.pop(session, None)
            comments = self._comments.pop(session, [])
            if turn == session.turn and session.in_turn and self._host.alive:
                self._send(session, *forms)
                services.comments_sent(comments)

        services = self._host.app.services
        departure = PendingPrompt(services, session, send)
        if services.can_begin_at_once(session):
            return departure.go()
        self._departures[session] = departure
        self._host.app.spawn(departure.run)

    def _send(self, session: Session, form: dict[str, Any], *others: dict[str, Any]) -> None:
        turn = session.turn
        limit = self._host.spec.prompt_timeout_ms
        self._host.connection.call(
            "session/prompt",
            {"sessionId": session.id, **form},
            lambda result: self._prompted(session, turn, result, *others),
            timeout=limit / 1000 if limit else None,
            on_timeout=lambda: self._prompt_late(session, turn),
        )
        self._host.prompt_sent(session)

    def _prompted(self, session: Session, turn: int, result: Result, *others: dict[str, Any]) -> None:
        if isinstance(result, Gone) or turn != session.turn or not session.in_turn:
            return
        if others and _is_invalid(result) and not (session.cancelling or session.transcript.spoke_in_turn):
            self._other_form = not self._other_form  # perhaps it takes the other form
            return self._send(session, *others)
        if isinstance(result, Failure):
            failed = f"{self._host.name}: turn {turn} of session {session.number}: {result.error}"
            self._host.app.log("error", failed)
        turn_end.end(session, result, time.monotonic(), is_live=not self._host.stopping)
        if isinstance(result, Failure) and session.phase == "auth":
            self._host.wants_login(session, result.error)
        self._host.app.services.end_turn(session)
        self._host.advance(session)

    def _prompt_late(self, session: Session, turn: int) -> None:
        if turn == session.turn and session.in_turn:
            self._host.warn(f"{self._host.name} took longer than prompt_timeout_ms: cancelled")
            self._host.cancel(session)


def _is_invalid(result: Result) -> bool:
    return isinstance(result, Failure) and result.error.code == INVALID_PARAMS
