"""Asks the user while a request is served, and limits how many questions a session may have open."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session


def expect_room(session: Session) -> None:
    if len(session.questions) >= limits.OPEN_QUESTIONS:
        raise RpcError(
            INTERNAL_ERROR, f"the user has {limits.OPEN_QUESTIONS} questions of this session to answer first"
        )


async def answer(
    session: Session,
    question: Question,
    touch: Callable[[Session], object],
    call: schema.ToolCallUpdate | None = None,
) -> Option | None:
    """Return what the user chose; None for nothing. If the request is withdrawn, so is the question."""
    if not question.stays:
        expect_room(session)
    ended = anyio.Event()
    question.on_end = lambda _: ended.set()
    session.questions.ask(question, call, time.monotonic())
    if session.cancelling and not question.stays:
        session.questions.end(question, None, "cancel")
    touch(session)
    try:
        await ended.wait()
    finally:
        if session.questions.end(question, None, "agent"):
            touch(session)
    return question.answer
