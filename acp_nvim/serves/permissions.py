"""session/request_permission: from the agent's request to its one answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.serves.ledger import Entry
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line


def ask(entry: Entry, find: Callable[[str | None], Session | None], dialect: Dialect, now: float) -> Session:
    """Put the agent's question before the user; whatever ends the question answers the request."""
    request = decode.permission(entry.request.params, dialect)
    session = find(request.session_id)
    if session is None:
        raise RpcError(INVALID_PARAMS, f"no session {request.session_id!r} here")
    question = _question(request, session, entry)

    def reply(ended: Question) -> None:
        chosen = ended.answer.id if ended.answer else None
        entry.answer(dialect.permission_answer(chosen, request))

    question.on_end = reply
    entry.on_withdrawn = lambda: session.end_question(question, None, "agent")
    session.ask(question, _call(request, question), now)
    if session.cancelling:  # some agents go on asking after a cancel
        session.end_question(question, None, "cancel")
    return session


def _call(request: schema.PermissionRequest, question: Question) -> schema.ToolCallUpdate:
    """Some agents ask about a call they never name."""
    call = request.tool_call
    return call if call.id else replace(call, id=question.tool_call_id or "")


def _question(request: schema.PermissionRequest, session: Session, entry: Entry) -> Question:
    """Without what it is about, which the session takes from the tool call."""
    return Question(
        session=session.number,
        kind="permission",
        title="permission",
        options=tuple(Option(option.id, one_line(option.name), option.kind) for option in request.options),
        tool_call_id=request.tool_call.id or f"permission-{entry.request.id}",
    )
