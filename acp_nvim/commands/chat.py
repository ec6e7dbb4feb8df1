"""Serves commands about the lines of a session's chat: fold, details, size."""

from __future__ import annotations

from functools import partial

from acp_nvim.chat import entry_details, subagent_text
from acp_nvim.chat.call_runs import RunPart
from acp_nvim.commands.dispatch import Refused, Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.commands.picture_files import PictureFiles
from acp_nvim.messages.backend import Float, Show
from acp_nvim.messages.chat import Details, Fit, Render, Toggle, ToggleAll
from acp_nvim.messages.sessions import CancelSubagent, OpenSubagent
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent
from acp_nvim.shown_sessions import ShownSessions
from acp_nvim.text.printable import name_of


class ChatCommands:
    def __init__(self, app: Application, views: ShownSessions) -> None:
        self._app, self._views = app, views
        self._pictures = PictureFiles()
        self.table: Table = {
            "toggle": handle(Toggle, self._toggle),
            "toggle_all": handle(ToggleAll, self._toggle_all),
            "fit": handle(Fit, self._fit),
            "details": handle(Details, self._details),
            "render": handle(Render, self._render),
            "open_subagent": handle(OpenSubagent, self._open_subagent),
            "cancel_subagent": handle(CancelSubagent, self._cancel_subagent),
        }

    def _toggle(self, command: Toggle) -> None:
        self.toggle(self._app.session(command.session), command.key, command.open, command.run)

    def toggle(self, session: Session, key: int, is_open: bool | None, run: RunPart | None = None) -> None:
        """Fold or unfold the entry with that key, or its run; None toggles it."""
        self._views.of(session).view.toggle(key, is_open, run)
        self._app.touch(session)

    def _toggle_all(self, command: ToggleAll) -> None:
        session = self._app.session(command.session)
        self._views.of(session).view.toggle_all(command.open)
        self._app.touch(session)

    def _fit(self, command: Fit) -> None:
        """Note the size of a session's chat window, perhaps before the session begins."""
        self._views.fit(command.session, (command.rows, command.columns))
        if session := self._app.sessions.get(command.session):
            self._app.touch(session)

    def _details(self, command: Details) -> None:
        session = self._app.session(command.session)
        entry = session.transcript.entry(command.key)
        if isinstance(entry, Subagent):
            return self._show_subagent(session, entry)
        view = self._views.of(session).view
        page = view.details(command.key)
        pictures = [
            {"row": row, "path": path}
            for row, picture in page.pictures
            if (path := picture if isinstance(picture, str) else self._pictures.path_of(picture))
        ]
        self._app.editor.notify(Float(page.lines, entry_details.FILETYPE, page.regions, pictures))

    def _open_subagent(self, command: OpenSubagent) -> None:
        session = self._app.session(command.session)
        child = session.subagents.get(command.id)
        if child is None:
            raise Refused(f"session {session.number} no longer has this subagent")
        self._show_subagent(session, child)

    def _show_subagent(self, session: Session, child: Subagent) -> None:
        terminal = partial(self._app.services.terminals.text, session)
        shown = subagent_text.lines(child, session.cwd, terminal)
        name = f"acp://{session.number}/subagent/{name_of(child.id)}"
        self._app.editor.notify(Show(name, entry_details.FILETYPE, shown))

    def _cancel_subagent(self, command: CancelSubagent) -> None:
        session = self._app.session(command.session)
        child, host = session.subagents.get(command.id), self._app.host_of(session)
        if child is None or host is None or not child.is_running:
            raise Refused("this subagent is not running")
        if not child.can_cancel:
            raise Refused(f"{host.name} cannot cancel a subagent: cancel the whole turn with :Acp cancel")
        host.connection.notify("session/cancel", {"sessionId": child.id})

    def _render(self, command: Render) -> None:
        """Send everything again, because the buffer was emptied."""
        session = self._app.session(command.session)
        self._views.of(session).resend_all()
        self._app.touch(session)
