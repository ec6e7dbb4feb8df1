"""Handles what an agent says in the sessions of its subagents, and finds the session in which they ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from acp_nvim.agent.incoming_requests import IncomingRequest
from acp_nvim.host.interface import Application
from acp_nvim.protocol import schema
from acp_nvim.session.asker import Asker, announced, unannounced
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent


class SubagentMessages:
    """`sessions` returns those that the agent has, by their ids; `apply` takes an update of one of them."""

    def __init__(
        self,
        app: Application,
        sessions: Callable[[], Mapping[str, Session]],
        apply: Callable[[Session, schema.Update], None],
    ) -> None:
        self._app, self._sessions, self._apply = app, sessions, apply

    def find(self, session_id: str | None) -> tuple[Session, Subagent] | None:
        """Find a subagent that was announced, and the session in whose chat it is shown."""
        for session in self._sessions().values():
            if child := session.subagents.get(session_id):
                return session, child
        return None

    def asker(self, session_id: str | None) -> Asker | None:
        """Find who asks under an id that is none of the sessions. One that was never announced is a subagent of the
        one session that runs: refused, some agents would wait for its answer for ever."""
        if found := self.find(session_id):
            return announced(*found)
        running = [session for session in self._sessions().values() if session.in_turn]
        return unannounced(running[0], session_id) if session_id and len(running) == 1 else None

    def prepare(self, incoming: IncomingRequest, session_id: str | None) -> None:
        """Let a command of a subagent start in its own folder, if it names no other."""
        params, found = incoming.request.params, self.find(session_id)
        if incoming.request.method == "terminal/create" and found and found[1].cwd and not params.get("cwd"):
            params["cwd"] = found[1].cwd

    def may_announce(self, session: Session, update: schema.SubagentUpdate) -> bool:
        """Whether the id is free, or that of a subagent of the same session: it never changes its owner."""
        found = self.find(update.id)
        return update.id not in self._sessions() and (found is None or found[0] is session)

    def update(self, session_id: str | None, updates: list[schema.Update]) -> bool:
        """Apply updates of a session that is none of ours; False if it is no subagent's."""
        if asker := self.asker(session_id):
            self._update_asked_calls(asker, updates)
        found = self.find(session_id)
        if found is None:
            return False
        for update in updates:
            self._update_child(*found, update)
        return True

    def _update_asked_calls(self, asker: Asker, updates: list[schema.Update]) -> None:
        """Apply what a child says of its calls to those that its parent shows, because it has asked about them."""
        for update in updates:
            if isinstance(update, schema.ToolCallUpdate):
                id = asker.call_id(update.id)
                if asker.session.transcript.calls.find(id):
                    self._apply(asker.session, replace(update, id=id, parent=None))
                    self._app.touch(asker.session)

    def _update_child(self, session: Session, child: Subagent, update: schema.Update) -> None:
        if isinstance(update, schema.SubagentUpdate) and not self.may_announce(session, update):
            return
        call = session.subagents.apply(child, update, time.monotonic())
        # of a call that the parent shows, too, the services have been told already
        if call and not session.transcript.calls.find(call.id):
            self._app.services.tool_call_changed(session, call)
            if isinstance(update, schema.ToolCallUpdate) and update.meta:
                self._app.services.terminals.take_reported_output(session, call, update.meta)
        if not isinstance(update, schema.Chunk):
            self._app.touch(session)
