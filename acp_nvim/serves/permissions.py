"""session/request_permission: from the agent's request to its one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.serves.ledger import Entry
from acp_nvim.session.paths import named
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line, visible


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
    call = request.tool_call
    known = session.transcript.find(call.id) if call.id else None
    title = call.title or (known.title if known else "") or "permission"
    content = call.content if call.content is not None else (known.content if known else ())
    raw_input = call.raw_input if call.raw_input is not schema.UNSET else (known.raw_input if known else None)
    locations = call.locations or (known.locations if known else ())
    paths = named(locations, content, raw_input, session.cwd)
    return Question(
        session=session.number,
        kind="permission",
        title=one_line(title),
        options=tuple(Option(option.id, one_line(option.name), option.kind) for option in request.options),
        tool_call_id=call.id or f"permission-{entry.request.id}",
        path=paths[0] if paths else None,
        has_diff=any(isinstance(item, schema.Diff) for item in content or ()),
        detail=tuple(_detail(raw_input, paths, title)),
    )


def _detail(raw_input: Any, paths: list[str], title: str) -> Iterator[str]:
    """What will be done, whole: the command, and every path; the title where there is neither."""
    command = raw_input.get("command") or raw_input.get("cmd") if isinstance(raw_input, dict) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if isinstance(command, str):
        yield from (
            f"$ {visible(line)}" if first else f"  {visible(line)}" for first, line in _numbered(command)
        )
    yield from (visible(path) for path in paths)
    if not paths and not isinstance(command, str):
        yield from (visible(line) for line in title.split("\n"))


def _numbered(text: str) -> Iterator[tuple[bool, str]]:
    for number, line in enumerate(text.split("\n")):
        yield number == 0, line
