"""Ends a turn by the answer to session/prompt, live and in a replay."""

from __future__ import annotations

import time

from acp_nvim.host import turn_error
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.jsonrpc import Failure, Response
from acp_nvim.session import fork_points, rate_limit
from acp_nvim.session.session import Session
from acp_nvim.text.json_words import without_json


def end(session: Session, result: Response | Failure, now: float) -> None:
    if isinstance(result, Response):
        answer = decode.prompt_answer(result.result)
        if answer.content and not session.transcript.spoke_in_turn:
            session.transcript.chunk(schema.Chunk("agent", answer.content), now)
        if answer.branch_point:
            fork_points.mark(session.transcript, answer.branch_point)
        session.end_turn(now, answer.stop_reason, tokens=answer.tokens)
    elif session.cancelling:  # "aborted": what was asked for
        session.end_turn(now, "cancelled")
    else:
        said = f"{session.agent_title}: {without_json(str(result.error))}"
        resets = rate_limit.until(decode.reset_time(result.error.data, time.time()), time.time())
        until = f"; the limit resets {resets}" if resets else ""
        session.end_turn(
            now,
            error=said + until,
            brief=turn_error.brief(result.error, session.transcript) + until,
            advice=turn_error.advice(result.error, session),
        )
        if result.error.needs_login:
            session.phase = "auth"
