"""Keeps the files that one turn of a session may change, each as it was when last read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.boundary import Boundary
from acp_nvim.files.file_snapshot import By, ChangeAuthor, FileSnapshot, Held, Unknown
from acp_nvim.files.inert_git import Repository
from acp_nvim.session.session import Session


@dataclass(slots=True, eq=False)
class WatchedTurn:
    session: Session
    number: int
    boundary: Boundary
    began: int = field(default_factory=disk.clock)
    begun: anyio.Event = field(default_factory=anyio.Event)  # all that was to be known before is known
    over: anyio.Event = field(default_factory=anyio.Event)
    settled: anyio.Event = field(default_factory=anyio.Event)  # over, and all that it has changed is known
    busy: int = 0  # tasks that may still find a change
    files: dict[str, FileSnapshot] = field(default_factory=dict)  # by their resolved paths
    ended: set[int] = field(default_factory=set)  # keys of calls
    saved: set[str] = field(default_factory=set)  # by the user, who may have undone hunks
    left: set[str] = field(default_factory=set)  # that tool calls named and that existed at the answer
    answered: int = 0  # when the agent did
    # how the files looked when it answered
    at_answer: dict[str, file_snapshot.Stamp | None] = field(default_factory=dict)
    # by folder: what was dirty
    trees: dict[str, tuple[Repository, frozenset[str]]] = field(default_factory=dict)
    scopes: set[anyio.CancelScope] = field(default_factory=set)  # of the session's tasks
    _resolved: dict[str, str | None] = field(default_factory=dict)
    _bytes_read: int = 0  # of files that were read for the first time

    def author(self, by: By) -> ChangeAuthor:
        return ChangeAuthor(self.session, by, self.number)

    def is_new(self, given: str, by: By) -> bool:
        """Whether the path is new and there is room. Files that no tool call named may use half of the limit."""
        return given not in self._resolved and len(self._resolved) < (
            limits.WATCHED_FILES if by == "agent" else limits.WATCHED_FILES // 2
        )

    def announce(self, given: str) -> None:
        """Note that a tool call names the file: its changes are the agent's."""
        if seen := self.files.get(self._resolved.get(given) or ""):
            seen.path, seen.by = given, "agent"

    def add_path(self, given: str, by: By, done: bool = False) -> None:
        """Read a file for the first time. `done`: the agent may have changed it already.

        The text is read at once, whatever its size: with its next message the agent may have changed the file. Only a
        turn that names hundreds of megabytes has files whose earlier text is unknown.
        """
        if not self.is_new(given, by):
            return
        path = disk.resolve(given)
        inside = self.boundary.is_inside(self.session, path, given)
        self._resolved[given] = path if inside else None
        if inside and path not in self.files:
            now = file_snapshot.stamp(path)
            self._bytes_read += file_snapshot.size(now)
            if done and now and now[-1] >= self.began:
                self.add(path, given, by, None, Unknown.TEXT)
            elif self._bytes_read > limits.WATCHED_BYTES:
                self.add(path, given, by, now, Unknown.TEXT)
            else:
                self.add(path, given, by, now, file_snapshot.text(path))

    def add(
        self, path: str, given: str, by: By, now: file_snapshot.Stamp | None, text: Held
    ) -> FileSnapshot | None:
        if path not in self.files and len(self.files) < limits.WATCHED_FILES:
            self.files[path] = FileSnapshot(given, by, None, None)
            self.files[path].take(now, text)
        return self.files.get(path)

    def resolved(self, given: Iterable[str]) -> list[str]:
        return [path for each in given if (path := self._resolved.get(each)) in self.files and path]

    def close(self) -> None:
        """Note how the files look as the agent answers: who deletes one from now on is not the agent."""
        named = (path for path, each in self.files.items() if each.by == "agent")
        self.left = {path for path in named if file_snapshot.stamp(path)}
        self.at_answer = {path: file_snapshot.stamp(path) for path in self.files}
        self.answered = disk.clock()
        self.over.set()

    @property
    def suspects(self) -> list[str]:
        """Return the files that may have changed before the answer. Later changes are not the agent's."""
        return [path for path in self.files if self.is_suspect(path)]

    def is_suspect(self, path: str) -> bool:
        """May the agent have made a text of the file before its answer that nobody has read?

        No, if the file was last read with the stamp that it had at the answer. Within a clock tick that stamp may
        stand for two texts, so it is read again as long as it still has it.
        """
        seen = self.files[path]
        if path not in self.at_answer or seen.stamp != self.at_answer[path] or seen.missed:
            return True
        return not seen.sure and file_snapshot.stamp(path) == seen.stamp

    def is_later(self, path: str) -> bool:
        """Whether the file has changed after the answer."""
        now = file_snapshot.stamp(path)
        return now is not None and now[-1] > self.answered

    def stamps(self) -> dict[str, file_snapshot.Stamp | None]:
        """Return the stamps of files that may have changed: the stamp differs, or was too young at the last look."""
        now = {path: file_snapshot.stamp(path) for path in list(self.files)}
        return {path: each for path, each in now.items() if self.files[path].may_differ(each)}

    def changed(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self.files[path].differs(file_snapshot.stamp(path))]
