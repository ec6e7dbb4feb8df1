"""Serves commands about a session's life: begin, prompt, cancel, stop, restart and close."""

from __future__ import annotations

import os
import time

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.history.transcripts import Transcripts
from acp_nvim.host.host import Host
from acp_nvim.host.session_start import NEW, Way
from acp_nvim.messages.prompts import Cancel, History, QueueRelease
from acp_nvim.messages.prompts import Prompt as PromptCommand
from acp_nvim.messages.sessions import Begin, Close, New, Restart, Retry, Stop
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session


class SessionCommands:
    def __init__(self, app: Application, transcripts: Transcripts) -> None:
        self._app, self._transcripts = app, transcripts
        self.table: Table = {
            "new": handle(New, self._new),
            "prompt": handle(PromptCommand, self.prompt),
            "cancel": handle(Cancel, self._cancel),
            "queue_release": handle(QueueRelease, self._queue_release),
            "retry": handle(Retry, self._retry),
            "stop": handle(Stop, self._stop),
            "restart": handle(Restart, self._start_again),
            "close": handle(Close, self._close),
        }

    # --- the beginning

    def _new(self, command: New) -> None:
        known = command.id
        way = Way("again", known) if known else NEW
        session = self.open(command, way, title=command.title, lived=bool(known))
        if command.queue:
            session.queue.restore(Prompt(each.text, each.context, each.seq) for each in command.queue)

    def open(
        self,
        command: Begin,
        way: Way,
        *,
        title: str | None = None,
        lived: bool = False,
        saved_roots: tuple[str, ...] = (),
    ) -> Session:
        roots = tuple(os.path.abspath(os.path.expanduser(root)) for root in command.roots or ())
        cwd = os.path.abspath(os.path.expanduser(command.cwd))
        if way.id:
            file = command.transcript if isinstance(command, New) else None
            known = self._transcripts.further_folders(command.agent, way.id, file)
            roots = tuple(dict.fromkeys((*roots, *known.own)))
            saved_roots = tuple(dict.fromkeys((*saved_roots, *known.saved)))
        session = Session(command.session, command.agent, cwd, roots)
        self._app.services.files.boundary.begin(session)
        self._app.rules.begin(session)
        session.lived, session.turn = lived, command.turns
        session.saved_roots = saved_roots
        session.memory = way.id if way.kind == "again" else None
        session.title = title or None
        is_readable = True
        if isinstance(command, New):
            session.name, session.about = command.name or None, command.about or None
            is_readable = self._transcripts.restore(session, command.transcript)
        self._app.show(session)
        self._app.start(session, way)
        if is_readable and way.kind in ("load", "again"):
            self._app.spawn(self._transcripts.recall_decisions, session, way.id)
        return session

    # --- prompts

    def prompt(self, command: PromptCommand) -> None:
        """Send a prompt, or queue it."""
        session = self._app.session(command.session)
        session.ack = command.seq
        self._app.services.known_files = command.files
        # words for this turn go out even if the agent ends it by itself, as some do when the user rejects a call
        prompt = Prompt(command.text, command.context, command.seq, is_owed=bool(command.steer))
        host = self._app.host_of(session)
        stopping = bool(host and host.stopping)
        ended = session.phase in ("stopped", "failed")
        ahead = command.first or command.next or ended or stopping
        if command.first and host and not stopping and session.in_turn:
            host.cancel(session)
        if command.steer and host and not stopping and host.steering.add(session, prompt):
            return self._app.touch(session)
        if sent := session.steer_request:
            sent.is_overtaken |= bool(ahead) or sent.is_given_up
        session.queue.add(prompt, first=bool(ahead))
        if command.steer:
            self._not_steered(session, prompt, says_so=session.in_turn and not command.next)
        if host and stopping:
            session.phase = "starting" if session.phase == "idle" else session.phase
            self._app.spawn(self._revive_after, host, session)
        elif ended:
            self._revive(session)
        elif host:
            host.advance(session)
        if session.phase == "auth":
            self._app.say("warn", f"{session.agent} needs a login, the prompt waits: :Acp login")
        self._app.touch(session)

    def _not_steered(self, session: Session, prompt: Prompt, says_so: bool) -> None:
        session.events.add("AcpSteered", text=prompt.text, outcome="queued")
        if not says_so:
            return
        if session.cancelling:
            return self._app.say("info", "your prompt will be sent when the turn has been cancelled")
        place = session.queue.place(prompt)
        when = "will be sent after this turn" if place == 1 else f"is number {place} in the queue"
        why = f"{session.agent_title} cannot take it earlier"
        self._app.say("info", f"your prompt {when}: {why}")

    async def _revive_after(self, host: Host, session: Session) -> None:
        await host.connection.stop()
        self._revive(session)

    def _revive(self, session: Session) -> None:
        """Start the session's agent again, if it has ended, because there is a prompt."""
        session.queue.release()
        if session.phase in ("stopped", "failed"):
            host = next((host for host in self._app.hosts if session in host.sessions), None)
            self._app.start(session, _way_back(session, host))

    def _cancel(self, command: Cancel) -> None:
        session = self._app.session(command.session)
        if host := self._app.host_of(session):
            host.cancel(session)
            if session.phase == "auth":
                host.logins.cancel()
        if command.clear:
            self._app.editor.notify(History(session.number, session.queue.clear()))
        self._app.touch(session)

    def _queue_release(self, command: QueueRelease) -> None:
        session = self._app.session(command.session)
        session.queue.release()
        if session.phase in ("stopped", "failed") and len(session.queue):
            self._revive(session)
        elif host := self._app.host_of(session):
            host.advance(session)
        self._app.touch(session)

    def _retry(self, command: Retry) -> None:
        session = self._app.session(command.session)
        if session.unanswered:
            session.queue.add(session.unanswered, first=True)
            session.unanswered = None
        self._revive(session)
        self._app.touch(session)

    # --- the end, and starting again

    def _stop(self, command: Stop) -> None:
        host = self._app.host_of(self._app.session(command.session))
        if host is None:
            return self._app.say("info", "no agent is running here")
        host.stop()
        ended = ", ".join(str(session.number) for session in host.sessions)
        self._app.say("info", f"stopping {host.spec.name}, and with it session {ended}")

    def _start_again(self, command: Restart) -> None:
        self.restart(self._app.session(command.session))

    def restart(self, session: Session, logged_in: bool = False) -> None:
        host = next((host for host in self._app.hosts if session in host.sessions), None)
        lived = host.sessions if host else [session]
        free = [each for each in lived if logged_in and each.phase == "auth" and not each.queue.held]
        if host:
            host.stop()
        self._app.spawn(self._restart, lived, host, free)

    async def _restart(self, lived: list[Session], host: Host | None, free: list[Session]) -> None:
        """Start every session of the process again. Those in `free` waited for the login and may send their prompts."""
        ways = {each.number: _way_back(each, host) for each in lived}
        if host:
            await host.connection.stop()
        for each in lived:
            if each.number not in self._app.sessions or self._app.host_of(each):
                continue  # closed or started meanwhile
            if each in free:
                each.queue.release()
            self._app.start(each, ways[each.number])

    def _close(self, command: Close) -> None:
        session = self._app.session(command.session)
        session.closing = True
        if host := self._app.host_of(session):
            host.cancel(session)
            host.close(session)
        self._app.host_changed()
        self.let_go(session)

    def let_go(self, session: Session) -> None:
        """Forget the session, because it is closed."""
        session.agent_ended("closed", None, time.monotonic())
        self._app.forget(session)


def _way_back(session: Session, host: Host | None) -> Way:
    """Return how a session starts again whose agent has ended."""
    unfinished = host.starts.unfinished(session) if host else None
    return unfinished or (Way("again", session.memory) if session.memory else NEW)
