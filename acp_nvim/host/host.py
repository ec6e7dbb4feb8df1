"""Defines the host: one running agent process, and the sessions that live in it.

Everything here runs inline in the order of the wire: an answer is applied before the update that follows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from anyio.abc import TaskGroup

from acp_nvim import __version__
from acp_nvim.agent.connection import Connection, Gone, Result
from acp_nvim.agent.exit_report import ExitReport
from acp_nvim.agent.settings import AgentSpec
from acp_nvim.agent.spawn import StartError
from acp_nvim.agent.trace import WireTrace
from acp_nvim.host import agent_facts, initialize, interface
from acp_nvim.host.agent_messages import AgentMessages
from acp_nvim.host.login_lock import LoginLock
from acp_nvim.host.mcp_servers import McpServers
from acp_nvim.host.outgoing_requests import OutgoingRequests
from acp_nvim.host.session_controls import SessionControls
from acp_nvim.host.session_start import SessionStarts, Way
from acp_nvim.host.silence import Silence
from acp_nvim.host.steering import Steering
from acp_nvim.host.turn import Turns
from acp_nvim.protocol import dialects, encode, schema
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.jsonrpc import Notification, Request, Stray
from acp_nvim.session.session import Session

log = logging.getLogger(__name__)


class Application(interface.Application, Protocol):
    """What a host uses of the application."""

    servers: McpServers
    controls: SessionControls

    def host_changed(self) -> None: ...
    def trace(self, spec: AgentSpec) -> WireTrace: ...
    def host_ready(self, host: Host) -> None: ...
    def forget(self, session: Session) -> None: ...


class Host:
    def __init__(self, spec: AgentSpec, cwd: str, app: Application, tasks: TaskGroup) -> None:
        self.spec, self.cwd, self.name = spec, cwd, spec.name
        self.sessions: list[Session] = []
        further = app.services.tools.begin_process(self, spec, lambda: self.sessions)
        self.connection = Connection(
            spec.name,
            [spec.command, *spec.args, *further],
            cwd=cwd,
            handler=self,
            env=spec.environment,
            trace=app.trace(spec),
        )
        self.agent: schema.Initialized | None = None
        self.alive = True
        self.stopping = False
        self.kept = False  # the list of its saved sessions is open, so it runs without a session
        self._account: dict[str, str] | None = None  # with which it works, as far as it says so
        self.starts = SessionStarts(self)
        self.logins = LoginLock(self, self.starts.unlock)
        self.dialect = dialects.choose(spec.dialect, None, spec.command)
        self._app = app
        self.offer = app.services.offer  # as they were when the agent was started
        self._requests = OutgoingRequests(
            self.connection, cwd, spec.timeout_ms / 1000, self.stop_if_unused, self._late
        )
        self._tasks = tasks
        self._turns = Turns(self)
        self.steering = Steering(self)
        self._silence = Silence(self)
        self._messages = AgentMessages(self, self.starts, tasks)

    @property
    def app(self) -> interface.Application:
        return self._app

    async def run(self) -> None:
        """Start the agent and serve it until it ends."""
        self._initialize()
        # The process is there as soon as `run` first waits: whoever must kill it has to know it from then on.
        asyncio.get_running_loop().call_soon(self._started)
        try:
            await self.connection.run()
        except StartError as error:
            self.alive = False
            why = error.told(self.name, self.spec.install)
            for session in self.sessions:
                session.refuse(why)
                self._app.touch(session)
            self._app.say("error", why)
        finally:
            self._messages.requests.abandon()
            self._app.services.tools.end_process(self)
            self._app.host_changed()

    def _started(self) -> None:
        for session in self.sessions:
            self._facts(session)
        self._app.host_changed()

    # --- messages

    def call(
        self,
        method: str,
        params: Any,
        then: Callable[[Result], None],
        unbounded: bool = False,
        owner: object = None,
    ) -> None:
        """Send a request; its answer, or why there is none, comes to `then`."""
        self._requests.call(method, params, then, unbounded, owner)

    def on_update(self, params: Any) -> None:
        self._messages.on_update(params)

    def on_request(self, request: Request) -> None:
        self._messages.on_request(request)

    def on_notification(self, notification: Notification) -> None:
        self._messages.on_notification(notification)

    def on_stray(self, stray: Stray) -> None:
        self._messages.on_stray(stray)

    def heard(self, session: Session) -> None:
        self._silence.heard(session)

    # --- sessions

    def open(self, session: Session, way: Way) -> None:
        """Start a session, as soon as the agent is ready."""
        if session not in self.sessions:
            self.sessions.append(session)
        session.on_steerable = partial(self.steering.send_next_soon, session)
        session.on_idle = partial(self.advance, session)
        session.starting()
        self._app.services.tools.joined(self, session)
        self._facts(session)
        self.starts.want(session, way)

    def close(self, session: Session) -> None:
        """End a session that the user has closed."""
        self.say_goodbye([session])
        self.leave(session)

    def say_goodbye(self, sessions: list[Session]) -> None:
        """Send session/close for these sessions, if the agent offers it."""
        for session in sessions:
            if self.alive and session.id and self.agent and self.agent.session("close"):
                self.call("session/close", {"sessionId": session.id}, lambda _: None)

    def leave(self, session: Session) -> None:
        """Remove the session: later messages of the agent are not for it."""
        self.connection.give_up(session)
        if not any(each.phase == "auth" for each in self.sessions if each is not session):
            self.logins.cancel()  # nobody waits for it any more
        self._app.services.end(session)
        self._silence.forget(session)
        self.sessions = [each for each in self.sessions if each is not session]
        self.starts.forget(session)
        self.stop_if_unused()

    def stop_if_unused(self) -> None:
        """Stop the process if nothing needs it."""
        if self.alive and not (self.sessions or self.kept or self._requests.unanswered or self.stopping):
            self.stop()

    def stop(self) -> None:
        """Stop the process. No session and no turn begins here any more."""
        self.stopping = True
        self._tasks.start_soon(self.connection.stop)

    def _initialize(self) -> None:
        params = self.dialect.initialize(encode.initialize(__version__, self.offer))
        self.call("initialize", params, self._initialized)

    def _initialized(self, result: Result) -> None:
        if isinstance(result, Gone):
            return  # on_exit tells the user
        agent = initialize.read(self.spec.name, result)
        if isinstance(agent, str):
            return self._unusable(agent)
        self.agent = agent
        self.dialect = dialects.choose(self.spec.dialect, agent.agent_info)
        self._messages.agent_ready()
        for session in self.sessions:
            self._facts(session)
        self.starts.begin_waiting()
        self._app.host_ready(self)
        self.stop_if_unused()

    def _unusable(self, why: str) -> None:
        for session in self.sessions:
            session.refuse(why)
            self._app.touch(session)
        self._app.say("error", why)
        self.stop()

    # --- what session_start.py tells and asks

    def servers(self, session: Session) -> list[dict[str, Any]]:
        return self._app.servers.of(session, self.spec, self.agent)

    def settle(self, session: Session, fresh: bool, then: Callable[[], None]) -> None:
        self._app.controls.settle(self, session, fresh, then)

    def opened(self, session: Session) -> None:
        self.logins.logged_out = False
        self._app.services.tools.opened(session)
        self._app.touch(session)
        self.advance(session)

    def refused(self, session: Session, why: str) -> None:
        session.refuse(why)
        self._app.say("error", why)
        self._app.touch(session)

    def wants_login(self, session: Session, error: RpcError) -> None:
        self.logins.require(session, error)

    def drop(self, session: Session, why: str) -> None:
        """Remove a session that could not be opened."""
        self._app.say("error", why)
        self.leave(session)
        self._app.forget(session)

    def warn(self, text: str) -> None:
        self._app.say("warn", text)

    def _facts(self, session: Session) -> None:
        former = str(session.facts.get("agent_title") or "")
        session.facts = agent_facts.facts(self, former, self._account, self.steering.is_offered)
        self._app.touch(session)

    def set_account(self, account: dict[str, str]) -> None:
        self._account = account
        for session in self.sessions:
            self._facts(session)

    # --- turns

    def advance(self, session: Session) -> None:
        """Send the next prompt that waits, if the session is free for it."""
        self.logins.lock(session)
        is_free = session.phase == "idle" and session.id and self.alive and not session.steer_request
        if is_free and (prompt := session.queue.take()):
            self._turns.send(session, prompt)
        self._app.touch(session)

    def prompt_sent(self, session: Session) -> None:
        self._silence.begin(session)
        self.steering.send_next(session)

    def departing_comments(self, session: Session) -> list[int]:
        return self._turns.departing_comments(session)

    def has_sent_prompt(self, session: Session) -> bool:
        return self._turns.has_sent(session)

    def pull_steered(self, session: Session) -> list[tuple[str, list[encode.Block]]]:
        return self.steering.pull(session)

    def cancel(self, session: Session) -> None:
        """Cancel the running turn, or else all requests under way. The agent still has to answer them."""
        # before the answers to its questions: after "cancelled" an agent might go on with the turn for a moment
        if session.in_turn and not session.cancelling and self.alive:
            self._turns.hurry(session)
            self.connection.notify("session/cancel", {"sessionId": session.id})
        else:
            self.connection.give_up(session)
            session.controls.give_up()
        self.steering.give_up(session)
        session.cancel()
        self._app.services.enforcement.end(session)
        self._app.services.files.documents.wake()
        self._app.touch(session)

    def on_exit(self, report: ExitReport) -> None:
        """End all sessions, because the process has ended."""
        self.alive = False
        ready = self.agent is not None
        reason = "stopped" if report.asked else "exited" if ready else "failed"
        clean = report.asked or (ready and report.status == 0)
        error = None if clean else report.sentence(self.spec.name)
        for session in self.sessions:
            self._agent_exited(session, reason, error)
        self._messages.requests.abandon()  # after the sessions: they know why their questions end
        if error:
            self._app.say("error", report.sentence(self.spec.name, ":Acp restart"))
        self._app.host_changed()

    def _agent_exited(self, session: Session, reason: str, error: str | None) -> None:
        """End one session. A fault must not keep the others from being ended."""
        try:
            self._app.services.end(session)
        except Exception:
            log.exception("cannot clean up after session %d", session.number)
        session.agent_ended(reason, error, time.monotonic())
        self._app.touch(session)

    def _late(self, method: str, seconds: float) -> None:
        if self.sessions or self.kept:
            late = f"{self.name} has not answered {method} for {seconds:g} s"
            self._app.say("warn", f"{late}: end it with :Acp stop, or see :Acp log")
        else:
            self.stop()
