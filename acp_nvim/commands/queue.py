"""Verbs of prompts that wait, and of those that were sent."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.application import Application, Table
from acp_nvim.session.entries import Message
from acp_nvim.session.queue_edit import edits, still_to_send


class QueueCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {
            "queue_open": self._queue_open,
            "queue_set": self._queue_set,
            "recall": self._recall,
        }

    def _queue_open(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        queue = session.queue
        self._app.editor.notify("queue", session.number, queue.texts, queue.attached)

    def _queue_set(self, payload: dict[str, Any]) -> None:
        session = self._app.session(payload)
        present = session.queue.texts
        was, wanted = (
            list(map(str, texts or ())) for texts in (payload.get("was", present), payload.get("items"))
        )
        kept, again, late = still_to_send(was, present, wanted)
        session.queue.replace(kept, edits(was, wanted))
        if late:
            self._app.editor.notify("history", session.number, late)
        told = _gone(
            late, "sent before your edit (<C-p> has it): ", "{} sent before your edits (<C-p> has them)"
        )
        told += _gone(again, "already sent: ", "{} already sent")
        count = len(session.queue)
        told.append(f"{count} prompt{'' if count == 1 else 's'} queued")
        self._app.say("warn" if again or late else "info", "; ".join(told))
        self._app.touch(session)

    def _recall(self, payload: dict[str, Any]) -> None:
        """What the user said goes back into their prompt, to be sent again as it is or edited."""
        session = self._app.session(payload)
        entry = session.transcript.entry(int(payload["key"]))
        if isinstance(entry, Message) and entry.role == "user":
            self._app.editor.notify("recall", session.number, "".join(entry.parts))


def _gone(texts: list[str], one: str, many: str) -> list[str]:
    """What to do comes first: a narrow screen cuts the end off."""
    if len(texts) > 1:
        return [many.format(len(texts))]
    return [one + _brief(text) for text in texts]


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return f"'{line[:18]}…'" if len(line) > 19 else f"'{line}'"
