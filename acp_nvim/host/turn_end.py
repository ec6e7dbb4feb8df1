"""Ends a turn by the answer to session/prompt, live and in a replay."""

from __future__ import annotations

import time

from acp_nvim.host import turn_error
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.jsonrpc import Failure, Response
from acp_nvim.session import fork_points, rate_limit
from acp_nvim.session.session import Session
from acp_nvim.text.json_words import without_json


def end(session: Session, result: Response | Failure, now: float, *, is_live: bool = False) -> None:
    """End the turn. A replay has what was said about its end among its notes."""
    if isinstance(result, Response):
        answer = decode.prompt_answer(result.result)
        if answer.content and not session.transcript.spoke_in_turn:
            session.transcript.chunk(schema.Chunk("agent", answer.content), now)
        if answer.branch_point:
            fork_points.mark(session.transcript, answer.branch_point)
        advice = _of_own_end(session, answer.stop_reason) if is_live else ""
        session.end_turn(now, answer.stop_reason, tokens=answer.tokens, advice=advice)
    elif session.cancelling:  # "aborted": what was asked for
        session.end_turn(now, "cancelled")
    else:
        said = f"{session.agent_title}: {without_json(str(result.error))}"
        resets = rate_limit.until(decode.reset_time(result.error.data, time.time()), time.time())
        until = f"; the limit resets {resets}" if resets else ""
        session.end_turn(
            now,
            error=said + until,
            brief=turn_error.brief(result.error, session) + until,
            advice=turn_error.advice(result.error, session),
        )
        if result.error.needs_login:
            session.phase = "auth"


def _of_own_end(session: Session, stop_reason: str) -> str:
    """Return what to say of a turn that the agent has cancelled and the user has not. Some agents do so when the user
    rejects a call; one that has lost its session does so with every prompt."""
    is_own = stop_reason == "cancelled" and not session.cancelling
    is_answer = any(call.verdict.startswith("rejected") for call in session.transcript.calls.of_turn())
    before, session.own_ends = session.own_ends, session.own_ends + 1 if is_own and not is_answer else 0
    if not is_own:
        return ""
    again = " again: a new session may help, :Acp new" if before and not is_answer else ""
    return f"{session.agent_title} cancelled this turn by itself{again}"
