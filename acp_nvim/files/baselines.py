"""Keeps what the agent of each session knows of files, and which of its writes may come to the disk once more. The
texts that a review compares with are kept by `watched_turn`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from acp_nvim.files import disk
from acp_nvim.files.documents import Documents
from acp_nvim.files.file_snapshot import Held, Link, Unknown, on_disk, raw
from acp_nvim.session.agent_baseline import AgentBaseline
from acp_nvim.session.session import Session
from acp_nvim.text.collisions import collisions
from acp_nvim.text.text_file import split


class Baselines:
    """Paths are resolved."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._known: WeakKeyDictionary[Session, AgentBaseline] = WeakKeyDictionary()
        self._echoes: dict[str, tuple[Session, tuple[str, ...]]] = {}

    def of(self, session: Session) -> AgentBaseline:
        return self._known.get(session) or self._known.setdefault(session, AgentBaseline(disk.clock()))

    def begin_turn(self, session: Session, began: int, at_start: Mapping[str, Held]) -> None:
        """`at_start` are the files that were read before the prompt goes out. Others are read when they are written:
        one that has not changed since then still holds what the agent may have seen. Given up: a file outside of the
        session's folders, or too large for review, that has changed since; where the agent's write differs, we ask."""
        known: dict[str, bytes | None] = {}
        for path, held in at_start.items():
            if not isinstance(held, Unknown | Link):
                known[path] = None if held is None else raw(held)
        self.of(session).begin_turn(began, known)
        self._echoes = {path: echo for path, echo in self._echoes.items() if echo[0] is not session}

    def base(self, session: Session, path: str) -> str | bytes | None:
        """Return the base of a write, None if it is not known. For a file that is gone it is empty."""
        if not os.path.exists(path) and path not in self._documents.open:
            return ""
        known = self.of(session)
        if (text := known.text(path)) is not None:
            return text
        data = on_disk(path)
        return known.base(path, data, disk.changed(path) if data is not None else 0, bytes)

    def learn_write(self, session: Session, path: str, content: str, saved: str) -> None:
        """Note a write that was saved: the agent believes what it has sent, whatever a formatter made of it."""
        self.of(session).learn(path, content)
        self._echoes.pop(path, None)
        if content != saved and split(content).lines != split(saved).lines:
            self.expect_echo(session, path, content, saved)

    def expect_echo(self, session: Session, path: str, text: str, saved: str) -> None:
        """Expect the agent to write the same text to the disk, too, where `saved` was put in its place. What the buffer
        has beyond it is the user's."""
        self._echoes[path] = session, (text, *collisions(text, saved))

    def forget_echo(self, path: str) -> None:
        """Expect it no more: the buffer has taken up another text of the disk."""
        self._echoes.pop(path, None)

    def echoes(self, path: str) -> tuple[str, ...]:
        """Return what the disk may hold because the agent has written the same text to it."""
        return self._echoes[path][1] if path in self._echoes else ()

    def forget(self, session: Session) -> None:
        """Forget what the agent believes: it starts again."""
        self._known.pop(session, None)
