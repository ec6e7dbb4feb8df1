"""Verbs of the sessions that agents have saved: listed, opened again, forked, deleted; and their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.commands.application import Application, Table
from acp_nvim.commands.sessions import SessionCommands
from acp_nvim.host.saved_session_pages import SavedSessionPages
from acp_nvim.host.session_start import Way
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.text.printable import one_line

if TYPE_CHECKING:
    from acp_nvim.host.host import Host


class SavedSessionCommands:
    def __init__(self, app: Application, sessions: SessionCommands) -> None:
        self._app, self._sessions = app, sessions
        self._is_open = False
        self._listings: dict[Host, SavedSessionPages] = {}
        self.table: Table = {
            "list": self._show_list,
            "list_end": self._end_list,
            "load": self._load,
            "resume": self._resume,
            "reopen": self._reopen,
            "fork": self._fork,
            "rename": self._rename,
            "delete": self._delete,
        }

    # --- the list

    def _show_list(self, payload: dict[str, Any]) -> None:
        """Agents that run are asked. Only where none does, one is started for it."""
        self._is_open = True
        hosts = self._running()
        if not hosts and payload.get("agent"):
            try:
                spec = self._app.settings.agent(str(payload["agent"]))
            except ValueError as error:
                return self._app.say("error", str(error))
            hosts = [self._app.host_for(spec, spec.cwd or str(payload["cwd"]))]
        for host in hosts:
            host.kept = True
            if host.agent and (host not in self._listings or payload.get("refresh")):
                self._listing(host).begin()
            elif host.agent and payload.get("more"):
                self._listing(host).more()
        self.tell()

    def _end_list(self, payload: dict[str, Any]) -> None:
        """Nobody looks at it any more."""
        self._is_open = False
        for listing in self._listings.values():
            listing.end()
        self._listings.clear()
        for host in self._app.hosts:
            host.kept = False
            host.rest()

    def agent_ready(self, host: Host) -> None:
        """An agent is ready."""
        if self._is_open:
            host.kept = True
            self._listing(host).begin()
            self.tell()

    def tell(self) -> None:
        if self._is_open:
            self._app.editor.notify("listed", [self._shape(host) for host in self._running()])

    def _running(self) -> list[Host]:
        return [host for host in self._app.hosts if host.alive and not host.stopping]

    def _listing(self, host: Host) -> SavedSessionPages:
        return self._listings.setdefault(host, SavedSessionPages(host, self.tell))

    def _shape(self, host: Host) -> dict[str, Any]:
        listing = self._listings.get(host)
        shape = listing.shape() if listing else {"state": "asking", "sessions": []}
        can = {name: bool(host.agent and host.agent.session(name)) for name in ("resume", "fork", "delete")}
        can["load"] = bool(host.agent and host.agent.can_load)
        return {**shape, "agent": host.name, "cwd": host.cwd, "can": can}

    # --- opening

    def _load(self, payload: dict[str, Any]) -> None:
        self._open(payload, Way("load", str(payload["id"])))

    def _resume(self, payload: dict[str, Any]) -> None:
        self._open(payload, Way("resume", str(payload["id"])))

    def _reopen(self, payload: dict[str, Any]) -> None:
        """As the agent can."""
        self._open(payload, Way("again", str(payload["id"])))

    def _fork(self, payload: dict[str, Any]) -> None:
        self._open(payload, Way("fork", str(payload["id"])))

    def _open(self, payload: dict[str, Any], way: Way) -> None:
        known = [
            listing.title(way.id) for host, listing in self._listings.items() if host.name == payload["agent"]
        ]
        self._sessions.open({"title": next(filter(None, known), None), **payload}, way)

    # --- the rest

    def _rename(self, payload: dict[str, Any]) -> None:
        """The protocol has no word for it: the title is the user's own."""
        session = self._app.session(payload)
        session.name = one_line(str(payload["title"])) or None
        self._app.touch(session)

    def _delete(self, payload: dict[str, Any]) -> None:
        session_id, agent = str(payload["id"]), payload.get("agent")
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
        self.tell()
