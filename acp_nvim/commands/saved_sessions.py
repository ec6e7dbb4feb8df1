"""Serves commands about sessions that agents have saved: list, open, fork, delete and rename."""

from __future__ import annotations

from typing import Any

from acp_nvim import limits
from acp_nvim.agent.connection import Gone, Result
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.commands.sessions import SessionCommands
from acp_nvim.host.host import Host
from acp_nvim.host.saved_session_pages import SavedSessionPages
from acp_nvim.host.session_start import Way
from acp_nvim.messages.saved_sessions import (
    Delete,
    Fork,
    List,
    Listed,
    ListEnd,
    Load,
    OpenSaved,
    Reopen,
    Resume,
)
from acp_nvim.messages.sessions import Rename
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.session import fork_points
from acp_nvim.session.session import Session
from acp_nvim.text.printable import one_line


class SavedSessionCommands:
    def __init__(self, app: Application, sessions: SessionCommands) -> None:
        self._app, self._sessions = app, sessions
        self._is_open = False
        self._listings: dict[Host, SavedSessionPages] = {}
        self.table: Table = {
            "list": handle(List, self._show_list),
            "list_end": handle(ListEnd, self._end_list),
            "load": handle(Load, self._load),
            "resume": handle(Resume, self._resume),
            "reopen": handle(Reopen, self._reopen),
            "fork": handle(Fork, self._fork),
            "rename": handle(Rename, self._rename),
            "delete": handle(Delete, self._delete),
        }

    # --- the list

    def _show_list(self, command: List) -> None:
        """List the sessions of running agents. If none runs, one is started."""
        self._is_open = True
        hosts = self._running()
        if not hosts and command.agent:
            try:
                spec = self._app.settings.agent(command.agent)
            except ValueError as error:
                return self._app.say("error", str(error))
            hosts = [self._app.host_for(spec, spec.cwd or command.cwd)]
        for host in hosts:
            host.kept = True
            if host.agent and (host not in self._listings or command.refresh):
                self._listing(host).begin()
            elif host.agent and command.more:
                self._listing(host).more()
        self.send_list()

    def _end_list(self, command: ListEnd) -> None:
        """End agents that run only for the list, because it was closed."""
        self._is_open = False
        for listing in self._listings.values():
            listing.end()
        self._listings.clear()
        for host in self._app.hosts:
            host.kept = False
            host.stop_if_unused()

    def agent_ready(self, host: Host) -> None:
        """Ask an agent that is ready for its sessions."""
        if self._is_open:
            host.kept = True
            self._listing(host).begin()
            self.send_list()

    def send_list(self) -> None:
        if self._is_open:
            self._app.editor.notify(Listed([self._shape(host) for host in self._running()]))

    def _running(self) -> list[Host]:
        return [host for host in self._app.hosts if host.alive and not host.stopping]

    def _listing(self, host: Host) -> SavedSessionPages:
        return self._listings.setdefault(host, SavedSessionPages(host, self.send_list))

    def _shape(self, host: Host) -> dict[str, Any]:
        listing = self._listings.get(host)
        shape = listing.shape() if listing else {"state": "asking", "sessions": []}
        can = {name: bool(host.agent and host.agent.session(name)) for name in ("resume", "fork", "delete")}
        can["load"] = bool(host.agent and host.agent.can_load)
        return {**shape, "agent": host.name, "cwd": host.cwd, "can": can}

    # --- opening

    def _load(self, command: Load) -> None:
        self._open(command, Way("load", command.id))

    def _resume(self, command: Resume) -> None:
        self._open(command, Way("resume", command.id))

    def _reopen(self, command: Reopen) -> None:
        """Open a saved session in the way that the agent can."""
        self._open(command, Way("again", command.id))

    def _fork(self, command: Fork) -> None:
        point = ""
        if command.of is not None:
            source = self._app.session(command.of)
            key = command.key if command.turn is None else source.prompt_keys.get(command.turn, -1)
            point = "" if key is None else self._fork_point(source, key)
        self._open(command, Way("fork", command.id, point))

    def _fork_point(self, source: Session, key: int) -> str:
        """Return where to fork, as the agent names it; empty if it has no such point: the fork is of the whole."""
        host = self._app.host_of(source)
        if host is None or not (host.dialect.forks_at_messages or host.dialect.branches):
            self._app.say(
                "info", f"{source.agent} can only fork whole sessions: the new one remembers all of this one"
            )
            return ""
        point = fork_points.find(source.transcript, key, host.dialect.forks_at_messages)
        if point is None:
            self._app.say(
                "info", f"{source.agent} has no fork point above this line: the whole session was forked"
            )
        return point or ""

    def _open(self, command: OpenSaved, way: Way) -> None:
        listed = [each for host, each in self._listings.items() if host.name == command.agent]
        title = next(filter(None, (each.title(way.id) for each in listed)), None)
        roots = next(filter(None, (each.roots(way.id) for each in listed)), ())
        self._sessions.open(command, way, title=title, saved_roots=roots)

    # --- the rest

    def _rename(self, command: Rename) -> None:
        """Rename a session, with its agent where that takes titles; else only this editor knows the title."""
        session = self._app.session(command.session)
        session.name = one_line(command.title) or None
        self._app.touch(session)
        host = self._app.host_of(session)
        if session.name and session.id and host and host.agent and host.agent.session("title"):
            title = session.name[: limits.SESSION_TITLE_CHARS]
            params = {"sessionId": session.id, "title": title}
            before = session.title
            host.call(
                "session/set_title",
                params,
                lambda result: self._renamed(host, session, title, before, result),
                owner=session,
            )

    def _renamed(self, host: Host, session: Session, title: str, before: str | None, result: Result) -> None:
        """Take the title as the agent has stored it: it says so in its answer, or by an update ahead of that. A
        refused one stays the user's own."""
        if isinstance(result, Gone):
            return
        if isinstance(result, Failure):
            return self._app.say("warn", f"{host.name} refused the title, so only you see it: {result.error}")
        stored = result.result.get("title") if isinstance(result.result, dict) else None
        if session.name == title:  # else it has been renamed again
            session.name = None
            updated = session.title if session.title != before else None
            told = stored if isinstance(stored, str) and stored else updated or title
            session.title = told[: limits.SESSION_TITLE_CHARS]
            self._app.touch(session)

    def _delete(self, command: Delete) -> None:
        session_id, agent = command.id, command.agent
        hosts = [host for host in self._running() if agent in (None, host.name)]
        host = next((host for host in hosts if session_id in host.starts.by_id), None) or next(
            iter(hosts), None
        )
        if host is None or host.agent is None:
            return self._app.say("warn", f"{agent or 'the agent'} is not running: nothing was deleted")
        if not host.agent.session("delete"):
            return self._app.say("warn", f"{host.name} cannot delete sessions: nothing was deleted")
        if session := host.starts.by_id.get(session_id):
            session.closing = True
            host.cancel(session)
        params = {"sessionId": session_id}
        host.call("session/delete", params, lambda result: self._deleted(host, session_id, result))

    def _deleted(self, host: Host, session_id: str, result: Result) -> None:
        if isinstance(result, Gone):
            return
        if isinstance(result, Failure):
            if session := host.starts.by_id.get(session_id):
                session.closing = False
            return self._app.say("error", f"{host.name} did not delete {session_id}: {result.error}")
        for listed, listing in self._listings.items():
            if listed.name == host.name:
                listing.remove(session_id)
        self._app.say("info", f"deleted {session_id}")
        if session := host.starts.by_id.get(session_id):
            host.leave(session)
            self._sessions.let_go(session)
        self.send_list()
