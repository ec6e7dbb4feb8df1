"""Builds the status of a session for the editor, and finds what has changed in it since it was last sent."""

from __future__ import annotations

from typing import Any

from acp_nvim.session.session import Session
from acp_nvim.text.bounded import bounded
from acp_nvim.text.printable import one_line


class StatusChanges:
    """Compares the status with what the editor was told last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told: dict[str, Any] = {}

    def take(self) -> dict[str, Any]:
        """Return what has changed since the last call; None for a value that is gone."""
        now = status(self._session)
        gone = dict.fromkeys(self._told.keys() - now.keys())
        fresh = {
            key: bounded(value)
            for key, value in now.items()
            if key not in self._told or self._told[key] != value
        }
        self._told = now
        return fresh | gone


def status(session: Session) -> dict[str, Any]:
    title = session.shown_title
    return {
        "agent": session.agent,
        "session_id": session.id or session.memory,
        "title": one_line(title) if title else None,
        "about": session.about,
        "cwd": session.cwd,
        "state": session.state,
        "stop_reason": session.stop_reason,
        "error": session.error,
        "turn": session.turn,
        "usage": session.usage.context,
        "tokens": session.usage.tokens.shape(),
        "limit": session.usage.limit or None,
        "full": session.usage.is_full,
        "plan": session.transcript.plans.progress(),
        "plan_steps": session.transcript.plans.steps(),
        "plans": session.transcript.plans.shapes(),
        "queue": len(session.queue),
        "held": session.queue.held,
        "retrying": session.hints.retrying,
        "silent_since": session.hints.silent_since,
        "suggestion": session.hints.suggestion,
        "trust": session.hints.trust,
        "subagents": session.subagents.shapes(),
        "questions": len(session.questions),
        "remembered": session.remembered.shape(),
        "cancelling": session.cancelling,
        "closing": session.closing,
        "changing": session.controls.busy and session.phase not in ("stopped", "failed"),
        "ack": session.ack,
        "waiting": session.queue.waiting,
        "transcript": session.recording,
        "tools": session.tools.shape() if session.tools.state else None,
        **session.controls.status(),
        **session.facts,
    }
