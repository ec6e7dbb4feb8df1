"""Verbs of a session's life: what it is to do next, and how it ends, stops and comes back."""

from __future__ import annotations

import os
import time
from typing import Any

from acp_nvim.agent import settings
from acp_nvim.commands.application import Application, Table
from acp_nvim.history.transcripts import Transcripts
from acp_nvim.host.host import Host
from acp_nvim.host.session_start import NEW, Way
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session


class SessionCommands:
    def __init__(self, app: Application, transcripts: Transcripts) -> None:
        self._app, self._transcripts = app, transcripts
        self.table: Table = {
            "new": self._new,
            "prompt": self._prompt,
            "cancel": self._cancel,
            "queue_release": self._queue_release,
            "stop": self._stop,
            "restart": self._start_again,
            "close": self._close,
            "follow": self._follow,
            "follow_paused": self._pause_following,
        }

    # --- how it begins

    def _new(self, payload: dict[str, Any]) -> None:
        """With an id it is a session of an earlier backend: loaded if the agent can, else begun anew."""
        known = payload.get("id")
        is_first = not self._app.sessions
        session = self.open(payload, Way("again", str(known)) if known else NEW, lived=bool(known))
        if is_first and not known:
            self._app.spawn(self._transcripts.tell_of_cut, session)
        if waiting := payload.get("queue"):
            session.queue.restore(map(from_editor, waiting))

    def open(self, payload: dict[str, Any], way: Way, lived: bool = False) -> Session:
        roots = tuple(os.path.abspath(os.path.expanduser(root)) for root in payload.get("roots") or ())
        number, agent = int(payload["session"]), settings.agent_of(payload)
        session = Session(number, agent, settings.folder_of(payload), roots)
        self._app.services.files.boundary.begin(session)
        session.lived = lived
        session.memory = way.id if way.kind == "again" else None
        session.title, session.name, session.about = (
            str(payload[key]) if payload.get(key) else None for key in ("title", "name", "about")
        )
        self._transcripts.restore(session, payload.get("transcript"))
        self._app.show(session)
        self._app.start(session, way)
        return session

    # --- what it is to do

    def _prompt(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        session.ack = int(payload.get("seq") or 0)
        self._app.services.loaded = [str(path) for path in payload.get("loaded") or ()]
        prompt = from_editor(payload)
        host = self._app.host_of(session)
        stopping = bool(host and host.stopping)
        ended = session.phase in ("stopped", "failed")
        ahead = payload.get("first") or payload.get("next") or ended or stopping
        session.queue.add(prompt, first=bool(ahead))
        if host and stopping:
            session.phase = "starting" if session.phase == "idle" else session.phase
            self._app.spawn(self._revive_after, host, session)
        elif ended:
            self._revive(session)
        elif host:
            if payload.get("first") and session.in_turn:
                host.cancel(session)
                session.queue.release()
            host.advance(session)
        if session.phase == "auth":
            self._app.say("warn", f"{session.agent} wants a login first, the prompt waits: :Acp login")
        self._app.touch(session)

    async def _revive_after(self, host: Host, session: Session) -> None:
        await host.connection.stop()
        self._revive(session)

    def _revive(self, session: Session) -> None:
        """There is a prompt for it: what has ended starts anew."""
        session.queue.release()
        if session.phase in ("stopped", "failed"):
            host = next((host for host in self._app.hosts if session in host.sessions), None)
            self._app.start(session, _way_back(session, host))

    def _cancel(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        if host := self._app.host_of(session):
            host.cancel(session)
            if session.phase == "auth":
                host.give_up(host)  # the login
        if payload.get("clear"):
            self._app.editor.notify("history", session.number, session.queue.clear())
        self._app.touch(session)

    def _queue_release(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        session.queue.release()
        if host := self._app.host_of(session):
            host.advance(session)
        self._app.touch(session)

    def _follow(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        session.following, session.paused = bool(payload.get("on")), False
        self._app.touch(session)

    def _pause_following(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        session.following, session.paused = False, True
        self._app.touch(session)

    # --- how it ends, and comes back

    def _stop(self, payload: dict[str, Any]) -> None:
        host = self._app.host_of(self._app.session(payload))
        if host is None:
            return self._app.say("info", "no agent is running here")
        host.stop()
        ended = ", ".join(str(session.number) for session in host.sessions)
        self._app.say("info", f"{host.spec.name} is being stopped; with it session {ended}")

    def _start_again(self, payload: dict[str, Any]) -> None:
        self.restart(self._app.session(payload))

    def restart(self, session: Session, logged_in: bool = False) -> None:
        host = next((host for host in self._app.hosts if session in host.sessions), None)
        lived = host.sessions if host else [session]
        free = [each for each in lived if logged_in and each.phase == "auth" and not each.queue.held]
        if host:
            host.stop()
        self._app.spawn(self._restart, lived, host, free)

    async def _restart(self, lived: list[Session], host: Host | None, free: list[Session]) -> None:
        """Every session that lived in the process comes back, as far as the agent can; those that have waited
        for a login with their prompts."""
        ways = {each.number: _way_back(each, host) for each in lived}
        if host:
            await host.connection.stop()
        for each in lived:
            if each.number not in self._app.sessions or self._app.host_of(each):
                continue  # closed or started meanwhile
            if each in free:
                each.queue.release()
            self._app.start(each, ways[each.number])

    def _close(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        session.closing = True
        if host := self._app.host_of(session):
            host.cancel(session)
            host.close(session)
        self._app.host_changed()
        self.let_go(session)

    def let_go(self, session: Session) -> None:
        """It is closed."""
        session.gone("closed", None, time.monotonic())
        self._app.forget(session)


def from_editor(payload: dict[str, Any]) -> Prompt:
    return Prompt(str(payload["text"]), list(payload.get("context") or []), int(payload.get("seq") or 0))


def _way_back(session: Session, host: Host | None) -> Way:
    """How a session whose agent has ended comes back."""
    unfinished = host.starts.unfinished(session) if host else None
    return unfinished or (Way("again", session.memory) if session.memory else NEW)
