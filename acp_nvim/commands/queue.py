"""Serves commands about the queue of prompts, and about prompts that were sent."""

from __future__ import annotations

from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.messages.prompts import (
    EditedPrompt,
    FillPrompt,
    History,
    Queue,
    QueueOpen,
    QueueSet,
    QueueSteer,
    Recall,
)
from acp_nvim.session.entries import Message
from acp_nvim.session.queue import Prompt


class QueueCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.table: Table = {
            "queue_open": handle(QueueOpen, self._queue_open),
            "queue_set": handle(QueueSet, self._queue_set),
            "queue_steer": handle(QueueSteer, self._queue_steer),
            "recall": handle(Recall, self._recall),
        }

    def _queue_open(self, command: QueueOpen) -> None:
        session = self._app.session(command.session)
        waiting = session.queue.prompts
        self._app.editor.notify(
            Queue(
                session.number,
                [{"seq": each.seq, "text": each.text, "attached": each.attached} for each in waiting],
            )
        )

    def _queue_set(self, command: QueueSet) -> None:
        session = self._app.session(command.session)
        present = {each.seq: each for each in session.queue.prompts}
        sent = set(command.shown) - set(present)
        kept = []
        for item in command.items:
            if item.seq not in sent:
                prompt = present.pop(item.seq, None) or Prompt(item.text, seq=item.seq)
                prompt.text = item.text
                kept.append(prompt)
        kept += [each for each in present.values() if each.seq not in command.shown]  # queued meanwhile
        session.queue.replace(kept)
        session.ack = max([session.ack, *(item.seq for item in command.items)])
        late = [item for item in command.items if item.seq in sent and item.edited]
        again = [item for item in command.items if item.seq in sent and not item.edited]
        if late:
            self._app.editor.notify(History(session.number, [item.text for item in late]))
        told = _already_sent(
            late, "sent before your edit (<C-p> has it): ", "{} sent before your edits (<C-p> has them)"
        )
        told += _already_sent(again, "already sent: ", "{} already sent")
        count = len(session.queue)
        told.append(f"{count} prompt{'' if count == 1 else 's'} queued")
        self._app.say("warn" if again or late else "info", "; ".join(told))
        self._app.touch(session)

    def _queue_steer(self, command: QueueSteer) -> None:
        session = self._app.session(command.session)
        host = self._app.host_of(session)
        if not session.in_turn:
            return self._app.say("info", "no turn is running: :Acp queue! sends what is queued")
        if host is None or not host.steering.is_offered:
            why = f"{session.agent_title} cannot take it earlier"
            return self._app.say("info", f"this prompt stays in the queue: {why}")
        if not host.steering.add_waiting(session, command.seq):
            return self._app.say("warn", "this prompt is no longer queued")
        self._queue_open(QueueOpen(session=session.number))
        return self._app.touch(session)

    def _recall(self, command: Recall) -> None:
        """Put an earlier prompt back into the prompt's buffer, to be sent again."""
        session = self._app.session(command.session)
        entry = session.transcript.entry(command.key)
        if isinstance(entry, Message) and entry.role == "user":
            self._app.editor.notify(FillPrompt(session.number, "".join(entry.parts)))


def _already_sent(items: list[EditedPrompt], one: str, many: str) -> list[str]:
    """Return the message. What to do comes first: a narrow screen cuts the end off."""
    if len(items) > 1:
        return [many.format(len(items))]
    return [one + _brief(item.text) for item in items]


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return f"'{line[:18]}…'" if len(line) > 19 else f"'{line}'"
