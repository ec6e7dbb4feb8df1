"""Sends changes of a session's mode, model and options, one at a time, in the order asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.host.interface import AgentHost
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.dialects import Dialect
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.session.controls import Change, Wish
from acp_nvim.session.session import Session

Then = Callable[[], None]


class SessionControls:
    def __init__(self, say: Callable[[str, str], None], touch: Callable[[Session], None]) -> None:
        self._say, self._touch = say, touch
        self._told: set[str] = set()  # complaints about defaults that did not work
        self._settling: dict[Session, Then] = {}

    def want(self, session: Session, host: AgentHost | None, wish: Wish) -> None:
        """Queue a change. They are sent one at a time, in order. `host` is the agent, if it runs."""
        session.controls.waiting.append(wish)
        if host and session.phase not in ("starting", "auth"):  # else `settle` comes
            self._next(host, session)

    # --- a session that has just been opened

    def settle(self, host: AgentHost, session: Session, fresh: bool, then: Then) -> None:
        """Apply the configured defaults and the changes that were queued meanwhile; `then` the session is ready."""
        controls = session.controls
        if host.dialect.set_model:
            controls.name_models()
        if host.dialect.modes:
            controls.name_modes(host.dialect.modes)
        if fresh:
            controls.waiting.extendleft(reversed(list(_defaults(host.spec.defaults, session))))
        controls.busy = False
        if not controls.waiting:
            return then()
        self._settling[session] = then
        # an agent that does not answer must not hold up more than this
        asyncio.get_running_loop().call_later(host.spec.timeout_ms / 1000, self._settled, session, then)
        self._next(host, session)

    def _settled(self, session: Session, only: Then | None = None) -> None:
        then = self._settling.get(session)
        if then and only in (None, then):
            del self._settling[session]
            then()

    # --- one after the other

    def _next(self, host: AgentHost, session: Session) -> None:
        controls = session.controls
        while controls.waiting and not controls.busy:
            wish = controls.waiting.popleft()
            try:
                change = controls.change(wish)
            except ValueError as why:
                self._failed(host, session, wish, str(why))
            else:
                if not (wish.is_default and controls.is_so(change)):
                    self._send(host, session, change)
        if not controls.busy:
            self._settled(session)
        self._touch(session)

    def _send(self, host: AgentHost, session: Session, change: Change) -> None:
        session.controls.busy = True
        method, params = _request(change, str(session.id), host.dialect)
        host.call(method, params, lambda result: self._answered(host, session, change, result), owner=session)

    def _answered(self, host: AgentHost, session: Session, change: Change, result: Result) -> None:
        controls = session.controls
        if session not in host.sessions:
            return  # it has moved to another agent, or is closed
        if isinstance(result, Gone):
            controls.waiting.clear()
            self._settling.pop(session, None)
            return
        controls.busy = False
        if isinstance(result, Failure):
            self._failed(host, session, change.wish, str(result.error))
        else:
            controls.changed(change, _options_of(result.result), _value_set(result.result))
        self._next(host, session)

    def _failed(self, host: AgentHost, session: Session, wish: Wish, why: str) -> None:
        """Keep the old value after a refused change: nothing of the change was shown."""
        if not wish.is_default:
            return self._say("warn", f"{host.name}: {wish} was not set: {why}")
        told = f"{host.name}: the default {wish} was not set: {why}"
        session.transcript.note("warning", told)
        if told not in self._told:
            self._told.add(told)
            self._say("warn", told)
        return None


def _defaults(wanted: dict[str, Any], session: Session) -> Iterator[Wish]:
    if wanted.get("mode"):
        yield Wish("mode", str(wanted["mode"]), is_default=True)
    if wanted.get("model"):
        yield Wish("model", str(wanted["model"]), is_default=True)
    options = wanted.get("options")
    for id, value in session.controls.of_options(options if isinstance(options, dict) else {}):
        yield Wish("option", value if isinstance(value, bool) else str(value), id, is_default=True)


def _request(change: Change, session_id: str, dialect: Dialect) -> tuple[str, dict[str, Any]]:
    """Return the params without extra keys, which some agents reject. A boolean needs its type."""
    params: dict[str, Any] = {"sessionId": session_id}
    if own := dialect.change(change.wish.what, change.option.id if change.option else "", change.value):
        return own[0], {**params, **own[1]}
    if option := change.option:
        kind = {"type": "boolean"} if option.type == "boolean" else {}
        return "session/set_config_option", {**params, "configId": option.id, "value": change.value, **kind}
    if change.wish.what == "mode":
        return "session/set_mode", {**params, "modeId": change.value}
    if dialect.set_model:
        return dialect.set_model, {**params, "model": change.value}
    return "session/set_model", {**params, "modelId": change.value}


def _options_of(result: Any) -> schema.NewSession:
    """Decode the answer to a change. It may hold options; modes and models come with other messages."""
    return schema.NewSession(config_options=decode.new_session(result).config_options)


def _value_set(result: Any) -> str | None:
    """Return the value that the agent has set, if it says so."""
    told = result if isinstance(result, dict) else {}
    return next((told[key] for key in ("modeId", "modelId", "model") if isinstance(told.get(key), str)), None)
