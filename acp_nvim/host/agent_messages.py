"""Handles an agent's messages inline in wire order: updates are applied, requests entered, unknown ones logged."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from anyio.abc import TaskGroup

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import IncomingRequest, IncomingRequests
from acp_nvim.host.agent_notices import AgentNotices
from acp_nvim.host.agent_services import Serve
from acp_nvim.host.interface import AgentHost
from acp_nvim.host.session_start import SessionStarts
from acp_nvim.host.subagent_messages import SubagentMessages
from acp_nvim.permissions import request as permissions
from acp_nvim.permissions.elicitation import Elicitations
from acp_nvim.protocol import decode, dialects, methods, schema
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.protocol.jsonrpc import Notification, Request, Stray
from acp_nvim.session.asker import Asker
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session


class AgentMessages:
    def __init__(self, host: AgentHost, starts: SessionStarts, tasks: TaskGroup) -> None:
        self._host, self._starts, self._app = host, starts, host.app
        self._unknown: set[str] = set()  # names of updates and methods that were logged
        services = self._app.services
        self.requests = IncomingRequests(host.connection, tasks, self._refusal)
        self.requests.now |= dict.fromkeys(dialects.PERMISSIONS, self._ask)
        self.requests.before = self._enforce
        self._subagents = SubagentMessages(self._app, lambda: starts.by_id, self._apply)
        self._notices = AgentNotices(self._app, self._session, host.set_account)
        self.elicitations = Elicitations(
            self._known_asker,
            lambda: host.sessions,
            self._app.touch,
            services.visit,
            self._form_answered,
        )
        self.agent_ready()
        for method, serve in services.serve.items():
            self.requests.later[method] = partial(self._serve, serve)

    def agent_ready(self) -> None:
        """Register the requests of its dialect, because the agent has introduced itself."""
        self.elicitations.serve(self.requests, self._host.dialect)
        if pulls := self._host.dialect.pulls:
            self.requests.now[pulls] = self._pull

    def on_update(self, params: Any) -> None:
        session_id, updates = decode.update(params, self._host.dialect)
        session = self._starts.by_id.get(session_id or "")
        if session is None:
            return self._update_of_unknown_session(session_id, params, updates)
        self._host.heard(session)
        if session.hints.retrying:
            session.hints.retrying = None
            self._app.touch(session)
        if session.reloading:
            session.replay()
            self._app.touch(session)
        for update in updates:
            if type(update) is schema.Chunk and update.role != "user":
                session.transcript.chunk(update, time.monotonic())
                self._app.touch_text(session)
            else:
                self._apply(session, update)
                self._app.touch(session)

    def _apply(self, session: Session, update: schema.Update) -> None:
        if isinstance(update, schema.UnknownUpdate):
            return self._log_unknown_once("update", update.tag)
        if isinstance(update, schema.SubagentUpdate) and not self._subagents.may_announce(session, update):
            return self._log_unknown_once("subagent", update.id)
        if isinstance(update, schema.ToolCallUpdate):
            update = self._app.services.tool_lines.named(session, update)
        session.apply(update, time.monotonic())
        if isinstance(update, schema.ToolCallUpdate) and (call := session.transcript.calls.find(update.id)):
            self._app.services.tool_call_changed(session, call)
            if update.meta:  # some run terminals of their own
                self._app.services.terminals.take_reported_output(session, call, update.meta)
            self._app.rules.tool_call_changed(session, call)

    def _log_unknown_once(self, what: str, name: str) -> None:
        """Log each unknown name once: agents repeat their extensions with every message."""
        unknown = f"{what} {name[: limits.UNKNOWN_NAME_CHARS]!r}"
        if unknown not in self._unknown and len(self._unknown) < limits.UNKNOWN_NAMES:
            self._unknown.add(unknown)
            how = "refused" if what == "request" else "ignored"
            self._app.log("info", f"{self._host.spec.name}: unknown {unknown} {how}")

    def _update_of_unknown_session(
        self, session_id: str | None, params: Any, updates: list[schema.Update]
    ) -> None:
        if asker := self._known_asker(session_id):
            self._host.heard(asker.session)
        if not self._subagents.update(session_id, updates) and not self._starts.keep(session_id, params):
            self._app.log(
                "info", f"{self._host.spec.name}: update for unknown session {session_id!r} dropped"
            )

    def on_request(self, request: Request) -> None:
        self.requests.enter(request)

    def _refusal(self, request: Request) -> RpcError | None:
        if request.method in self._host.dialect.requests or request.method == self._host.dialect.pulls:
            return None
        method = dialects.PERMISSIONS[0] if dialects.asks(request.method) else request.method
        refused = methods.refusal(method, request.params, self._host.offer)
        if refused:
            self._log_unknown_once("request", request.method)
        return refused

    async def _serve(self, serve: Serve, incoming: IncomingRequest) -> Any:
        session_id = decode.identifier(incoming.request.params, "sessionId", "session_id")
        session = self._find(session_id)
        if session is None:
            raise RpcError(INVALID_PARAMS, f"no session {session_id!r} here")
        self._subagents.prepare(incoming, session_id)
        try:
            return await serve(incoming, session)
        except RpcError as error:
            if (other := self._host.dialect.instead(incoming.request.method, error)) is None:
                raise
            return other

    def _enforce(self, incoming: IncomingRequest) -> None:
        """Take refused changes off the disk before a request is served."""
        params = incoming.request.params
        known = decode.identifier(params, "sessionId", "session_id") if isinstance(params, dict) else None
        if session := self._find(known):
            self._host.heard(session)
            self._app.services.enforcement.enforce(session)

    def _ask(self, incoming: IncomingRequest) -> None:
        rules = self._app.rules
        session = permissions.ask(
            incoming,
            self._asker,
            self._host.dialect,
            time.monotonic(),
            self._app.services.tool_lines.named,
            self._answered,
            self._warn,
        )
        try:
            for question in session.questions:
                if call := session.questions.call_of(question):
                    self._app.services.tool_call_changed(session, call)
            session.writes_through |= self._host.dialect.writes_through or self._host.spec.writes_through
            rules.judge(session)  # after the watcher, which must see the files before the agent goes on
        finally:
            self._app.touch(session)

    def _pull(self, incoming: IncomingRequest) -> None:
        """Answer with the words that are to go into the running turn. No session, no words: the turn goes on."""
        params = incoming.request.params if isinstance(incoming.request.params, dict) else {}
        session = self._find(decode.identifier(params, "sessionId", "session_id"))
        words = self._host.pull_steered(session) if session else []
        has_more = session is not None and len(session.queue) > 0 and not session.queue.held
        incoming.answer(self._host.dialect.pulled(words, has_more))

    def _answered(self, session: Session, question: Question, dialect: dialects.Dialect) -> None:
        call, answer = session.questions.call_of(question), question.answer
        if call and answer and not answer.kind.startswith("reject"):
            self._app.services.enforcement.allowed(session, call)
            if question.ended_by == "user" and not question.is_decided_in_diff:
                self._app.services.enforcement.asked(session, call, answer)
        self._app.rules.answered(session, question, dialect)

    def _form_answered(self, session: Session, question: Question) -> None:
        call, answer = session.questions.change_before(question), question.answer
        if call and answer and question.ended_by == "user" and not answer.kind.startswith("reject"):
            self._app.services.enforcement.allowed(session, call)
            self._app.services.enforcement.asked(session, call, answer)
        self._app.rules.form_answered(session, question)

    def _warn(self, session: Session, text: str) -> None:
        session.transcript.note("warning", text)
        self._app.touch(session)

    def _find(self, session_id: str | None) -> Session | None:
        """Find the session whose user is concerned: of a subagent that of its parent."""
        asker = self._known_asker(session_id)
        return asker.session if asker else None

    def _session(self, session_id: str | None) -> Session | None:
        """Find the session. Some agents leave the id out, which is clear with one session."""
        if session_id is None and len(self._starts.by_id) == 1:
            return next(iter(self._starts.by_id.values()))
        return self._starts.by_id.get(session_id or "")

    def _asker(self, session_id: str | None) -> Asker | None:
        session = self._session(session_id)
        return Asker(session) if session else self._subagents.asker(session_id)

    def _known_asker(self, session_id: str | None) -> Asker | None:
        asker = self._asker(session_id)
        return asker if asker and (asker.is_known or not asker.child) else None

    def on_notification(self, notification: Notification) -> None:
        if notification.method == methods.CANCEL_REQUEST and isinstance(notification.params, dict):
            self.requests.cancel(notification.params.get("requestId", notification.params.get("id")))
            # a question may be gone, and nothing else may happen for long
            for session in self._host.sessions:
                self._app.touch(session)
        elif notification.method == "elicitation/complete":
            self.elicitations.complete(notification.params)
        elif not self._notices.take(notification.method, notification.params):
            self._app.log("debug", f"{self._host.spec.name}: notification {notification.method} ignored")
            if not notification.method.startswith("$/"):  # those may always be ignored
                self._log_unknown_once("notification", notification.method)

    def on_stray(self, stray: Stray) -> None:
        self._app.log("warn", f"{self._host.spec.name}: {stray.why}: {stray.text}")
