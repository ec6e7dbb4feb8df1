"""Commands on the terminals of agents."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.application import Application, Table


class TerminalCommands:
    def __init__(self, app: Application) -> None:
        self._app, self._terminals = app, app.services.terminals
        self.table: Table = {
            "terminal_watch": self._watch,
            "terminal_kill": self._kill,
        }

    def _watch(self, payload: dict[str, Any]) -> None:
        """A buffer shows a terminal: send its output there."""
        self._terminals.watch(self._app.session(payload), str(payload["id"]), int(payload["buffer"]))

    def _kill(self, payload: dict[str, Any]) -> None:
        if not self._terminals.stop(self._app.session(payload), str(payload["id"])):
            self._app.say("info", "that is not ours to stop, or has ended: :Acp cancel ends the turn")
