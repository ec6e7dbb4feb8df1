"""The composition root: the editor's verbs come in, sessions and hosts do the work, frames go out."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_nvim.agent import settings, wire_file
from acp_nvim.agent.settings import AgentSpec, Settings
from acp_nvim.agent.trace import WireTrace
from acp_nvim.commands.controls import Controlling
from acp_nvim.commands.doctor import Doctor
from acp_nvim.commands.forms import Filling
from acp_nvim.commands.log import Looking
from acp_nvim.commands.login import Login
from acp_nvim.commands.questions import Deciding
from acp_nvim.commands.queue import Queueing
from acp_nvim.commands.saved_sessions import Catalogue
from acp_nvim.commands.sessions import Living, from_editor
from acp_nvim.editor.interface import Call, Editor
from acp_nvim.history.transcripts import Transcripts
from acp_nvim.host.agent_services import Services
from acp_nvim.host.host import Host
from acp_nvim.host.mcp_servers import Servers
from acp_nvim.host.session_start import NEW, Way
from acp_nvim.message_log import Diary
from acp_nvim.permissions.apply_rules import Rulings
from acp_nvim.permissions.decision_log import Audit
from acp_nvim.processes import running_file
from acp_nvim.reviewing import Reviewing
from acp_nvim.session import question
from acp_nvim.session.session import Session
from acp_nvim.session_view import PATIENCE, Showing

log = logging.getLogger(__name__)


class Client:
    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        editor.collect = self._collect
        self.settings = Settings()
        self.diary = Diary()
        self._logs: str | None = None  # the folder for files of log.wire
        self._leaders: str | None = None  # the file for what Neovim has to end should we die
        self.sessions: dict[int, Session] = {}
        self.hosts: list[Host] = []
        self.services = Services(editor, self.spawn, self.touch, self.host_changed)
        self.filling = Filling(self)
        self.audit = Audit(self.spawn, self.say_unkept)
        self.rulings = Rulings(self.say, self.touch, self.audit.record)
        self.living = Living(self)
        self.catalogue = Catalogue(self)
        self.controlling = Controlling(self)
        self.servers = Servers(self.say)
        self.transcripts = Transcripts(self, self.spawn)
        self.doctor = Doctor(self, self.spawn)
        self._doors = (
            self,
            self.catalogue,
            Login(self),
            self.living,
            Looking(self),
            Deciding(self),
            Reviewing(self),
            self.filling,
            Queueing(self),
            self.controlling,
            self.transcripts,
            self.doctor,
        )  # each handles its verbs
        self._secrets: set[str] = set()  # of all configurations so far: their agents may run on
        self._shown: dict[int, Showing] = {}
        self._rooms: dict[int, tuple[int, int]] = {}  # rows and columns of their windows
        self._touched: dict[int, Showing] = {}
        self._tasks: TaskGroup | None = None
        self._early: list[tuple[str, dict[str, Any]]] = []

    async def run(self) -> None:
        """Until shutdown; then every agent is ended."""
        try:
            async with anyio.create_task_group() as self._tasks:
                for verb, payload in self._early:
                    self.receive(verb, payload)
                try:
                    await anyio.sleep_forever()
                finally:
                    self.transcripts.break_off()
                    for host in self.hosts:
                        host.say_goodbye(host.sessions)  # while there is somebody to read it
                    self.services.files.close()
                    self.audit.closing()
        finally:
            self.transcripts.close()
            with anyio.CancelScope(shield=True):
                await self._end_all()
            self.audit.close()
            self.transcripts.close()

    async def _end_all(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.services.terminals.close_all)
            for host in self.hosts:
                tasks.start_soon(host.connection.stop)

    # --- the editor's verbs

    def receive(self, verb: str, payload: dict[str, Any]) -> None:
        """One failing verb is one clear line; the next still works."""
        if self._tasks is None:
            self._early.append((verb, payload))
            return
        handler = self._handler(verb)
        try:
            if handler is None:
                raise ValueError(f"the backend knows no '{verb}': restart Neovim after an update")
            handler(payload)
        except Exception as error:
            log.exception("%s failed", verb)
            self.say("error", f"{verb}: {error}")

    def _handler(self, verb: str) -> Callable[[dict[str, Any]], None] | None:
        doors = (getattr(door, f"do_{verb}", None) for door in self._doors)
        return next((door for door in doors if door), None)

    def do_setup(self, payload: dict[str, Any]) -> None:
        self.settings, complaints = settings.read(payload.get("config"))
        self._leaders = payload.get("leaders") or self._leaders
        self.diary.keep_from(self.settings.log.level)
        self._logs = payload.get("log")
        question.number_from(int(payload.get("next_question") or 1))
        self.services.configure(self.settings)
        self.services.review.notes.keys = str(payload.get("review_keys") or "")
        self.rulings.configure(self.settings.permissions)
        self._secrets.update(self.settings.secrets)
        self.diary.hide(self._secrets)
        self.audit.configure(payload.get("state"), self._secrets)
        self.transcripts.configure(payload.get("state"), self.settings.transcripts.keep, self._secrets)
        for complaint in complaints:
            self.say("warn", complaint)
        self.editor.notify("ready", payload.get("version"))

    def do_new(self, payload: dict[str, Any]) -> None:
        """With an id it is a session of an earlier backend: loaded if the agent can, else begun anew."""
        known = payload.get("id")
        is_first = not self._shown
        session = self.open(payload, Way("again", str(known)) if known else NEW, lived=bool(known))
        if is_first and not known:
            self.spawn(self.transcripts.tell_of_cut, session)
        if waiting := payload.get("queue"):
            session.queue.restore(map(from_editor, waiting))

    def open(self, payload: dict[str, Any], way: Way, lived: bool = False) -> Session:
        cwd = settings.folder_of(payload)
        roots = tuple(os.path.abspath(os.path.expanduser(root)) for root in payload.get("roots") or ())
        session = Session(int(payload["session"]), settings.agent_of(payload), cwd, roots)
        self.services.files.boundary.begin(session)
        session.lived = lived
        session.memory = way.id if way.kind == "again" else None
        session.title, session.name, session.about = (
            str(payload[key]) if payload.get(key) else None for key in ("title", "name", "about")
        )
        self.transcripts.restore(session, payload.get("transcript"))
        self.show(session)
        self.start(session, way)
        return session

    def show(self, session: Session) -> None:
        """From now on it is one of those that the editor knows."""
        self.sessions[session.number] = session
        shown = self._shown[session.number] = Showing(session, self.services.terminals.text)
        if room := self._rooms.get(session.number):
            shown.view.fit(room)

    def do_terminal_watch(self, payload: dict[str, Any]) -> None:
        self.services.terminals.watch(self.session(payload), str(payload["id"]), int(payload["buffer"]))

    def do_terminal_kill(self, payload: dict[str, Any]) -> None:
        if not self.services.terminals.stop(self.session(payload), str(payload["id"])):
            self.say("info", "that is not ours to stop, or has ended: :Acp cancel ends the turn")

    def do_modified(self, payload: dict[str, Any]) -> None:
        is_modified, behind = bool(payload.get("modified")), payload.get("behind")
        self.services.modified(str(payload["path"]), is_modified, tuple(behind) if behind else None)

    def do_follow(self, payload: dict[str, Any]) -> None:
        session = self.session(payload)
        session.following, session.paused = bool(payload.get("on")), False
        self.touch(session)

    def do_follow_paused(self, payload: dict[str, Any]) -> None:
        session = self.session(payload)
        session.following, session.paused = False, True
        self.touch(session)

    def do_toggle(self, payload: dict[str, Any]) -> None:
        shown = self._shown[self.session(payload).number]
        shown.view.toggle(int(payload["key"]), payload.get("open"))
        self.touch(shown.session)

    def do_fit(self, payload: dict[str, Any]) -> None:
        """The size of a session's chat, perhaps told before the session is begun."""
        number = int(payload["session"])
        self._rooms[number] = int(payload["rows"]), int(payload["columns"])
        if shown := self._shown.get(number):
            shown.view.fit(self._rooms[number])
            self.touch(shown.session)

    def do_details(self, payload: dict[str, Any]) -> None:
        lines, filetype = self._shown[self.session(payload).number].view.details(int(payload["key"]))
        self.editor.notify("float", lines, filetype)

    def do_render(self, payload: dict[str, Any]) -> None:
        shown = self._shown[self.session(payload).number]
        shown.anew()
        self.touch(shown.session)

    # --- hosts

    def start(self, session: Session, way: Way) -> None:
        try:
            spec = self.settings.agent(session.agent)
        except ValueError as error:
            session.refuse(str(error))
            self.say("error", str(error))
        else:
            home = self.host_for(spec, spec.cwd or session.cwd)
            for host in self.hosts:
                if host is not home:
                    host.leave(session)
            home.open(session, way)
        self.touch(session)

    def host_for(self, spec: AgentSpec, cwd: str) -> Host:
        """One process per agent and folder, shared by its sessions."""
        for host in self.hosts:
            if host.alive and not host.stopping and host.spec == spec and host.cwd == cwd:
                return host
        self.hosts = [host for host in self.hosts if host.alive or host.sessions]
        assert self._tasks
        host = Host(spec, cwd, self, self._tasks)
        self.hosts.append(host)
        self.spawn(host.run)
        return host

    def host_of(self, session: Session) -> Host | None:
        return next((host for host in self.hosts if host.alive and session in host.sessions), None)

    def spawn(self, function: Callable[..., Any], *arguments: Any) -> None:
        assert self._tasks
        if not self._tasks.cancel_scope.cancel_called:  # nobody would cancel, or end, what begins after that
            self._tasks.start_soon(self._guarded, function, *arguments)

    async def _guarded(self, function: Callable[..., Any], *arguments: Any) -> None:
        """A fault in one agent's task must not end the others."""
        try:
            await function(*arguments)
        except Exception as error:
            log.exception("%s failed", getattr(function, "__qualname__", function))
            self.say("error", f"internal fault: {error}; :Acp log has the details")

    def session(self, payload: dict[str, Any]) -> Session:
        number = payload.get("session")
        if number not in self.sessions:
            raise ValueError(f"there is no session {number}")
        return self.sessions[number]

    # --- what hosts tell

    def touch(self, session: Session) -> None:
        shown = self._shown.get(session.number)
        if shown:
            shown.has_news = True
            self._touched[session.number] = shown
        self.editor.wake(at_once=shown is not None and shown.is_awaited)

    def grew(self, session: Session) -> None:
        """Its text has, and nothing else."""
        if shown := self._shown.get(session.number):
            self._touched[session.number] = shown
        self.editor.wake()

    def say(self, level: str, text: str, path: str | None = None) -> None:
        """The editor shows it, with as much of the path at its end as fits, and keeps it in a log of its own."""
        said = [self.diary.without_secrets(each) for each in (text, path) if each]
        self.editor.notify("message", level, *said)

    def say_unkept(self, text: str) -> None:
        """Something could not be written to the state folder. The editor warns of that once, whatever it was."""
        self.editor.notify("unkept", self.diary.without_secrets(text))

    def trace(self, spec: AgentSpec) -> WireTrace:
        """The record of an agent's wire, from its start; with `log.wire` in a file as well."""
        wanted = self.settings.log.wire and self._logs
        file = wire_file.begin(str(self._logs), spec.name, self.say) if wanted else None
        return WireTrace(spec.secrets, file=file)

    def note(self, level: str, text: str) -> None:
        self.diary.write(level, text)

    def host_ready(self, host: Host) -> None:
        self.catalogue.meet(host)

    def host_changed(self) -> None:
        self.catalogue.tell()
        agents = [host.connection.pid for host in self.hosts if host.alive and host.connection.pid]
        running_file.write(self._leaders, agents + self.doctor.pids + self.services.terminals.pgids())

    def forget(self, session: Session) -> None:
        """It leaves the list; what it has to tell goes out first."""
        self.transcripts.let_go(session)
        shown = self._shown.pop(session.number, None)
        self._touched.pop(session.number, None)
        self.sessions.pop(session.number, None)
        self.services.terminals.forget(session)
        self.services.files.forget(session)
        self.services.watch.forget(session)
        self.services.review.forget(session)
        for call in shown.news(time.monotonic()) if shown else ():
            self.editor.notify(*call)
        self.editor.notify("ended", session.number)

    def _collect(self) -> list[Call]:
        calls: list[Call] = self.services.review.news()  # which may change a line in a chat
        touched, self._touched = self._touched, {}
        now = time.monotonic()
        for number, shown in touched.items():
            self.transcripts.look(shown.session)
            if shown.frame(calls, now):
                self._touched[number] = shown
                self.editor.wake()
            elif shown.pools:
                asyncio.get_running_loop().call_later(PATIENCE, self.touch, shown.session)
        return calls
