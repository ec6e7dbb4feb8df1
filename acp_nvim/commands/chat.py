"""Serves commands about the lines of a session's chat: fold, details, size."""

from __future__ import annotations

from acp_nvim.commands.application import Application
from acp_nvim.commands.table import Table, handle
from acp_nvim.messages.backend import Float
from acp_nvim.messages.chat import Details, Fit, Render, Toggle
from acp_nvim.session.session import Session
from acp_nvim.session_views import SessionViews


class ChatCommands:
    def __init__(self, app: Application, views: SessionViews) -> None:
        self._app, self._views = app, views
        self.table: Table = {
            "toggle": handle(Toggle, self._toggle),
            "fit": handle(Fit, self._fit),
            "details": handle(Details, self._details),
            "render": handle(Render, self._render),
        }

    def _toggle(self, command: Toggle) -> None:
        self.toggle(self._app.session(command.session), command.key, command.open)

    def toggle(self, session: Session, key: int, is_open: bool | None) -> None:
        """Fold or unfold the entry with that key; None toggles it."""
        self._views.of(session).view.toggle(key, is_open)
        self._app.touch(session)

    def _fit(self, command: Fit) -> None:
        """Note the size of a session's chat window, perhaps before the session begins."""
        self._views.fit(command.session, (command.rows, command.columns))
        if session := self._app.sessions.get(command.session):
            self._app.touch(session)

    def _details(self, command: Details) -> None:
        view = self._views.of(self._app.session(command.session)).view
        self._app.editor.notify(Float(*view.details(command.key)))

    def _render(self, command: Render) -> None:
        """Send everything again, because the buffer was emptied."""
        session = self._app.session(command.session)
        self._views.of(session).resend_all()
        self._app.touch(session)
