"""Serves commands about the terminals of agents."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.messages.terminals import TerminalKill, TerminalWatch


class TerminalCommands:
    def __init__(self, app: Application) -> None:
        self._app, self._terminals = app, app.services.terminals
        self.table: Table = {
            "terminal_watch": handle(TerminalWatch, self._watch),
            "terminal_kill": handle(TerminalKill, self._kill),
        }

    def _watch(self, command: TerminalWatch) -> None:
        """Send a terminal's output to a buffer that shows it."""
        self._terminals.watch(self._app.session(command.session), command.id, command.buffer)

    def _kill(self, command: TerminalKill) -> None:
        if not self._terminals.stop(self._app.session(command.session), command.id):
            self._app.say(
                "info",
                "this command has ended or is run by the agent itself: :Acp cancel ends the turn",
            )
