"""Composes the backend: serves the editor's commands, keeps sessions and agent processes, sends frames."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_nvim.agent import settings, wire_log
from acp_nvim.agent.settings import AgentSpec, Settings
from acp_nvim.agent.trace import WireTrace
from acp_nvim.backend_log import BackendLog
from acp_nvim.commands.chat import ChatCommands
from acp_nvim.commands.comments import CommentCommands
from acp_nvim.commands.dispatch import Refused, dispatch, handle, joined
from acp_nvim.commands.doctor import Doctor
from acp_nvim.commands.forms import FormCommands
from acp_nvim.commands.log import LogCommands
from acp_nvim.commands.login import LoginCommands
from acp_nvim.commands.questions import QuestionCommands
from acp_nvim.commands.queue import QueueCommands
from acp_nvim.commands.review import ReviewCommands
from acp_nvim.commands.saved_sessions import SavedSessionCommands
from acp_nvim.commands.session_options import SessionOptionCommands
from acp_nvim.commands.sessions import SessionCommands
from acp_nvim.commands.takes import TakeCommands
from acp_nvim.commands.terminals import TerminalCommands
from acp_nvim.commands.transcripts import TranscriptCommands
from acp_nvim.editor.interface import Editor
from acp_nvim.history.transcripts import Transcripts
from acp_nvim.host.agent_services import AgentServices
from acp_nvim.host.host import Host
from acp_nvim.host.mcp_servers import McpServers
from acp_nvim.host.session_controls import SessionControls
from acp_nvim.host.session_start import Way
from acp_nvim.messages.backend import Message, Ready, Setup, Unkept
from acp_nvim.messages.base_classes import Call
from acp_nvim.messages.documents import Entered, Modified, Opened, Saved, Unlocked
from acp_nvim.messages.editor_tools import EditorAnswered
from acp_nvim.messages.sessions import Ended
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.permissions.decision_log import DecisionLog
from acp_nvim.processes import running_file
from acp_nvim.processes.descendants import Lineage
from acp_nvim.session import question
from acp_nvim.session.session import Session
from acp_nvim.shown_sessions import ShownSessions

log = logging.getLogger(__name__)


class App:
    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.settings = settings.NONE
        self.backend_log = BackendLog()
        self._logs: str | None = None  # the folder for files of log.wire
        self._leaders: str | None = None  # the file of processes that Neovim has to end if the backend dies
        self._secrets: set[str] = set()  # of all configurations so far: their agents may run on
        self.sessions: dict[int, Session] = {}
        self.hosts: list[Host] = []
        self._decisions = DecisionLog(self.spawn, self.warn_unkept)
        self.rules = RuleApplier(self.say, self.touch, self._decisions.record)
        self.services = AgentServices(
            editor, self.spawn, self.touch, self.host_changed, self.rules, self.hide
        )
        terminal = self.services.terminals.text
        self.controls = SessionControls(self.say, self.touch)
        self.servers = McpServers(self.say, self.services.tools)
        self._transcripts = Transcripts(self, self.spawn, terminal)
        self._views = ShownSessions(editor, terminal)
        self._doctor = Doctor(self)
        sessions = SessionCommands(self, self._transcripts)
        self._saved_sessions = SavedSessionCommands(self, sessions)
        chats, forms = ChatCommands(self, self._views), FormCommands(self)
        own = {
            "setup": handle(Setup, self._setup),
            "modified": handle(Modified, self._modified),
            "opened": handle(Opened, self._opened),
            "entered": handle(Entered, self._entered),
            "saved": handle(Saved, self._saved),
            "unlocked": handle(Unlocked, self._unlocked),
            "editor_answered": handle(EditorAnswered, self.services.queries.answered),
        }
        self.table = joined(
            own,
            sessions.table,
            self._saved_sessions.table,
            QueueCommands(self).table,
            SessionOptionCommands(self).table,
            chats.table,
            forms.table,
            QuestionCommands(self, chats, forms, self.rules).table,
            ReviewCommands(self).table,
            CommentCommands(self, sessions).table,
            TakeCommands(self).table,
            TerminalCommands(self).table,
            TranscriptCommands(self, self._transcripts).table,
            LogCommands(self, self.backend_log).table,
            LoginCommands(self, sessions).table,
            self._doctor.table,
        )
        self._tasks: TaskGroup | None = None
        self._early: list[tuple[str, dict[str, Any]]] = []

    async def run(self) -> None:
        """Serve commands until the shutdown; then end every agent."""
        try:
            async with anyio.create_task_group() as self._tasks:
                for verb, payload in self._early:
                    self.receive(verb, payload)
                try:
                    await anyio.sleep_forever()
                finally:
                    self._transcripts.leave_turns_open()
                    for host in self.hosts:
                        host.say_goodbye(host.sessions)  # before the pipes to the agents are closed
                    self.services.files.close()
                    self.services.tools.close()
                    self._decisions.end()
        finally:
            self._transcripts.close()
            with anyio.CancelScope(shield=True):
                await self._end_all()
            self._decisions.close()
            self._transcripts.close()

    async def _end_all(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.services.terminals.close_all)
            for host in self.hosts:
                tasks.start_soon(host.connection.stop)

    def kill_all(self) -> None:
        """Kill every agent and command that still runs, because the time for a better end is over."""
        for leader in self._running:
            Lineage(leader).kill()

    # --- the editor's commands

    def receive(self, verb: str, payload: dict[str, Any]) -> None:
        """Serve a command. A bug in it becomes one message to the user, and the next command is still served."""
        if self._tasks is None:
            self._early.append((verb, payload))
            return
        try:
            dispatch(self.table, verb, payload)
        except Refused as refused:
            self.say("warn", str(refused))
        except Exception as error:
            log.exception("%s failed", verb)
            self.say("error", f"{verb}: {error}")

    def _setup(self, command: Setup) -> None:
        self.settings = Settings.model_validate(command.config)
        self._leaders = command.leaders or self._leaders
        self.backend_log.keep_from(self.settings.log.level)
        self._logs = command.log
        question.number_from(command.next_question)
        self.services.configure(self.settings, command.run, command.state)
        self.rules.configure(self.settings.permissions)
        self._secrets.update(self.settings.secrets)
        self.backend_log.hide(self._secrets)
        self._decisions.configure(command.state, self._secrets)
        self._transcripts.configure(command.state, self.settings.transcripts.keep, self._secrets)
        self.editor.notify(Ready())

    def _modified(self, command: Modified) -> None:
        self.services.modified(command.path, command.modified)

    def _opened(self, command: Opened) -> None:
        self.services.opened(command.path)

    def _entered(self, command: Entered) -> None:
        self.services.entered(command.path)

    def _saved(self, command: Saved) -> None:
        self.services.saved(command.path, tuple(command.stamp))

    def _unlocked(self, command: Unlocked) -> None:
        self.services.files.documents.unlocked(command.path)

    # --- sessions

    def show(self, session: Session) -> None:
        """Add the session to those that the editor shows."""
        self.sessions[session.number] = session
        self._views.show(session)

    def session(self, number: int) -> Session:
        if number not in self.sessions:
            raise ValueError(f"there is no session {number}")
        return self.sessions[number]

    def touch(self, session: Session) -> None:
        self._views.touch(session)

    def touch_text(self, session: Session) -> None:
        self._views.touch_text(session)

    def forget(self, session: Session) -> None:
        """Remove the session. Its last news is sent before."""
        self._transcripts.let_go(session)
        left = self._views.forget(session)
        self.sessions.pop(session.number, None)
        self.services.terminals.forget(session)
        self.services.files.forget(session)
        self.services.watch.forget(session)
        self.services.review.forget(session)
        for call in left:
            self.editor.notify(call)
        self.editor.notify(Ended(session.number))

    def collect(self) -> list[Call]:
        """Return what has changed for the next frame."""
        frame: list[Call] = []
        self._views.collect(frame, self._transcripts.save_news)
        return frame

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
        if not self._tasks.cancel_scope.cancel_called:  # a task that began now would never be cancelled
            self._tasks.start_soon(self._guarded, function, *arguments)

    async def _guarded(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Run a task. A bug in it is logged and does not end the tasks of other agents."""
        try:
            await function(*arguments)
        except Exception as error:
            log.exception(
                "%s failed", getattr(function, "__qualname__", function)
            )  # some callables have no name
            self.say("error", f"internal error: {error}; details in :Acp log")

    # --- messages and logs

    def say(self, level: str, text: str, path: str | None = None) -> None:
        """Show the user a message with as much of the path as fits. The editor keeps it in its own log, too."""
        said = [self.backend_log.without_secrets(each) for each in (text, path) if each]
        self.editor.notify(Message(level, *said))

    def warn_unkept(self, text: str) -> None:
        """Warn that something could not be written to the state folder. The editor shows only the first warning."""
        self.editor.notify(Unkept(self.backend_log.without_secrets(text)))

    def hide(self, secret: str) -> None:
        """Keep a secret that has just been made out of all that is shown or written from now on."""
        self._secrets.add(secret)
        self.backend_log.hide(self._secrets)
        self._decisions.hide(secret)
        self._transcripts.hide(secret)
        for host in self.hosts:
            host.connection.trace.redaction.add([secret])

    def trace(self, spec: AgentSpec) -> WireTrace:
        """Begin to record the wire of an agent; with `log.wire` in a file, too."""
        wanted = self.settings.log.wire and self._logs
        file = wire_log.begin(str(self._logs), spec.name, self.say) if wanted else None
        return WireTrace(spec.secrets, file=file)

    def log(self, level: str, text: str) -> None:
        self.backend_log.write(level, text)

    def host_ready(self, host: Host) -> None:
        self._saved_sessions.agent_ready(host)

    def host_changed(self) -> None:
        self._saved_sessions.send_list()
        running_file.write(self._leaders, self._running)

    @property
    def _running(self) -> list[int]:
        """Return the agents and commands that run, each the leader of an operating system session."""
        agents = [host.connection.pid for host in self.hosts if host.connection.pid]
        return agents + self._doctor.pids + self.services.terminals.pgids()
