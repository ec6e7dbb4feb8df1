"""Verbs of prompts that wait, and of those that were sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_nvim.session.entries import Message
from acp_nvim.session.queue_edit import edits, still_to_send

if TYPE_CHECKING:
    from acp_nvim.app import Client


class Queueing:
    def __init__(self, client: Client) -> None:
        self._client = client

    def do_queue_open(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        queue = session.queue
        self._client.editor.notify("queue", session.number, queue.texts, queue.attached)

    def do_queue_set(self, payload: dict[str, Any]) -> None:
        session = self._client.session(payload)
        present = session.queue.texts
        was, wanted = (
            list(map(str, texts or ())) for texts in (payload.get("was", present), payload.get("items"))
        )
        kept, again, late = still_to_send(was, present, wanted)
        session.queue.replace(kept, edits(was, wanted))
        if late:
            self._client.editor.notify("history", session.number, late)
        told = _gone(
            late, "sent before your edit (<C-p> has it): ", "{} sent before your edits (<C-p> has them)"
        )
        told += _gone(again, "already sent: ", "{} already sent")
        count = len(session.queue)
        told.append(f"{count} prompt{'' if count == 1 else 's'} queued")
        self._client.say("warn" if again or late else "info", "; ".join(told))
        self._client.touch(session)

    def do_recall(self, payload: dict[str, Any]) -> None:
        """What the user said goes back into their prompt, to be sent again as it is or edited."""
        session = self._client.session(payload)
        entry = session.transcript.entry(int(payload["key"]))
        if isinstance(entry, Message) and entry.role == "user":
            self._client.editor.notify("recall", session.number, "".join(entry.parts))


def _gone(texts: list[str], one: str, many: str) -> list[str]:
    """What to do comes first: a narrow screen cuts the end off."""
    if len(texts) > 1:
        return [many.format(len(texts))]
    return [one + _brief(text) for text in texts]


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return f"'{line[:18]}…'" if len(line) > 19 else f"'{line}'"
