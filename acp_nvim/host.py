"""A host: one running agent process, and the sessions that live in it.

Everything here runs inline in the order of the wire: an answer is applied before the update that follows it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from anyio.abc import TaskGroup

from acp_nvim import __version__, login, prompts, turns
from acp_nvim.agent.connection import Connection, ExitReport, Gone, Result, StartError
from acp_nvim.agent.settings import AgentSpec
from acp_nvim.agent.trace import WireTrace
from acp_nvim.controlling import Controlling
from acp_nvim.opening import Opening, Way
from acp_nvim.protocol import decode, dialects, encode, methods, schema
from acp_nvim.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from acp_nvim.protocol.jsonrpc import Failure, Notification, Request, Stray
from acp_nvim.protocol.methods import VERSION
from acp_nvim.servers import Servers
from acp_nvim.serves import permissions
from acp_nvim.serves.elicitation import Elicitations
from acp_nvim.serves.ledger import Entry, Ledger
from acp_nvim.serves.rulings import Rulings
from acp_nvim.services import Serve, Services
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line

_TAG = 100  # characters of the name of an update that the log has room for
_MOST_UNKNOWN = 100
_HELD = ("terminal/create", *dialects.PERMISSIONS)


class Front(Protocol):
    """What a host tells the rest of the client."""

    def touch(self, session: Session) -> None: ...
    def grew(self, session: Session) -> None: ...
    def say(self, level: str, text: str) -> None: ...
    def note(self, level: str, text: str) -> None: ...
    def host_changed(self) -> None: ...
    def trace(self, spec: AgentSpec) -> WireTrace: ...
    def host_ready(self, host: Host) -> None: ...
    def forget(self, session: Session) -> None: ...

    services: Services
    rulings: Rulings
    servers: Servers
    controlling: Controlling


class Host:
    def __init__(self, spec: AgentSpec, cwd: str, front: Front, tasks: TaskGroup) -> None:
        self.spec, self.cwd, self.name = spec, cwd, spec.name
        self.sessions: list[Session] = []
        self.connection = Connection(
            spec.name,
            [spec.command, *spec.args],
            cwd=cwd,
            handler=self,
            env=spec.env,
            trace=front.trace(spec),
        )
        self.agent: schema.Initialized | None = None
        self.alive = True
        self.stopping = False
        self.kept = False  # somebody looks at what it has saved: it stays without a session
        self.logging_in = self.logged_out = False
        self.opening = Opening(self)
        self._owed = 0  # answers to requests that are no prompts
        self._front = front
        self._tasks = tasks
        self._other_form = False  # of prompts: the agent takes what its dialect has in second place
        self._unknown: set[str] = set()  # the tags of updates that we have wondered about
        self._dialect = dialects.choose(spec.dialect, None, spec.command)
        self._offer = front.services.offer
        self.ledger = Ledger(self.connection, tasks, self._refusal)
        self.ledger.now |= dict.fromkeys(dialects.PERMISSIONS, self._ask)
        self.ledger.hold = self._hold
        services = front.services
        self._asked = Elicitations(self._find, lambda: self.sessions, front.touch, services.visit)
        self._asked.serve(self.ledger, self._dialect)
        for method, serve in front.services.serve.items():
            self.ledger.later[method] = partial(self._serve, serve)

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
                self._front.touch(session)
            self._front.say("error", why)
        finally:
            self.ledger.abandon()
            self._front.host_changed()

    def _started(self) -> None:
        for session in self.sessions:
            self._facts(session)
        self._front.host_changed()

    # --- sessions

    def open(self, session: Session, way: Way) -> None:
        """As soon as the agent is ready."""
        if session not in self.sessions:
            self.sessions.append(session)
        session.starting()
        self._facts(session)
        self.opening.want(session, way)

    def close(self, session: Session) -> None:
        """The user is done with it."""
        self.say_goodbye([session])
        self.leave(session)

    def say_goodbye(self, sessions: list[Session]) -> None:
        """The agent is told that they are closed, where it can be."""
        for session in sessions:
            if self.alive and session.id and self.agent and self.agent.session("close"):
                self.call("session/close", {"sessionId": session.id}, lambda _: None)

    def leave(self, session: Session) -> None:
        """It lives here no longer: nothing that comes is for it."""
        self.connection.give_up(session)
        if not any(each.phase == "auth" for each in self.sessions if each is not session):
            self.connection.give_up(self)  # the login: nobody waits for it any more
        self._front.services.end(session)
        self.sessions = [each for each in self.sessions if each is not session]
        self.opening.forget(session)
        self.rest()

    def rest(self) -> None:
        """A process that nobody needs is ended."""
        if self.alive and not (self.sessions or self.kept or self._owed or self.stopping):
            self.stop()

    def stop(self) -> None:
        """From now on nothing begins here; the process ends in its own time."""
        self.stopping = True
        self._tasks.start_soon(self.connection.stop)

    def _initialize(self) -> None:
        params = self._dialect.initialize(encode.initialize(__version__, self._offer))
        self.call("initialize", params, self._initialized)

    def _initialized(self, result: Result) -> None:
        if isinstance(result, Gone):
            return  # on_exit tells
        if isinstance(result, Failure):
            return self._unusable(f"{self.spec.name} refused to start: {result.error}")
        agent = decode.initialized(result.result)
        if agent.protocol_version != VERSION:
            spoken = f"protocol version {agent.protocol_version}, this plugin version {VERSION}"
            return self._unusable(f"{self.spec.name} speaks {spoken}: update the older of the two")
        self.agent = agent
        self._dialect = dialects.choose(self.spec.dialect, agent.agent_info)
        self._asked.serve(self.ledger, self._dialect)
        for session in self.sessions:
            self._facts(session)
        self.opening.begin_waiting()
        self._front.host_ready(self)
        self.rest()

    def _unusable(self, why: str) -> None:
        for session in self.sessions:
            session.refuse(why)
            self._front.touch(session)
        self._front.say("error", why)
        self.stop()

    # --- how they were opened

    def servers(self, session: Session) -> list[dict[str, Any]]:
        return self._front.servers.of(session, self.spec, self.agent)

    @property
    def dialect(self) -> dialects.Dialect:
        return self._dialect

    def settle(self, session: Session, fresh: bool, then: Callable[[], None]) -> None:
        self._front.controlling.settle(self, session, fresh, then)

    def opened(self, session: Session) -> None:
        self.logged_out = False
        self._front.touch(session)
        self.advance(session)

    def refused(self, session: Session, why: str) -> None:
        session.refuse(why)
        self._front.say("error", why)
        self._front.touch(session)

    def wants_login(self, session: Session, error: RpcError) -> None:
        """Prompts that are there already go out after the login: their user has sent them."""
        ways = login.ways(self.agent.auth_methods if self.agent else (), error)
        session.lock(f"{self.name} wants a login first: {ways.brief}", f"{self.name} {ways.text}")
        self._front.touch(session)

    def drop(self, session: Session, why: str) -> None:
        """No half session is left."""
        self._front.say("error", why)
        self.leave(session)
        self._front.forget(session)

    def warn(self, text: str) -> None:
        self._front.say("warn", text)

    def log_out(self) -> None:
        """What is at rest wants a login from now on; what runs is cancelled, and wants it then."""
        self.logged_out = True
        for session in self.sessions:
            self.cancel(session)
            self._lock(session)
            self._front.touch(session)

    def _lock(self, session: Session) -> None:
        if self.logged_out and session.phase == "idle":
            session.lock(f"{self.name} is logged out: :Acp login", "logged out: :Acp login")

    def unlock(self) -> None:
        """The user has logged in: what waited for that goes on."""
        self.logged_out = False
        self.opening.unlock()
        for session in self.sessions:
            if session.id:
                session.unlock()
            self.advance(session)

    def _facts(self, session: Session) -> None:
        info = self.agent.agent_info if self.agent else None
        session.facts = {
            # until it has introduced itself: as it did before, where it has
            "agent_title": one_line(
                (info and (info.title or info.name)) or _known(session) or self.spec.name
            ),
            "agent_version": info.version if info else None,
            "capabilities": _portable(self.agent.capabilities) if self.agent else None,
            "pid": self.connection.pid if self.alive else None,
            "logins": login.shapes(self.agent.auth_methods) if self.agent else None,
        }
        self._front.touch(session)

    # --- turns

    def advance(self, session: Session) -> None:
        """Send the next prompt that waits, if the session is free for it."""
        self._lock(session)
        if session.phase == "idle" and session.id and self.alive and (prompt := session.queue.take()):
            self._prompt(session, prompt)
        self._front.touch(session)

    def _prompt(self, session: Session, prompt: Prompt) -> None:
        assert self.agent, "a session that is idle has an agent"
        made = prompts.make(prompt, self.agent, session.cwd)
        self._front.services.begin_turn(session)
        made.blocks[:0] = map(encode.text, session.reports)
        session.begin_turn(Prompt(prompt.text, made.went), time.monotonic())
        for complaint in made.trouble:
            session.transcript.note("warning", complaint)
        if made.trouble:
            self._front.say("warn", made.told())
        spec, agent = self.spec, self.agent
        forms = dialects.prompts(made.blocks, spec.prompt_timeout_ms, self._dialect, spec.dialect, agent)
        self._send(session, *(reversed(forms) if self._other_form else forms))

    def _send(self, session: Session, form: dict[str, Any], *others: dict[str, Any]) -> None:
        turn = session.turn
        limit = self.spec.prompt_timeout_ms
        self.connection.call(
            "session/prompt",
            {"sessionId": session.id, **form},
            lambda result: self._prompted(session, turn, result, *others),
            timeout=limit / 1000 if limit else None,
            on_timeout=lambda: self._prompt_late(session, turn),
        )

    def _prompted(self, session: Session, turn: int, result: Result, *others: dict[str, Any]) -> None:
        if isinstance(result, Gone) or turn != session.turn or not session.in_turn:
            return
        if others and _is_invalid(result) and not (session.cancelling or session.transcript.spoke_in_turn):
            self._other_form = not self._other_form  # nothing was done: perhaps it knows the other one
            return self._send(session, *others)
        if isinstance(result, Failure):
            self._front.note("error", f"{self.name}: turn {turn} of session {session.number}: {result.error}")
        turns.end(session, result, time.monotonic())
        if isinstance(result, Failure) and session.phase == "auth":
            self.wants_login(session, result.error)
        self._front.services.end_turn(session)
        self.advance(session)

    def _prompt_late(self, session: Session, turn: int) -> None:
        if turn == session.turn and session.in_turn:
            self._front.say("warn", f"{self.spec.name} took longer than prompt_timeout_ms: cancelled")
            self.cancel(session)

    def cancel(self, session: Session) -> None:
        """Give up the running turn; where none runs, whatever else is under way. The agent still owes its answer."""
        # told first: after the answer "cancelled" to its question, an agent might go on with the turn for a moment
        if session.in_turn and not session.cancelling and self.alive:
            self.connection.notify("session/cancel", {"sessionId": session.id})
        else:
            self.connection.give_up(session)
            session.controls.give_up()
        session.cancel()
        self._front.services.takeback.end(session)
        self._front.touch(session)

    # --- what comes from the agent, in the order of the wire

    def on_update(self, params: Any) -> None:
        session_id, updates = decode.update(params, self._dialect)
        session = self.opening.by_id.get(session_id or "")
        if session is None:
            return self._unclaimed(session_id, params)
        if session.reloading:
            session.replay()
            self._front.touch(session)
        for update in updates:
            if type(update) is schema.Chunk and update.role != "user":
                session.transcript.chunk(update, time.monotonic())
                self._front.grew(session)
            else:
                self._apply(session, update)
                self._front.touch(session)

    def _apply(self, session: Session, update: schema.Update) -> None:
        if isinstance(update, schema.UnknownUpdate):
            return self._wonder("update", update.tag)
        if isinstance(update, schema.Chunk):
            return session.transcript.chunk(update, time.monotonic())
        session.apply(update, time.monotonic())
        if isinstance(update, schema.ToolCallUpdate) and (call := session.transcript.find(update.id)):
            self._front.services.hear(session, call)
            if update.meta:  # some run terminals of their own
                self._front.services.terminals.hear(session, call, update.meta)
            self._front.rulings.hear(session, call)

    def _wonder(self, what: str, name: str) -> None:
        """Once for each: what an agent has of its own it sends often."""
        unknown = f"{what} {name[:_TAG]!r}"
        if unknown not in self._unknown and len(self._unknown) < _MOST_UNKNOWN:
            self._unknown.add(unknown)
            how = "refused" if what == "request" else "ignored"
            self._front.note("info", f"{self.spec.name}: unknown {unknown} {how}")

    def _unclaimed(self, session_id: str | None, params: Any) -> None:
        if not self.opening.keep(session_id, params):
            self._front.note("info", f"{self.spec.name}: update for unknown session {session_id!r} dropped")

    def on_request(self, request: Request) -> None:
        self.ledger.enter(request)

    def _refusal(self, request: Request) -> RpcError | None:
        if request.method in self._dialect.requests:
            return None
        method = dialects.PERMISSIONS[0] if dialects.asks(request.method) else request.method
        refused = methods.refusal(method, request.params, self._offer)
        if refused:
            self._wonder("request", request.method)
        return refused

    async def _serve(self, serve: Serve, entry: Entry) -> Any:
        session_id = entry.request.params.get("sessionId")
        session = self._find(session_id)
        if session is None:
            raise RpcError(INVALID_PARAMS, f"no session {session_id!r} here")
        try:
            return await serve(entry, session)
        except RpcError as error:
            if (other := self._dialect.instead(entry.request.method, error)) is None:
                raise
            return other

    def _hold(self, entry: Entry) -> bool:
        """Nothing is run and nothing asked while refused hunks are still to be taken back."""
        if entry.request.method not in _HELD:
            return False
        params = entry.request.params
        session = self._find(params.get("sessionId")) if isinstance(params, dict) else None
        return session is not None and self._front.services.takeback.hold(
            session, lambda: self.ledger.serve(entry)
        )

    def _ask(self, entry: Entry) -> None:
        rulings = self._front.rulings
        session = permissions.ask(entry, self._find, self._dialect, time.monotonic(), rulings.ended)
        for question in session.questions:
            if call := session.transcript.find(question.tool_call_id or ""):
                self._front.services.hear(session, call)
        session.writes_through |= self._dialect.writes_through or self.spec.writes_through
        rulings.judge(session)  # behind the watch, which must see the files before the agent goes on
        self._front.touch(session)

    def _find(self, session_id: str | None) -> Session | None:
        """Some agents leave the id out; with one session there is no doubt."""
        if session_id is None and len(self.opening.by_id) == 1:
            return next(iter(self.opening.by_id.values()))
        return self.opening.by_id.get(session_id or "")

    def on_notification(self, notification: Notification) -> None:
        if notification.method == methods.CANCEL_REQUEST and isinstance(notification.params, dict):
            self.ledger.cancel(notification.params.get("requestId", notification.params.get("id")))
            for session in self.sessions:  # a question may be gone, and nothing else need happen for long
                self._front.touch(session)
        elif notification.method == "elicitation/complete":
            self._asked.complete(notification.params)
        else:
            self._front.note("debug", f"{self.spec.name}: notification {notification.method} ignored")
            if not notification.method.startswith("$/"):  # those may always be ignored
                self._wonder("notification", notification.method)

    def on_stray(self, stray: Stray) -> None:
        self._front.note("warn", f"{self.spec.name}: {stray.why}: {stray.text[:200]}")

    def on_exit(self, report: ExitReport) -> None:
        """The process has ended: whatever waited for it ends with it."""
        self.alive = False
        ready = self.agent is not None
        reason = "stopped" if report.asked else "exited" if ready else "failed"
        clean = report.asked or (ready and report.status == 0)
        error = None if clean else report.sentence(self.spec.name)
        for session in self.sessions:
            self._front.services.end(session)
            session.gone(reason, error, time.monotonic())
            self._front.touch(session)
        self.ledger.abandon()  # after the sessions: they know why their questions end
        if error:
            self._front.say("error", report.sentence(self.spec.name, ":Acp restart"))
        self._front.host_changed()

    def call(
        self,
        method: str,
        params: Any,
        then: Callable[[Result], None],
        unbounded: bool = False,
        owner: object = None,
    ) -> None:
        """A request that is no prompt; where the agent does not know it, by its older name."""
        self._owed += 1
        seconds = self.spec.timeout_ms / 1000

        def answered(result: Result) -> None:
            older = methods.older(method, params, self.cwd) if _is_unknown(result) else None
            if older:
                self.call(*older, lambda late: then(result if _is_unknown(late) else late), unbounded, owner)
            else:
                then(result)
            self._owed -= 1
            self.rest()

        self.connection.call(
            method,
            params,
            answered,
            timeout=None if unbounded else seconds,
            on_timeout=lambda: self._late(method, seconds),
            owner=owner,
        )

    def give_up(self, owner: object) -> None:
        """Nobody waits any more for what was asked in this name."""
        self.connection.give_up(owner)

    def _late(self, method: str, seconds: float) -> None:
        if self.sessions or self.kept:
            late = f"{self.name} has not answered {method} for {seconds:g} s"
            self._front.say("warn", f"{late}; :Acp stop ends it, :Acp log shows more")
        else:
            self.stop()


def _known(session: Session) -> str:
    return str(session.facts.get("agent_title") or "")


def _is_invalid(result: Result) -> bool:
    return isinstance(result, Failure) and result.error.code == INVALID_PARAMS


def _is_unknown(result: Result) -> bool:
    return isinstance(result, Failure) and result.error.code == METHOD_NOT_FOUND


def _portable(value: Any) -> Any:
    """As the agent sent it, but for numbers that the way to the editor has no room for."""
    if isinstance(value, dict):
        return {str(key): _portable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_portable(item) for item in value]
    fits = not isinstance(value, int) or -(2**63) <= value < 2**63
    return value if fits else str(value)
