"""Serves what the editor reports of the review, and the way back to before a turn."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.host.restore import Restorer
from acp_nvim.messages.review import Restore, Reviewed
from acp_nvim.session.entries import ChangedFile


class ReviewCommands:
    def __init__(self, app: Application) -> None:
        self._app, self._review = app, app.services.review
        self._restorer = Restorer(app.services, app.rules, app.sessions, app.say, app.touch)
        self.table: Table = {
            "reviewed": handle(Reviewed, self._reviewed),
            "restore": handle(Restore, self._restore),
        }

    def _restore(self, command: Restore) -> None:
        self._app.spawn(self._restorer.restore, self._app.session(command.session), command)

    def _reviewed(self, told: Reviewed) -> None:
        for path in told.undone:
            self._review.wrote(path)
        if told.unsaved is not None:
            self._review.unsaved = told.unsaved
        for report in told.reports:
            self._review.lost(report.session, list(report.files))
        for note in told.notes:
            if session := self._app.sessions.get(note.session):
                files = [
                    ChangedFile(file.path, file.plus, file.minus, file.kept, file.undone, file.note)
                    for file in note.files
                ]
                self._review.note(session, note.turn, note.text, files, note.more)
