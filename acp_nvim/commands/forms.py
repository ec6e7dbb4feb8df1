"""Serves the answers of forms, and checks whether an answer fits its form."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands import question_lookup
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.messages.questions import Form, FormErrors, FormSend
from acp_nvim.session.form import Filled
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session


class FormCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {
            "form_send": handle(FormSend, self._send),
        }

    def _send(self, command: FormSend) -> None:
        """Answer a question by what the user has written into its form's buffer."""
        session, question = question_lookup.get(self._app, command.question)
        if question.form is None:
            raise ValueError(f"question {question.id} has no form")
        filled = question.form.read({name: dict(field) for name, field in command.fields.items()})
        if self._take(session, question, filled):
            session.questions.end(question, question.option("answer"), "user")
            self._app.touch(session)

    def takes(self, session: Session, question: Question, option: Option | None, content: Any) -> bool:
        """Whether the question may be answered so. If not, it stays open, and the user hears why or gets the form."""
        if question.form is None or option is None or option.kind.startswith("reject"):
            return True
        if option.id in question.quick:
            content = question.quick[option.id]
        elif content is None and question.form:
            self._open(session, question)
            return False
        return self._take(session, question, question.form.check(content))

    def _take(self, session: Session, question: Question, filled: Filled) -> bool:
        if not filled.errors:
            question.content = filled.content
            return True
        self._stays_open(session, question)
        self._app.editor.notify(FormErrors(question.id, filled.errors))
        titles = {field["name"]: field["title"] for field in question.fields}
        self._app.say("warn", f"not sent: {filled.problem(titles)}")
        return False

    def _open(self, session: Session, question: Question) -> None:
        self._stays_open(session, question)
        about = list(question.form.about) if question.form else []
        self._app.editor.notify(Form(question.id, session.number, about, question.fields))

    def _stays_open(self, session: Session, question: Question) -> None:
        session.questions.touch(question)
        self._app.touch(session)
