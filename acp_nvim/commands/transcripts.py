"""Serves commands about saved conversations: the latest of a folder, export as Markdown, replay."""

from __future__ import annotations

import os

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.history import last_answer
from acp_nvim.history.replay import play
from acp_nvim.history.transcripts import Transcripts
from acp_nvim.messages.backend import Float
from acp_nvim.messages.transcripts import (
    Earlier,
    EarlierFound,
    Export,
    FirstWords,
    FirstWordsFound,
    Replay,
    ShowLastAnswer,
)
from acp_nvim.session.session import Session
from acp_nvim.text.printable import one_line


class TranscriptCommands:
    def __init__(self, app: Application, transcripts: Transcripts) -> None:
        self._app, self._transcripts = app, transcripts
        self.table: Table = {
            "earlier": handle(Earlier, self._earlier),
            "first_words": handle(FirstWords, self._first_words),
            "show_last_answer": handle(ShowLastAnswer, self._show_last_answer),
            "export": handle(Export, self._export),
            "replay": handle(Replay, self._replay),
        }

    def _earlier(self, command: Earlier) -> None:
        """Tell the editor which conversation of a folder could be continued."""
        self._app.spawn(self._tell_earlier, command.cwd)

    async def _tell_earlier(self, cwd: str) -> None:
        kept = await self._transcripts.earlier(cwd, self._app.settings.agents)
        self._app.editor.notify(EarlierFound(cwd, kept))

    def _first_words(self, command: FirstWords) -> None:
        self._app.spawn(self._tell_first_words)

    async def _tell_first_words(self) -> None:
        self._app.editor.notify(FirstWordsFound(await self._transcripts.first_words()))

    def _show_last_answer(self, command: ShowLastAnswer) -> None:
        self._app.spawn(self._tell_last_answer, command)

    async def _tell_last_answer(self, command: ShowLastAnswer) -> None:
        """Show the last answer of a session, from what it shows here or else from its transcript."""
        session = self._app.sessions.get(command.session or 0)
        if session is None and command.id:
            try:
                session = await self._transcripts.read(command.agent, command.id)
            except (OSError, ValueError) as error:
                return self._app.say("error", f"cannot read the transcript of this session: {error}")
        found = last_answer.find(session.transcript) if session else None
        if session is None or found is None:
            return self._app.say("info", "no transcript of this session")
        self._app.editor.notify(Float(found.lines(one_line(session.agent_title)), "markdown", [], []))

    def _export(self, command: Export) -> None:
        session = self._app.session(command.session)
        self._transcripts.export(session, command.file, command.force)

    def _replay(self, command: Replay) -> None:
        session = Session(command.session, "replay", command.cwd)
        file = command.file or self._transcripts.latest(session.cwd)
        if not file:
            self._app.forget(session)
            return self._app.say("warn", "no saved conversation in this folder: :Acp replay {file}")
        try:
            told = play(session, os.path.expanduser(str(file))).told()
        except (OSError, ValueError) as error:
            self._app.forget(session)
            why = error.strerror if isinstance(error, OSError) else error
            return self._app.say("error", f"cannot replay, {why}: ", str(file))
        if told:
            self._app.say("info", told)
        self._app.show(session)
        self._app.touch(session)
