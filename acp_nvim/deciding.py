"""What the user decides: the verbs of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_nvim.client import Client
    from acp_nvim.session.questions import Question
    from acp_nvim.session.session import Session


class Deciding:
    def __init__(self, client: Client) -> None:
        self._client = client

    def do_answer(self, payload: dict[str, Any]) -> None:
        wanted = int(payload["question"])
        for session in self._client.sessions.values():
            if question := session.questions.get(wanted):
                return self._answer(session, question, payload.get("option"), payload.get("content"))
        self._client.say("warn", f"question {wanted} is not open any more: nothing was sent")

    def _answer(self, session: Session, question: Question, option_id: Any, content: Any = None) -> None:
        conflict = self._client.services.files.conflicts.open.get(question.id)
        if conflict and option_id == "merge" and conflict.merged is None:
            session.questions.touch(question)  # it stays open until both are merged
            self._client.touch(session)
            return self._client.editor.notify(
                "merge", question.id, conflict.path, conflict.mine, conflict.agents
            )
        option = question.option(str(option_id)) if option_id is not None else None
        if option_id is not None and option is None:
            return self._client.say(
                "warn", f"question {question.id} has no option '{option_id}': nothing was sent"
            )
        if not self._client.filling.takes(session, question, option, content):
            return None
        session.end_question(question, option, "user" if option else "cancel")
        self._client.touch(session)

    def do_merged(self, payload: dict[str, Any]) -> None:
        """The user's own merge of a conflict is there: it answers the question."""
        if not self._client.services.files.conflicts.merge(int(payload["question"]), str(payload["text"])):
            return self._client.say("warn", "that conflict is decided already: nothing was written")
        self.do_answer({"question": payload["question"], "option": "merge"})
