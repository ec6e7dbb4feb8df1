"""Serves commands about the user's comments: send them, and keep those that go with an answer."""

from __future__ import annotations

from acp_nvim.commands import question_lookup
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.commands.sessions import SessionCommands
from acp_nvim.messages.comments import CommentsOn, CommentsWritten, SendComments
from acp_nvim.messages.prompts import Prompt as PromptCommand
from acp_nvim.text import comment_text


class CommentCommands:
    def __init__(self, app: Application, sessions: SessionCommands) -> None:
        self._app, self._sessions = app, sessions
        self.table: Table = {
            "send_comments": handle(SendComments, self._send),
            "comments_on": handle(CommentsOn, self._on_question),
        }

    def _send(self, command: SendComments) -> None:
        """Send comments that no prompt has taken yet; a report that was to carry them goes without."""
        session = self._app.session(command.session)
        host = self._app.host_of(session)
        departing = host.departing_comments(session) if host else []
        taken = frozenset((*departing, *session.queue.comments))
        comments = comment_text.without(command.comments, taken)
        session.reports.withdraw(frozenset(each.id for each in comments))
        if not comments:
            session.ack = command.seq
            return self._app.touch(session)
        prompt = PromptCommand(
            session=command.session,
            text=comment_text.message(comments, session.cwd),
            context=[{"comment": each.id} for each in comments],
            seq=command.seq,
            steer=True,
            files=command.files,
        )
        self._app.editor.notify(CommentsWritten(command.session, command.seq, prompt.text))
        self._sessions.prompt(prompt)

    def _on_question(self, command: CommentsOn) -> None:
        if found := question_lookup.find(self._app, command.question):
            found[1].comments = list(command.comments)
