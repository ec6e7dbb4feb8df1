"""Models a subagent: a session that the agent has begun by itself. It has a transcript of its own, and one line in the
chat of the session that began it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from acp_nvim import limits
from acp_nvim.protocol.schema import UNSET, SubagentUpdate
from acp_nvim.session.nested_calls import NestedCalls
from acp_nvim.text.printable import name_of, one_line

if TYPE_CHECKING:
    from acp_nvim.session.transcript import Transcript


@dataclass(slots=True, eq=False)
class SessionMessage:
    """What one session has said to another."""

    sender: str | None = None
    recipient: str | None = None
    text: str = ""

    def add(self, text: str) -> None:
        self.text = (self.text + text)[: limits.SHOWN_CHARS]


@dataclass(slots=True, eq=False)
class Subagent:
    speaker: ClassVar[str | None] = "agent"
    key: int
    id: str  # of its session
    parent: str  # the id of the session that has begun it
    transcript: Transcript
    title: str | None = None
    description: str | None = None
    state: str | None = None  # "running", "idle", "requires_action", "unknown", or one of the agent's own
    stop_reason: str | None = None
    cwd: str | None = None
    can_cancel: bool = False
    nested: NestedCalls = field(default_factory=NestedCalls)
    # between it and its parent, by their ids
    messages: dict[str, SessionMessage] = field(default_factory=dict)

    def describe(self, update: SubagentUpdate) -> None:
        """Take what the agent says the subagent is. Fields that were not sent keep their values."""
        if update.title is not UNSET:
            self.title = update.title
        if update.description is not UNSET:
            self.description = update.description
        if update.cwd is not UNSET:
            self.cwd = update.cwd
        if update.can_cancel is not None:
            self.can_cancel = update.can_cancel

    @property
    def name(self) -> str:
        return name_of(self.title or self.description or f"subagent {self.id}")

    @property
    def prompts(self) -> list[str]:
        """Return what it was told."""
        return [message.text for message in self.messages.values() if message.sender != self.id]

    @property
    def answers(self) -> list[str]:
        """Return what it has answered. The last answer is in its own words, if it has said any: what brings it to its
        parent may hold notes that the agent has written for itself."""
        sent = [message.text for message in self.messages.values() if message.sender == self.id]
        own = "" if self.is_running else self.transcript.last_words()
        return [*sent[:-1], own] if own.strip() else sent

    def call_id(self, id: str) -> str:
        """Return the id under which a call of it is kept."""
        return f"{self.id}/{id}"

    @property
    def is_running(self) -> bool:
        return self.state in ("running", "requires_action")

    @property
    def has_failed(self) -> bool:
        return self.stop_reason == "error"

    def shape(self) -> dict[str, Any]:
        """Return it as `status().subagents` shows it."""
        state = None if self.state is None else one_line(self.state[: limits.STATE_CHARS])
        return {"id": self.id, "title": self.name, "state": state}
