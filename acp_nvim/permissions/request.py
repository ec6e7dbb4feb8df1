"""Handles session/request_permission, from the agent's request to its one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import IncomingRequest
from acp_nvim.permissions.ask_user import expect_room
from acp_nvim.protocol import decode, dialects, schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from acp_nvim.session.asker import Asker
from acp_nvim.session.permission_call import Match, asked_call
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import is_input
from acp_nvim.text.printable import one_line


def ask(
    incoming: IncomingRequest,
    find: Callable[[str | None], Asker | None],
    dialect: Dialect,
    now: float,
    named: Callable[[Session, schema.ToolCallUpdate], schema.ToolCallUpdate],
    on_ended: Callable[[Session, Question, Dialect], None],
    warn: Callable[[Session, str], None],
) -> Session:
    """Ask the user. Whatever ends the question answers the agent's request."""
    dialect = dialects.of_permission(incoming.request.method, incoming.request.params, dialect)
    request = decode.permission(incoming.request.params, dialect)
    asker = find(request.session_id)
    if asker is None:
        raise RpcError(INVALID_PARAMS, f"no session {request.session_id!r} here")
    session = asker.session
    expect_room(session)
    if (count := len(request.options)) > limits.QUESTION_OPTIONS:
        warn(
            session,
            f"the agent asked with {count} options: refused, {limits.QUESTION_OPTIONS} at most are shown",
        )
        raise RpcError(INVALID_PARAMS, f"the user is asked with {limits.QUESTION_OPTIONS} options at most")
    if not asker.child:
        request = request._replace(tool_call=named(session, request.tool_call))
    question, call = posed(request, asker, incoming.request.id, dialect)

    def reply(ended: Question) -> None:
        chosen = ended.answer.id if ended.answer else None
        try:
            incoming.answer(dialect.permission_answer(chosen, request))
        finally:
            incoming.fail(RpcError(INTERNAL_ERROR, "the question could not be answered: see :Acp log"))
        on_ended(session, question, dialect)

    question.on_end = reply
    incoming.on_withdrawn = lambda: session.questions.end(question, None, "agent")
    session.questions.ask(question, call, now)
    if session.cancelling:  # some agents go on asking after a cancel
        session.questions.end(question, None, "cancel")
    return session


def posed(
    request: schema.PermissionRequest, asker: Asker, request_id: object, dialect: Dialect
) -> tuple[Question, schema.ToolCallUpdate]:
    """Return the question and its tool call, which is made up for agents that name none."""
    asked, title, is_guess, session = request.tool_call, "", False, asker.session
    if asked.title and is_input(asked.title, asked.raw_input):
        asked = replace(asked, title=None)
    if asker.child:  # ids of calls are unique in their own session only
        call = replace(asked, id=asker.call_id(asked.id or f"permission-{request_id}"))
    elif known := session.transcript.calls.latest(
        lambda call: bool(asked.id) and dialect.is_about(asked.id, call.id)
    ):
        call = replace(asked, id=known.id)
    elif match := asked_call(asked, session.transcript, session.cwd):
        call = _of_call(asked, match)
        title, is_guess = asked.title or "", match.is_guess
    else:
        call = replace(asked, id=asked.id or f"permission-{request_id}")
    options, note = _choosable(request.options)
    question = Question(session.number, "permission", "permission", options, call.id, note=note)
    question.own_title, question.is_guess = title, is_guess
    asker.sign(question)
    question.has_cut_options = any(
        len(option.covers or ()) > limits.COVERED
        or any(len(name) > limits.OPTION_NAME_CHARS for name in (option.name, *(option.covers or ())))
        for option in request.options
    )
    return question, call


def _of_call(asked: schema.ToolCallUpdate, match: Match) -> schema.ToolCallUpdate:
    """Merge the tool call of the permission into the announced one, whose own fields stay. Where the two differ, the
    user answers what the permission says."""
    known = match.call
    if match.differs:
        return replace(asked, id=known.id, status=None)
    return replace(
        asked,
        id=known.id,
        title=None if known.title else asked.title,
        name=None if known.name else asked.name,
        kind=asked.kind if known.kind == "other" else None,
        status=None,
        content=None if known.content else asked.content,
        locations=None if known.locations else asked.locations,
        raw_input=asked.raw_input if known.raw_input is None else schema.UNSET,
    )


def _choosable(offered: tuple[schema.PermissionOption, ...]) -> tuple[tuple[Option, ...], str]:
    """Return the options whose id is unique, and a note on the others: else a no could be sent as a yes."""
    options = [
        Option(each.id, _name(each.name), each.kind, tuple(map(_name, (each.covers or ())[: limits.COVERED])))
        for each in dict.fromkeys(offered)
    ]
    ids = Counter(option.id for option in options)
    doubtful = [option for option in options if ids[option.id] > 1]
    if not doubtful:
        return tuple(options), ""
    names = ", ".join(f"'{option.name or option.id}'" for option in doubtful)
    note = f"cannot be chosen, because they share one id: {names}"
    return tuple(option for option in options if ids[option.id] == 1), note


def _name(name: str) -> str:
    return one_line(name if len(name) <= limits.OPTION_NAME_CHARS else f"{name[: limits.OPTION_NAME_CHARS]}…")
