"""Serves commands that set a session's mode, model or one of its options."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.messages.session_options import SetMode, SetModel, SetOption
from acp_nvim.session.controls import Wish
from acp_nvim.session.session import Session


class SessionOptionCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {
            "set_mode": handle(SetMode, self._set_mode),
            "set_model": handle(SetModel, self._set_model),
            "set_option": handle(SetOption, self._set_option),
        }

    def _set_mode(self, command: SetMode) -> None:
        self._want(self._app.session(command.session), Wish("mode", command.id))

    def _set_model(self, command: SetModel) -> None:
        self._want(self._app.session(command.session), Wish("model", command.id))

    def _set_option(self, command: SetOption) -> None:
        wish = Wish("option", command.value, command.id)
        self._want(self._app.session(command.session), wish)

    def _want(self, session: Session, wish: Wish) -> None:
        if session.phase in ("stopped", "failed"):
            why = "has ended: a prompt or :Acp restart reconnects"
            return self._app.say("warn", f"session {session.number} {why}")
        return self._app.controls.want(session, self._app.host_of(session), wish)
