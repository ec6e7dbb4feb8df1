"""Serves the command that takes what somebody else has changed into review."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.messages import sessions
from acp_nvim.session.session import Session
from acp_nvim.takes.merge_file import FileMerger
from acp_nvim.takes.take import Take, title_of


class TakeCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {"take": handle(sessions.Take, self._take)}

    def _take(self, command: sessions.Take) -> None:
        session = Session(command.session, command.agent, command.cwd)
        self._app.services.files.boundary.begin(session)
        self._app.show(session)
        session.begin_take(title_of(command.source))
        self._app.services.review.begin_turn(session)
        self._app.touch(session)
        self._app.spawn(self._carry_out, session, command.source)

    async def _carry_out(self, session: Session, source: str) -> None:
        services = self._app.services
        take = Take(
            session, services.files, FileMerger(services.files, services), self._app.say, self._app.touch
        )
        services.review.turn_over(session, session.turn, [])  # nothing is looked for on the disk
        is_taken = await take.run(source)
        await services.tell_written()
        if session.number not in self._app.sessions:  # it was dropped meanwhile
            return
        services.review.turn_over(session, session.turn, [])
        session.end_take()
        if is_taken:
            self._app.touch(session)
        else:
            self._app.forget(session)
