"""Serves commands that log in to an agent, and out of it."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.agent.connection import Gone, Result
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.commands.sessions import SessionCommands
from acp_nvim.host import login_methods
from acp_nvim.host.host import Host
from acp_nvim.messages.logins import Login, LoginChoose, LoginDone, LoginProgram, LoginRun, Logout
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.protocol.schema import AuthMethod
from acp_nvim.session.session import Session
from acp_nvim.text.printable import name_of, one_line


class LoginCommands:
    def __init__(self, app: Application, sessions: SessionCommands) -> None:
        self._app, self._sessions = app, sessions
        self.table: Table = {
            "login": handle(Login, self._login),
            "login_done": handle(LoginDone, self._login_done),
            "logout": handle(Logout, self._logout),
        }

    def _login(self, command: Login) -> None:
        session = self._app.session(command.session)
        host = self._app.host_of(session)
        if host is None or host.agent is None:
            return self._app.say("warn", _not_there(session))
        methods = host.agent.auth_methods
        if not methods:
            return self._app.say("info", f"{host.name} offers no login here: use its own program")
        wanted = command.method or host.spec.auth_method
        if wanted is None and len(methods) > 1:
            return self._app.editor.notify(LoginChoose(session.number, login_methods.shapes(methods)))
        method = _find(methods, wanted)
        if method is None:
            known = " or ".join(name_of(method.id) for method in methods)
            return self._app.say("error", f"{host.name} has no login '{wanted}'. Choose {known}")
        self._log_in(host, session, method)

    def _log_in(self, host: Host, session: Session, method: AuthMethod) -> None:
        if method.in_terminal:
            return self._app.editor.notify(LoginRun(session.number, _command(host, method)))
        if method.type == "env_var":
            names = ", ".join(name_of(variable.name) for variable in method.vars) or "its key"
            where = f"agents.{host.name}.env"
            return self._app.say("info", f"set {names} in {where} or in the environment, then :Acp restart")
        if host.logins.under_way:
            return self._app.say("info", f"{host.name} is already logging in; :Acp cancel stops that")
        host.logins.under_way = True
        self._app.say("info", f"{host.name} is logging in: {name_of(method.name)}")
        host.call(
            "authenticate",
            {"methodId": method.id},
            lambda result: self._logged_in(host, session, result),
            unbounded=True,
            owner=host.logins,  # for all its sessions
        )

    def _logged_in(self, host: Host, session: Session, result: Result) -> None:
        host.logins.under_way = False
        if isinstance(result, Gone):
            return  # on_exit tells the user
        if isinstance(result, Failure):
            why = f"{host.name}: the login failed: {result.error}"
            session.transcript.note("error", why)
            self._app.touch(session)
            return self._app.say("error", why)
        self._app.say("info", f"{host.name}: logged in")
        host.logins.unlock()

    def _login_done(self, command: LoginDone) -> None:
        """Restart the agent, because the login program succeeded: only a new process of the agent sees that."""
        session = self._app.session(command.session)
        self._app.say("info", f"{session.agent}: logged in, restarting it")
        self._sessions.restart(session, logged_in=True)

    def _logout(self, command: Logout) -> None:
        session = self._app.session(command.session)
        host = self._app.host_of(session)
        if host is None or host.agent is None:
            return self._app.say("warn", _not_there(session))
        if not host.agent.can_logout:
            return self._app.say("warn", f"{host.name} cannot log out from here: use its own program")
        host.call("logout", {}, lambda result: self._logged_out(host, result))

    def _logged_out(self, host: Host, result: Result) -> None:
        if isinstance(result, Gone):
            return
        if isinstance(result, Failure):
            return self._app.say("error", f"{host.name}: the logout failed: {result.error}")
        self._app.say("info", f"{host.name}: logged out")
        host.logins.log_out()


def _not_there(session: Session) -> str:
    if session.phase == "starting":
        return f"{session.agent} is still starting: try again once it has started"
    return f"{session.agent} is not running: :Acp restart starts it"


def _find(methods: Sequence[AuthMethod], wanted: str | None) -> AuthMethod | None:
    if wanted is None:
        return methods[0]
    return next((method for method in methods if wanted in (method.id, name_of(method.name))), None)


def _command(host: Host, method: AuthMethod) -> LoginProgram:
    """Return the program to run in a terminal: the one that the agent names, or the agent with further arguments."""
    named = method.meta.get("terminal-auth")
    own = {"command": host.spec.command, "args": [*host.spec.args, *method.args], "env": method.env}
    chosen = {**own, **named} if isinstance(named, dict) and isinstance(named.get("command"), str) else own
    args, env = chosen.get("args"), chosen.get("env")
    if chosen is not own and "args" not in (named or {}):
        args = []
    return {
        "argv": [str(chosen["command"]), *map(str, args if isinstance(args, list) else [])],
        "env": host.spec.environment
        | {str(k): str(v) for k, v in (env if isinstance(env, dict) else {}).items()},
        "cwd": host.cwd,
        "label": one_line(str(chosen.get("label") or method.name)),
    }
