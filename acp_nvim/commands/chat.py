"""Commands on the lines of a session's chat."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.application import Application, Table
from acp_nvim.session_views import SessionViews


class ChatCommands:
    def __init__(self, app: Application, views: SessionViews) -> None:
        self._app, self._views = app, views
        self.table: Table = {
            "toggle": self.toggle,
            "fit": self._fit,
            "details": self._details,
            "render": self._render,
        }

    def toggle(self, payload: dict[str, Any]) -> None:
        """Fold or unfold the entry under that key."""
        session = self._app.session(payload)
        self._views.of(session).view.toggle(int(payload["key"]), payload.get("open"))
        self._app.touch(session)

    def _fit(self, payload: dict[str, Any]) -> None:
        """The size of a session's chat window, perhaps told before the session is begun."""
        number = int(payload["session"])
        self._views.fit(number, (int(payload["rows"]), int(payload["columns"])))
        if session := self._app.sessions.get(number):
            self._app.touch(session)

    def _details(self, payload: dict[str, Any]) -> None:
        view = self._views.of(self._app.session(payload)).view
        self._app.editor.notify("float", *view.details(int(payload["key"])))

    def _render(self, payload: dict[str, Any]) -> None:
        """The buffer was emptied: send everything once more."""
        session = self._app.session(payload)
        self._views.of(session).anew()
        self._app.touch(session)
