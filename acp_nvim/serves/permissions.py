"""session/request_permission: from the agent's request to its one answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acp_nvim.protocol import decode, dialects, schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.serves.ledger import Entry
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line


def ask(
    entry: Entry,
    find: Callable[[str | None], Session | None],
    dialect: Dialect,
    now: float,
    on_ended: Callable[[Session, Question, Dialect], None],
) -> Session:
    """Put the agent's question before the user; whatever ends the question answers the request."""
    dialect = dialects.of_permission(entry.request.method, entry.request.params, dialect)
    request = decode.permission(entry.request.params, dialect)
    session = find(request.session_id)
    if session is None:
        raise RpcError(INVALID_PARAMS, f"no session {request.session_id!r} here")
    question, call = posed(request, session, entry.request.id, dialect)

    def reply(ended: Question) -> None:
        chosen = ended.answer.id if ended.answer else None
        entry.answer(dialect.permission_answer(chosen, request))
        on_ended(session, question, dialect)

    question.on_end = reply
    entry.on_withdrawn = lambda: session.end_question(question, None, "agent")
    session.ask(question, call, now)
    if session.cancelling:  # some agents go on asking after a cancel
        session.end_question(question, None, "cancel")
    return session


def posed(
    request: schema.PermissionRequest, session: Session, request_id: object, dialect: Dialect
) -> tuple[Question, schema.ToolCallUpdate]:
    """The question, and the call that it is about; some agents ask about a call they never name."""
    asked = request.tool_call.id
    known = session.transcript.recent(lambda id: dialect.is_about(asked, id)) if asked else None
    call = replace(request.tool_call, id=known or asked or f"permission-{request_id}")
    options = tuple(Option(option.id, one_line(option.name), option.kind) for option in request.options)
    return Question(session.number, "permission", "permission", options, call.id), call
