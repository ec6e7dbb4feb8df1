"""Ends a turn by the answer to session/prompt, live and in a replay."""

from __future__ import annotations

from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.jsonrpc import Failure, Response
from acp_nvim.session.session import Session


def end(session: Session, result: Response | Failure, now: float) -> None:
    if isinstance(result, Response):
        answer = decode.prompt_answer(result.result)
        if answer.content and not session.transcript.spoke_in_turn:
            session.transcript.chunk(schema.Chunk("agent", answer.content), now)
        if answer.branch_point:
            session.transcript.mark_branch_point(answer.branch_point)
        session.end_turn(now, answer.stop_reason)
    elif session.cancelling:  # "aborted": what was asked for
        session.end_turn(now, "cancelled")
    else:
        session.end_turn(now, error=f"{session.facts.get('agent_title') or session.agent}: {result.error}")
        if result.error.needs_login:
            session.phase = "auth"
