"""Serves the methods that a client may call: each gets its params and the answer to fill in, at once or later."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from . import scenes
from .prompt import Prompt
from .session import Session
from .turn import Cancelled, Turn
from .wire import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_FOUND,
    Answer,
    BadShape,
    Json,
    RpcError,
    Wire,
    field,
)

PROTOCOL_VERSION = 1
CAPABILITIES = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
    "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}, "fork": {}},
}


class Agent:
    """All sessions of one client. Its methods run in the reading thread, each turn in a thread of its own."""

    def __init__(self, wire: Wire, speed: float) -> None:
        self._wire = wire
        self._speed = speed
        self._client: Json | None = None  # the client's capabilities, once it has introduced itself
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, Turn] = {}  # by session: the prompts that are being answered
        self._threads: list[threading.Thread] = []
        self._methods: dict[str, Callable[[Json, Answer], None]] = {
            "initialize": self._initialize,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/fork": self._fork,
            "session/list": self._list,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/set_mode": self._set_mode,
            "session/set_config_option": self._set_option,
            "session/prompt": self._prompt,
        }

    def on_request(self, method: str, params: Json, answer: Answer) -> None:
        """Every request gets exactly one answer, whatever happens."""
        try:
            if method not in self._methods:
                raise RpcError(METHOD_NOT_FOUND, f"unknown method: {method}")
            if self._client is None and method != "initialize":
                raise RpcError(INVALID_REQUEST, "initialize comes first")
            self._methods[method](params, answer)
        except RpcError as error:
            answer.error(error)
        except BadShape as error:
            answer.error(RpcError(INVALID_PARAMS, str(error)))
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug: the client still gets its answer
            if not answer.given:
                answer.error(_bug(error))

    def on_notification(self, method: str, params: Json) -> None:
        if method == "session/cancel":
            self._cancel(str(params.get("sessionId")))

    def stop(self) -> None:
        """Ends all turns, and with them whatever they have started."""
        for session_id in self._sessions:
            self._cancel(session_id)
        for thread in self._threads:
            thread.join(timeout=1)

    # Beginning

    def _initialize(self, params: Json, answer: Answer) -> None:
        field(params, "protocolVersion", int)
        capabilities = params.get("clientCapabilities")
        self._client = capabilities if isinstance(capabilities, dict) else {}
        answer.result(
            {
                # We answer with the version we speak; a client that does not know it hangs up.
                "protocolVersion": PROTOCOL_VERSION,
                "agentInfo": {"name": "acp-nvim-demo", "title": "Demo", "version": "1"},
                "agentCapabilities": CAPABILITIES,
                "authMethods": [],
            }
        )

    # Sessions

    def _new(self, params: Json, answer: Answer) -> None:
        cwd = _cwd(params)
        field(params, "mcpServers", list)  # a real agent would connect to them
        self._open(Session(self._wire, cwd, self._knows_booleans()), answer)

    def _fork(self, params: Json, answer: Answer) -> None:
        cwd = _cwd(params)
        self._open(self._idle(params).fork(cwd), answer)

    def _open(self, session: Session, answer: Answer) -> None:
        self._sessions[session.id] = session
        answer.result({"sessionId": session.id, **session.state()})
        session.update("available_commands_update", availableCommands=scenes.commands())

    def _load(self, params: Json, answer: Answer) -> None:
        """Tells all that was said and done, then answers."""
        self._reopen(params, answer, replay=True)

    def _resume(self, params: Json, answer: Answer) -> None:
        """Goes on where we were, for a client that needs no replay."""
        self._reopen(params, answer, replay=False)

    def _reopen(self, params: Json, answer: Answer, replay: bool) -> None:
        cwd = _cwd(params)
        session = self._idle(params)
        session.cwd, session.closed = cwd, False
        if replay:
            session.replay()
        answer.result(session.state())
        session.update("available_commands_update", availableCommands=scenes.commands())

    def _list(self, params: Json, answer: Answer) -> None:
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "unknown cursor: the list has one page")
        cwd = None if params.get("cwd") is None else field(params, "cwd", str)
        infos = [session.info() for session in self._sessions.values() if cwd in (None, session.cwd)]
        answer.result({"sessions": sorted(infos, key=lambda info: str(info["updatedAt"]), reverse=True)})

    def _close(self, params: Json, answer: Answer) -> None:
        session = self._session(params)
        self._cancel(session.id)
        session.closed = True
        answer.result({})

    def _delete(self, params: Json, answer: Answer) -> None:
        session = self._session(params)
        self._cancel(session.id)
        del self._sessions[session.id]
        answer.result({})

    def _set_mode(self, params: Json, answer: Answer) -> None:
        session = self._session(params)
        session.set_mode(params.get("modeId"))
        answer.result({})
        session.update("config_option_update", configOptions=session.options())

    def _set_option(self, params: Json, answer: Answer) -> None:
        session = self._session(params)
        session.set_option(field(params, "configId", str), params.get("value"))
        answer.result({"configOptions": session.options()})
        if params["configId"] == "mode":
            session.update("current_mode_update", currentModeId=session.mode)

    # Turns

    def _prompt(self, params: Json, answer: Answer) -> None:
        session = self._idle(params)
        if session.closed:
            raise RpcError(NOT_FOUND, "this session is closed: load or resume it first")
        prompt = Prompt(field(params, "prompt", list))
        session.remember(prompt)
        turn = self._turns[session.id] = Turn(self._wire, session, self._client or {}, prompt, self._speed)
        thread = threading.Thread(target=self._answer, args=(session, turn, answer), daemon=True)
        self._threads = [running for running in self._threads if running.is_alive()] + [thread]
        thread.start()

    def _answer(self, session: Session, turn: Turn, answer: Answer) -> None:
        """The thread of a turn."""
        try:
            outcome = _play(session, turn)
            session.tell_usage()
            # Before the answer is out: the next prompt may come right behind it.
            self._turns.pop(session.id)
            if isinstance(outcome, RpcError):
                answer.error(outcome)
            else:
                answer.result({"stopReason": outcome})
        except BrokenPipeError:
            pass  # the client has gone, and there is nobody left to tell

    def _cancel(self, session_id: str) -> None:
        turn = self._turns.get(session_id)  # looked up once: its own thread may remove it at any moment
        if turn is not None:
            turn.cancel()

    # Params

    def _session(self, params: Json) -> Session:
        session = self._sessions.get(field(params, "sessionId", str))
        if session is None:
            raise RpcError(NOT_FOUND, f"unknown session: {params['sessionId']}")
        return session

    def _idle(self, params: Json) -> Session:
        session = self._session(params)
        if session.id in self._turns:
            raise RpcError(INVALID_REQUEST, "a turn is running in this session")
        return session

    def _knows_booleans(self) -> bool:
        """clientCapabilities.session.configOptions.boolean: {} is a yes."""
        level: object = self._client
        for name in ("session", "configOptions", "boolean"):
            level = level.get(name) if isinstance(level, dict) else None
        return isinstance(level, dict)


def _play(session: Session, turn: Turn) -> str | RpcError:
    """The stop reason, or the error to answer with."""
    try:
        session.entitle(turn.prompt.text)
        scenes.play(turn)
        return "end_turn"
    except Cancelled:
        return "cancelled"
    except RpcError as error:
        return error
    except BrokenPipeError:
        raise
    except Exception as error:  # a bug: the client still gets its answer
        return _bug(error)


def _bug(error: Exception) -> RpcError:
    sys.excepthook(type(error), error, error.__traceback__)  # to stderr, which is the client's log
    return RpcError(INTERNAL_ERROR, f"a bug in the demo agent: {error!r}")


def _cwd(params: Json) -> str:
    cwd = field(params, "cwd", str)
    if not os.path.isabs(cwd):
        raise BadShape("`cwd` must be an absolute path")
    if not os.path.isdir(cwd):
        raise BadShape(f"`cwd` is not a directory: {cwd}")
    return cwd
