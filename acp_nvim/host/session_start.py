"""Starts sessions in an agent's process: new, loaded, resumed or forked, at once or after a login."""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.chat.phrases import cut
from acp_nvim.host.early_updates import EarlyUpdates
from acp_nvim.host.interface import AgentHost
from acp_nvim.protocol import decode, encode, schema
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.session.session import Session
from acp_nvim.text.printable import visible

Kind = Literal["new", "load", "resume", "fork", "again"]


class Way(NamedTuple):
    """How a session starts. `again`: loaded, resumed, or replaced by a new one if the user had worked in it, whichever
    the agent can do best."""

    kind: Kind = "new"
    id: str = ""
    at: str = ""  # of a fork: the point at which it ends, as the agent names it; empty: it is of the whole

    @property
    def keeps_id(self) -> bool:
        return self.kind in ("load", "resume")


NEW = Way()
_NAME = 24  # cells: what was wrong has to fit into the same line
_CANNOT = {
    "load": "cannot load earlier sessions",
    "resume": "cannot resume earlier sessions",
    "fork": "cannot fork sessions",
    "again": "can neither load nor resume earlier sessions",
}


class SessionStarts:
    def __init__(self, host: AgentHost) -> None:
        self.by_id: dict[str, Session] = {}
        self._host = host
        self._early = EarlyUpdates()
        self._ways: dict[Session, Way] = {}  # of the sessions that are not ready
        self._waiting: list[Session] = []  # for the agent to introduce itself
        self._locked: set[Session] = set()  # for a login

    def want(self, session: Session, way: Way) -> None:
        self._ways[session] = way
        if self._host.agent:
            self._begin(session)
        elif session not in self._waiting:
            self._waiting.append(session)

    def begin_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for session in waiting:
            self._begin(session)

    def unlock(self) -> None:
        """Ask again for the sessions that needed a login."""
        locked, self._locked = self._locked, set()
        for session in sorted(locked, key=lambda each: each.number):
            session.starting()
            self._ask(session, self._ways[session])

    def unfinished(self, session: Session) -> Way | None:
        """Return how a session was to start, if its agent ended before it was ready."""
        return self._ways.get(session)

    def forget(self, session: Session) -> None:
        self._ways.pop(session, None)
        self._locked.discard(session)
        self._waiting = [each for each in self._waiting if each is not session]
        self._lose_id(session)

    def keep(self, session_id: str | None, params: Any) -> bool:
        """Keep an update of an unknown session: it may be one that is about to start."""
        return self._early.keep(session_id, params)

    # --- asking

    def _begin(self, session: Session) -> None:
        way = self._possible(self._ways[session], session)
        if way is None:
            kind = self._ways[session].kind
            which = "" if kind == "fork" else f": {_called(session, self._ways[session])} was not opened"
            return self._host.drop(session, f"{self._host.name} {_CANNOT[kind]}{which}")
        if way.keeps_id and (other := self.by_id.get(way.id, session)) is not session:
            return self._host.drop(session, f"{way.id} is open already: :Acp open {other.number}")
        if way.kind == "new":
            session.start_over()
        session.reloading = way.kind == "load" and session.lived
        self._ask(session, way)

    def _possible(self, way: Way, session: Session) -> Way | None:
        agent = self._host.agent
        assert agent, "nothing begins before the agent has introduced itself"
        can = {"new": True, "load": agent.can_load, "again": False}
        if way.kind == "fork" and self._host.dialect.branches:
            return way if agent.can_load or agent.session("resume") else None
        if way.kind != "again":
            return way if can.get(way.kind, agent.session(way.kind)) else None
        kinds: tuple[Kind, ...] = ("load", "resume", "new") if session.lived else ("load", "resume")
        best = next((kind for kind in kinds if can.get(kind, agent.session(kind))), None)
        return best and (NEW if best == "new" else Way(best, way.id))

    def _ask(self, session: Session, way: Way) -> None:
        self._ways[session] = way
        if way.kind == "fork" and self._host.dialect.branches:
            return self._branch(session, way, self._host.dialect.branches)
        if way.keeps_id:
            self.by_id[way.id] = session
            session.memory = way.id
        else:
            self._early.expect()
        if way.kind == "fork" and (parent := self.by_id.get(way.id)):
            self._host.app.services.tools.forked(parent, session)
        servers, roots = self._host.servers(session), self._roots(session, way)
        params = encode.session(session.cwd, servers, roots, way.id, self._system_prompt(session))
        if way.at:
            params |= self._host.dialect.fork_at(way.at)
        self._host.call(
            f"session/{way.kind}",
            params,
            lambda result: self._answered(session, way, result),
            unbounded=way.keeps_id,
            owner=session,
        )

    def _branch(self, session: Session, way: Way, method: str) -> None:
        """Have the agent copy a session by a request of its own, and open the copy."""
        params = {"sessionId": way.id, **({"atRecordId": way.at} if way.at else {})}

        def copied(result: Result) -> None:
            if isinstance(result, Gone) or session not in self._host.sessions:
                return
            if isinstance(result, Failure):
                return self._refused(session, way, result.error)
            id = decode.identifier(result.result, "newSessionId") if isinstance(result.result, dict) else None
            if not id:
                return self._refused(session, way, RpcError(INVALID_PARAMS, "the agent sent no session id"))
            self._ways[session] = Way("again", id)
            self._begin(session)

        self._host.call(method, params, copied, owner=session)

    def _roots(self, session: Session, way: Way) -> tuple[str, ...]:
        """Return the further folders of a session, if the agent accepts any.

        A saved session that is opened without those that the agent had would lose them.
        """
        if self._host.agent and self._host.agent.session("additionalDirectories"):
            return tuple(dict.fromkeys((*session.roots, *(session.saved_roots if way.keeps_id else ()))))
        if session.roots and not session.lived:
            self._host.warn(f"{self._host.name} works in one folder only: the others are ignored")
        return ()

    def _system_prompt(self, session: Session) -> str:
        """Return what is appended to the agent's system prompt, if it takes that."""
        own = self._host.spec.system_prompt or ""
        if self._host.agent and self._host.agent.session("systemPrompt"):
            return "\n\n".join(filter(None, (own, self._host.app.services.tools.hint(session))))
        if not own:
            return own
        if not session.lived:
            session.transcript.note("warning", f"{self._host.name} takes no system prompt: yours is not sent")
        return ""

    # --- answers

    def _answered(self, session: Session, way: Way, result: Result) -> None:
        if not way.keeps_id:
            self._early.count_answer()
        if isinstance(result, Gone):
            return
        answer = None if isinstance(result, Failure) else decode.new_session(result.result)
        session_id = way.id if way.keeps_id else answer.session_id if answer else None
        if session not in self._host.sessions:
            return self._unwanted(session_id if answer else None)
        if isinstance(result, Failure):
            return self._refused(session, way, result.error)
        if not answer or not session_id:
            return self._refused(session, way, RpcError(INVALID_PARAMS, "the agent sent no session id"))
        other = self.by_id.get(session_id, session)
        if other is not session:  # else its messages would be shown here
            taken = f"it has the id of session {other.number}"
            return self._refused(session, way, RpcError(INVALID_PARAMS, taken))
        self._ready(session, way, session_id, answer)

    def _unwanted(self, session_id: str | None) -> None:
        """Close a session with the agent whose user closed it before it was ready."""
        if session_id and self._host.agent and self._host.agent.session("close"):
            self._host.call("session/close", {"sessionId": session_id}, lambda _: None)

    def _refused(self, session: Session, way: Way, error: RpcError) -> None:
        name = self._host.name
        if error.needs_login:
            self._lose_id(session)
            self._locked.add(session)
            return self._host.wants_login(session, error)
        if way.kind == "new":
            return self._host.refused(session, f"{name} could not start a session: {error}")
        if not way.keeps_id or not session.lived:  # no half session is left
            return self._host.drop(session, f"{name} could not {way.kind} {_called(session, way)}: {error}")
        # its user has been working in it: it goes on with a new one
        self._host.warn(f"{name} could not {way.kind} this conversation, a new one begins: {error}")
        self._lose_id(session)
        session.start_over()
        self._ask(session, NEW)

    def _ready(self, session: Session, way: Way, session_id: str, answer: schema.NewSession) -> None:
        del self._ways[session]
        self.by_id[session_id] = session
        if way.kind == "load":
            session.loaded(time.monotonic())
        elif way.kind == "resume":
            session.resumed()
        elif way.kind == "fork":
            session.transcript.note(
                "info", "forked: the agent remembers the earlier conversation, not shown here"
            )
        if way.keeps_id and (further := [root for root in session.saved_roots if root not in session.roots]):
            session.transcript.note("info", f"the agent also works in {visible(', '.join(further))}")
        session.memory = None if way.kind == "new" else session_id
        session.controls.begin(answer)
        session.hints.trust_folder(answer.trust, answer.ignored or ())
        session.id = session_id
        for params in self._early.take(session_id):
            self._host.on_update(params)
        self._host.settle(session, way.kind == "new", lambda: self._open(session, session_id))

    def _open(self, session: Session, session_id: str) -> None:
        if session in self._host.sessions:
            session.ready(session_id)
            self._host.opened(session)

    def _lose_id(self, session: Session) -> None:
        self.by_id = {key: each for key, each in self.by_id.items() if each is not session}


def _called(session: Session, way: Way) -> str:
    """Name a session by its title, or else by its id."""
    title = session.shown_title
    return f"'{cut(title, _NAME)}'" if title else cut(way.id, _NAME)
