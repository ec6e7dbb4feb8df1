"""Plays one turn: all that an agent can do between a prompt and its answer.

A turn has its own thread. `cancel` is called from the reading thread, and whatever the turn is waiting for
then (a pause, an answer of the client, a command) ends at once with `Cancelled`.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from .prompt import Prompt
from .session import Session
from .wire import BadShape, Json, Reply, Wire, field

PERMISSION_OPTIONS = {  # optionId: (kind, name, allowed?, for good?)
    "yes": ("allow_once", "Yes", True, False),
    "yes-always": ("allow_always", "Yes, and do not ask again", True, True),
    "no": ("reject_once", "No", False, False),
    "no-never": ("reject_always", "No, and do not ask again", False, True),
}


class Cancelled(Exception):
    """The user wants this turn to end."""


class Turn:
    def __init__(
        self, wire: Wire, session: Session, capabilities: Json, prompt: Prompt, speed: float
    ) -> None:
        self.session = session
        self.prompt = prompt
        self.capabilities = capabilities
        self._wire = wire
        self._speed = speed
        self._cancelled = threading.Event()
        self._interrupt: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._speaking = ("", "")  # the tag of the last chunk and the id of its message

    # Being cancelled

    def cancel(self) -> None:
        with self._lock:
            self._cancelled.set()
            if self._interrupt is not None:
                self._interrupt()

    def check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    @contextlib.contextmanager
    def interrupted_by(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """`interrupt` is what frees this thread from what it does within the block."""
        with self._lock:
            self.check()
            self._interrupt = interrupt
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = None

    def pause(self, seconds: float) -> None:
        """A pause for the eye: shorter or none at all at other speeds."""
        if self._speed:
            self._cancelled.wait(seconds / self._speed)
        self.check()

    def wait(self, seconds: float) -> None:
        """A pause that is there at any speed."""
        self._cancelled.wait(seconds)
        self.check()

    # Asking the client

    def ask(self, method: str, **params: object) -> Json:
        """A request whose answer we need, unless we are cancelled meanwhile. Raises ClientError."""
        reply = self.request(method, **params)
        with self.interrupted_by(reply.abandon):
            result = reply.wait()
        self.check()
        return result

    def request(self, method: str, **params: object) -> Reply:
        return self._wire.request(method, {"sessionId": self.session.id, **params})

    def permitted(self, call: ToolCall, key: str) -> bool:
        """Asks the user, unless an earlier answer was meant to last for all of this `key`."""
        if key in self.session.verdicts:
            return self.session.verdicts[key]
        options = [
            {"optionId": option_id, "kind": kind, "name": name}
            for option_id, (kind, name, _, _) in PERMISSION_OPTIONS.items()
        ]
        answer = self.ask("session/request_permission", toolCall=call.to_json(), options=options)
        outcome = field(answer, "outcome", dict)
        if outcome.get("outcome") == "cancelled":
            raise Cancelled  # it is the client's way to say: the turn was cancelled
        choice = PERMISSION_OPTIONS.get(field(outcome, "optionId", str))
        if outcome.get("outcome") != "selected" or choice is None:
            raise BadShape("the answer selects no option that was offered")
        _, _, allowed, for_good = choice
        if for_good:
            self.session.verdicts[key] = allowed
        return allowed

    # Talking

    def say(self, markdown: str, pace: float = 0.03) -> None:
        """An answer, streamed word by word as a model would."""
        self._stream("agent_message_chunk", re.findall(r"\s*\S+\s*", markdown), pace)

    def say_lines(self, lines: Iterator[str], pace: float) -> None:
        self._stream("agent_message_chunk", lines, pace)

    def think(self, text: str) -> None:
        self._stream("agent_thought_chunk", re.findall(r"\s*\S+\s*", text), 0.03)

    def show(self, block: Json) -> None:
        """A piece of the answer that is not text."""
        self._chunk("agent_message_chunk", block)

    def plan(self, steps: list[str], current: int) -> None:
        """The whole plan, each time: its steps before `current` are done."""
        self.check()
        states = [
            "completed" if n < current else "in_progress" if n == current else "pending"
            for n in range(len(steps))
        ]
        entries = [
            {"content": step, "priority": "high" if n == 0 else "medium", "status": state}
            for n, (step, state) in enumerate(zip(steps, states, strict=True))
        ]
        self._speaking = ("", "")
        self.session.update("plan", entries=entries)

    def _stream(self, tag: str, pieces: Iterator[str] | list[str], pace: float) -> None:
        for piece in pieces:
            self._chunk(tag, text_block(piece))
            self.pause(pace)

    def _chunk(self, tag: str, block: Json) -> None:
        """Chunks belong to one message until something else comes between."""
        self.check()
        if self._speaking[0] != tag:
            self._speaking = (tag, self.session.new_message_id())
        self.session.update(tag, content=block, messageId=self._speaking[1])

    # Calling tools

    def tool(self, title: str, kind: str, **fields: object) -> ToolCall:
        self.check()
        self._speaking = ("", "")
        return ToolCall(self.session, title, kind, fields)


class ToolCall:
    """A tool call on the client's screen; `with` sees to it that none is left open."""

    def __init__(self, session: Session, title: str, kind: str, fields: Json) -> None:
        self._session = session
        self._state: Json = {
            "toolCallId": session.new_call_id(),
            "title": title,
            "kind": kind,
            "status": "pending",
        }
        self._state.update(fields)
        session.update("tool_call", **self._state)

    def to_json(self) -> Json:
        return dict(self._state)

    def update(self, **fields: Any) -> None:
        """Only what changes is sent; `content` and `locations` replace what was there."""
        self._state.update(fields)
        self._session.update("tool_call_update", toolCallId=self._state["toolCallId"], **fields)

    def remember(self, **fields: Any) -> None:
        """Like `update`, but only for those who load this session later."""
        self._session.transcript.amend(self._state["toolCallId"], fields)

    def __enter__(self) -> ToolCall:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._state["status"] in ("completed", "failed"):
            return
        if error is None:
            self.update(status="completed")
        elif isinstance(error, Cancelled):
            self.update(status="failed")  # the standard has no word for cancelled tool calls
        else:
            self.update(status="failed", rawOutput={"error": str(error)})


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def text_content(text: str) -> Json:
    """Text as a part of a tool call's content."""
    return {"type": "content", "content": text_block(text)}
