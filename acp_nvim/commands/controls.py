"""Commands that set a session's mode, model or one of its options."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.application import Application, Table
from acp_nvim.session.controls import Wish
from acp_nvim.session.session import Session


class ControlCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {
            "set_mode": self._set_mode,
            "set_model": self._set_model,
            "set_option": self._set_option,
        }

    def _set_mode(self, payload: dict[str, Any]) -> None:
        self._want(self._app.session(payload), Wish("mode", str(payload["id"])))

    def _set_model(self, payload: dict[str, Any]) -> None:
        self._want(self._app.session(payload), Wish("model", str(payload["id"])))

    def _set_option(self, payload: dict[str, Any]) -> None:
        value = payload["value"]
        wish = Wish("option", value if isinstance(value, bool) else str(value), str(payload["id"]))
        self._want(self._app.session(payload), wish)

    def _want(self, session: Session, wish: Wish) -> None:
        if session.phase in ("stopped", "failed"):
            why = "has ended: a prompt or :Acp restart reconnects"
            return self._app.say("warn", f"session {session.number} {why}")
        return self._app.controls.want(session, self._app.host_of(session), wish)
