"""Verbs of a session's life: what it is to do next, and how it ends, stops and comes back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from acp_nvim.host.host import Host
from acp_nvim.host.session_start import NEW, Way
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session

if TYPE_CHECKING:
    from acp_nvim.app import Client


class Living:
    def __init__(self, client: Client) -> None:
        self._client = client

    def do_prompt(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        session.ack = int(payload.get("seq") or 0)
        self._client.services.loaded = [str(path) for path in payload.get("loaded") or ()]
        prompt = from_editor(payload)
        host = self._client.host_of(session)
        stopping = bool(host and host.stopping)
        ended = session.phase in ("stopped", "failed")
        ahead = payload.get("first") or payload.get("next") or ended or stopping
        session.queue.add(prompt, first=bool(ahead))
        if host and stopping:
            session.phase = "starting" if session.phase == "idle" else session.phase
            self._client.spawn(self._revive_after, host, session)
        elif ended:
            self._revive(session)
        elif host:
            if payload.get("first") and session.in_turn:
                host.cancel(session)
                session.queue.release()
            host.advance(session)
        if session.phase == "auth":
            self._client.say("warn", f"{session.agent} wants a login first, the prompt waits: :Acp login")
        self._client.touch(session)

    async def _revive_after(self, host: Host, session: Session) -> None:
        await host.connection.stop()
        self._revive(session)

    def _revive(self, session: Session) -> None:
        """There is a prompt for it: what has ended starts anew."""
        session.queue.release()
        if session.phase in ("stopped", "failed"):
            host = next((host for host in self._client.hosts if session in host.sessions), None)
            self._client.start(session, _way_back(session, host))

    def do_cancel(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        if host := self._client.host_of(session):
            host.cancel(session)
            if session.phase == "auth":
                host.give_up(host)  # the login
        if payload.get("clear"):
            self._client.editor.notify("history", session.number, session.queue.clear())
        self._client.touch(session)

    def do_queue_release(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        session.queue.release()
        if host := self._client.host_of(session):
            host.advance(session)
        self._client.touch(session)

    def do_stop(self, payload: dict[str, Any]) -> None:
        host = self._client.host_of(self._client.session(payload))
        if host is None:
            return self._client.say("info", "no agent is running here")
        host.stop()
        ended = ", ".join(str(session.number) for session in host.sessions)
        self._client.say("info", f"{host.spec.name} is being stopped; with it session {ended}")

    def do_restart(self, payload: dict[str, Any]) -> None:
        self.restart(self._client.session(payload))

    def restart(self, session: Session, logged_in: bool = False) -> None:
        host = next((host for host in self._client.hosts if session in host.sessions), None)
        lived = host.sessions if host else [session]
        free = [each for each in lived if logged_in and each.phase == "auth" and not each.queue.held]
        if host:
            host.stop()
        self._client.spawn(self._restart, lived, host, free)

    async def _restart(self, lived: list[Session], host: Host | None, free: list[Session]) -> None:
        """Every session that lived in the process comes back, as far as the agent can; those that have waited
        for a login with their prompts."""
        ways = {each.number: _way_back(each, host) for each in lived}
        if host:
            await host.connection.stop()
        for each in lived:
            if each.number not in self._client.sessions or self._client.host_of(each):
                continue  # closed or started meanwhile
            if each in free:
                each.queue.release()
            self._client.start(each, ways[each.number])

    def do_close(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        session.closing = True
        if host := self._client.host_of(session):
            host.cancel(session)
            host.close(session)
        self._client.catalogue.tell()
        self.let_go(session)

    def let_go(self, session: Session) -> None:
        """It is closed."""
        session.gone("closed", None, time.monotonic())
        self._client.forget(session)


def from_editor(payload: dict[str, Any]) -> Prompt:
    return Prompt(str(payload["text"]), list(payload.get("context") or []), int(payload.get("seq") or 0))


def _way_back(session: Session, host: Host | None) -> Way:
    """How a session whose agent has ended comes back."""
    unfinished = host.opening.unfinished(session) if host else None
    return unfinished or (Way("again", session.memory) if session.memory else NEW)
