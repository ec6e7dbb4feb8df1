"""Asks the user what agents want to know in words: forms and pages of `elicitation/create`, questions of dialects.

The agent gets exactly one answer: accept with what was filled in, decline, or cancel if nobody decided.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import IncomingRequest, IncomingRequests
from acp_nvim.permissions.ask_user import expect_room
from acp_nvim.processes.regex_match import match
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.session.asker import Asker
from acp_nvim.session.form import Form
from acp_nvim.session.form_outline import outline
from acp_nvim.session.question import Kind, Option, Question
from acp_nvim.session.session import Session
from acp_nvim.text.printable import one_line, prose, visible

_DECLINE = Option("decline", "Decline", "reject_once")
_PAGE = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)
_FEW = 9  # choices that are worth an option each
ASK_FIELD = "answer"


class Elicitations:
    """The elicitations of one agent."""

    def __init__(
        self,
        find: Callable[[str | None], Asker | None],
        sessions: Callable[[], Iterable[Session]],
        touch: Callable[[Session], object],
        visit: Callable[[str], object],
        record: Callable[[Session, Question], object],
    ) -> None:
        """`record` writes down what was answered."""
        self._find, self._sessions, self._touch, self._visit = find, sessions, touch, visit
        self._record = record
        self._pages: dict[str, tuple[Session, Question]] = {}  # by the agent's ids

    def serve(self, requests: IncomingRequests, dialect: Dialect) -> None:
        """Serve the requests of the standard, and those of the dialect."""
        requests.now["elicitation/create"] = self.create
        for method, vendor in dialect.requests.items():
            requests.now[method] = partial(self.ask, vendor=vendor)

    def create(self, incoming: IncomingRequest) -> None:
        asked = decode.elicitation(incoming.request.params)
        asker = self._asker_of(asked)
        session = asker.session
        expect_room(session)
        question = asker.sign(posed(asked, session))
        if asked.mode == "url" and asked.id:
            self._pages[asked.id] = session, question

        def reply(ended: Question) -> None:
            self._pages.pop(asked.id, None)
            incoming.answer(answered(ended))
            if asked.mode == "url" and ended.answer and ended.answer.kind == "allow_once":
                self._visit(asked.url)
            self._record(session, ended)

        self._put(incoming, session, question, reply)

    def ask(self, incoming: IncomingRequest, vendor: schema.Vendor) -> None:
        asked = vendor.decode(incoming.request.params)
        if asked is None:
            raise RpcError(INVALID_PARAMS, f"{incoming.request.method}: there is no question in it")
        asker = self._known(asked.session_id)
        session = asker.session
        expect_room(session)
        question = asker.sign(posed_ask(asked, session))

        def reply(ended: Question) -> None:
            incoming.answer(vendor.encode(answered_ask(ended)))

        self._put(incoming, session, question, reply)

    def complete(self, params: Any) -> None:
        """End the question about a page that the user has completed."""
        known = params.get("elicitationId") if isinstance(params, dict) else None
        if isinstance(known, str) and (page := self._pages.get(known)):
            session, question = page
            session.questions.end(question, None, "agent")
            self._touch(session)

    def _put(
        self,
        incoming: IncomingRequest,
        session: Session,
        question: Question,
        reply: Callable[[Question], None],
    ) -> None:
        question.on_end = reply
        incoming.on_withdrawn = lambda: session.questions.end(question, None, "agent")
        session.questions.ask(question, None, time.monotonic())
        if session.cancelling:  # some agents go on asking after a cancel
            session.questions.end(question, None, "cancel")
        self._touch(session)

    def _asker_of(self, asked: schema.Elicitation) -> Asker:
        """Return the session of an elicitation. A request-scoped one names no session: it belongs to the session that
        is being created."""
        if asked.session_id is None and asked.request_id is not None:
            sessions = list(self._sessions())
            begun = [session for session in sessions if session.phase in ("starting", "auth")]
            if found := next(reversed(begun or sessions), None):
                return Asker(found)
        return self._known(asked.session_id)

    def _known(self, session_id: str | None) -> Asker:
        asker = self._find(session_id)
        if asker is None:
            raise RpcError(INVALID_PARAMS, f"no session {session_id!r} here")
        return asker


# --- the questions


def posed(asked: schema.Elicitation, session: Session) -> Question:
    if asked.mode == "url":
        return _page(asked, session)
    if asked.fields is None:
        raise RpcError(INVALID_PARAMS, "elicitation/create: there is no requestedSchema")
    form = _form(asked.fields)
    question = _question(session, "elicitation", asked.message or asked.title, form)
    question.tool_call_id = asked.tool_call_id
    about = (text for text in (asked.message, asked.title, asked.description) if text)
    form.about = tuple(_lines(about))
    question.detail = form.about
    fill = Option("answer", "Fill in the form" if form else "Accept", "allow_once")
    if form.missing is not None:
        question.note = f"'{form.missing}' has an unknown type: the form can only be declined"
        question.options = (_DECLINE,)
    else:
        question.options = (*_offered(question), fill, _DECLINE)
    question.outline = tuple(outline(form, question.fields, bool(question.quick)))
    return question


def _page(asked: schema.Elicitation, session: Session) -> Question:
    if not _PAGE.fullmatch(asked.url):
        raise RpcError(INVALID_PARAMS, "elicitation/create: only http and https pages are opened")
    question = _question(session, "elicitation", asked.message or asked.url, None)
    question.tool_call_id = asked.tool_call_id
    question.detail = (*_lines([asked.message]), visible(asked.url))
    question.options = (Option("answer", "Open the page", "allow_once"), _DECLINE)
    return question


def posed_ask(asked: schema.Ask, session: Session) -> Question:
    form = _form(
        [
            schema.FormField(
                key=ASK_FIELD,
                type="array" if asked.multiple and asked.options else "string",
                title=(asked.header or asked.question)[: limits.FORM_TITLE_CHARS],
                required=True,
                choices=asked.options,
                custom=asked.custom or not asked.options,
            )
        ]
    )
    question = _question(session, "ask", asked.question, form)
    form.about = tuple(_lines(text for text in (asked.header, asked.question) if text))
    question.detail = form.about
    answer = Option("answer", "Another answer" if asked.options else "Answer", "allow_once")
    question.options = (*_offered(question), answer, _DECLINE)
    question.outline = tuple(outline(form, question.fields, bool(question.quick)))
    return question


def _question(session: Session, kind: Kind, title: str, form: Form | None) -> Question:
    question = Question(session.number, kind, one_line(title[: limits.FORM_TITLE_CHARS]) or "the agent asks")
    question.form = form
    question.fields = form.shape() if form else []
    return question


def _form(fields: Iterable[schema.FormField]) -> Form:
    listed = list(fields)
    if len(listed) > limits.FORM_FIELDS or any(len(each.choices) > limits.FORM_CHOICES for each in listed):
        raise RpcError(
            INVALID_PARAMS, f"a form has at most {limits.FORM_FIELDS} fields of {limits.FORM_CHOICES} choices"
        )
    return Form(listed, match)


def _offered(question: Question) -> Iterator[Option]:
    """Yield an option for each choice, if the form asks for one choice and nothing else."""
    name = question.form.choice if question.form else None
    field = question.form.fields[name] if question.form and name is not None else None
    # there are two more options: an answer in words, and no answer
    most = _FEW if question.kind == "elicitation" else limits.QUESTION_OPTIONS - 2
    if field is None or len(field.choices) > most:
        return
    for number, choice in enumerate(field.choices, 1):
        id = choice.value if choice.value not in ("answer", "decline") else f"choice-{number}"
        question.quick[id] = {name: choice.value}
        title = one_line(choice.title)
        yield Option(id, title, "choice", description=one_line(choice.description))


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (prose(line) for line in text.splitlines())


# --- the answers


def answered(ended: Question) -> dict[str, Any]:
    """Return the result of elicitation/create."""
    if ended.answer is None:
        return {"action": "cancel"}
    if ended.answer.kind.startswith("reject"):
        return {"action": "decline"}
    return {"action": "accept"} if ended.form is None else {"action": "accept", "content": ended.content}


def answered_ask(ended: Question) -> schema.AskAnswer:
    if ended.answer is None:
        return schema.AskAnswer("cancel")
    if ended.answer.kind.startswith("reject"):
        return schema.AskAnswer("decline")
    value = ended.content.get(ASK_FIELD, "")
    return schema.AskAnswer("accept", tuple(value) if isinstance(value, list) else (value,))
