"""Keeps the files that one turn of a session may change, each as it was when last read, and the calls that may change
them. Turns that run at the same time share what they know of a file: a change that both see is found once."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.boundary import Boundary
from acp_nvim.files.call_run import LAG_NS, CallRun
from acp_nvim.files.file_snapshot import By, ChangeAuthor, Content, FileSnapshot, Held, Unknown
from acp_nvim.files.inert_git import Repository
from acp_nvim.protocol import schema
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall


@dataclass(slots=True, eq=False)
class WatchedTurn:
    session: Session
    number: int
    boundary: Boundary
    all: Sequence[WatchedTurn] = ()  # those of other sessions, too
    began: int = field(default_factory=disk.clock)
    begun: anyio.Event = field(default_factory=anyio.Event)  # all that was to be known before is known
    over: anyio.Event = field(default_factory=anyio.Event)
    settled: anyio.Event = field(default_factory=anyio.Event)  # over, and all that it has changed is known
    busy: int = 0  # tasks that may still find a change
    files: dict[str, FileSnapshot] = field(default_factory=dict)  # by their resolved paths
    runs: dict[int, CallRun] = field(default_factory=dict)  # by the keys of their calls
    commands: dict[str, ToolCall] = field(
        default_factory=dict
    )  # run through us, by their terminals, as calls
    at_start: dict[str, Held] = field(default_factory=dict)  # what they held when they were first read
    # files that have changed since the turn began and before they were first read: git may know what they held
    unbased: set[str] = field(default_factory=set)
    owned: set[str] = field(default_factory=set)  # files that its calls have changed
    named: set[str] = field(default_factory=set)  # files, by its calls
    saved: set[str] = field(default_factory=set)  # by the user, who may have undone hunks
    folders: dict[str, int | None] = field(
        default_factory=dict
    )  # modes of before; None: there was no such folder
    answered: int = 0  # when the agent did
    # what files that may have changed held when it answered, until that is compared; None: too much to be read then
    at_answer: dict[str, Content | None] = field(default_factory=dict)
    # by folder: what was dirty
    trees: dict[str, tuple[Repository, frozenset[str]]] = field(default_factory=dict)
    # by folder: the branch, and what was staged
    indexes: dict[str, tuple[str | None, bytes | None]] = field(default_factory=dict)
    scopes: set[anyio.CancelScope] = field(default_factory=set)  # of the session's tasks
    _resolved: dict[str, str | None] = field(default_factory=dict)
    _links: dict[str, str] = field(default_factory=dict)  # those of the given paths that are links
    _bytes_read: int = 0  # of files that were read for the first time

    def author(self, by: By) -> ChangeAuthor:
        return ChangeAuthor(self.session, by, self.number)

    def is_new(self, given: str, by: By) -> bool:
        """Whether the path is new and there is room. Files that no tool call named may use half of the limit."""
        return given not in self._resolved and len(self._resolved) < (
            limits.WATCHED_FILES if by == "agent" else limits.WATCHED_FILES // 2
        )

    def spell(self, given: Iterable[str]) -> None:
        """Show files as a tool call names them, but for a link: that is shown as what it is."""
        for path in given:
            if path not in self._links and (seen := self.files.get(self._resolved.get(path) or "")):
                seen.path = path

    def note_call(self, call: ToolCall, cwd: str) -> tuple[CallRun, bool]:
        """Note that a call is new or has changed. Return it and whether it has ended just now."""
        for shown in call.content:
            if isinstance(shown, schema.TerminalRef) and (command := self.commands.get(shown.terminal_id)):
                self.runs[command.key].shown_by = call
        now, known = disk.clock(), self.runs.get(call.key)
        done = call.status in ("completed", "failed")
        if known is None or (known.ended is not None and not done):
            known = CallRun(call, cwd, now)
            if (
                done
            ):  # nobody knows when it began: a command after the last call, others have only what they name
                last = max((run.ended or 0 for run in self.runs.values()), default=0)
                known.began = max(self.began, last) if known.name else None
            self.runs[call.key] = known
        known.ended, had_ended = now if done and known.ended is None else known.ended, known.ended is not None
        return known, done and not had_ended

    def ran(self, at: int) -> bool:
        """Whether it ran at that time, or a call of it: those of subagents may be late."""
        if at + LAG_NS < self.began or (self.answered and at > self.answered):
            return any(run.ran(at) for run in self.runs.values())
        return True

    def has(self, path: str) -> bool:
        """Whether the resolved path lies in the folders of its session."""
        return self.boundary.is_inside(self.session, path, path)

    def was_dirty(self, path: str) -> bool:
        """Whether git called it changed as the turn began."""
        return any(path in dirty for _, dirty in self.trees.values())

    def add_dirty(self, given: str) -> None:
        """Read a file that git calls changed, as long as there is room for those."""
        size = file_snapshot.size(file_snapshot.stamp(disk.resolve(given)))
        fits = size <= limits.DIRTY_FILE_BYTES and self._bytes_read + size <= limits.DIRTY_BYTES
        self.add_path(given, "unknown", fits)

    def add_path(self, given: str, by: By, reads: bool = True) -> str | None:
        """Read a file for the first time, if it is inside. Return its resolved path if it is watched.

        The text is read at once, whatever its size: with its next message the agent may have changed the file. Only a
        turn that names hundreds of megabytes has files whose earlier text is unknown, or one that does not read them.
        """
        if self.is_new(given, by):
            path = disk.resolve(given)
            inside = self.boundary.is_inside(self.session, path, given)
            self._resolved[given] = path if inside else None
            if inside and path not in self.files:
                self._read(path, given, reads)
            self._read_link(given, path)
        found = self._resolved.get(given)
        return found if found in self.files else None

    def _read_link(self, given: str, path: str) -> None:
        """Watch a link beside the file that it leads to: each may change without the other."""
        place = disk.place(given)
        if place != path and os.path.islink(place) and self.boundary.is_inside(self.session, place, given):
            self._links[given] = place
            if place not in self.files:
                self._read(place, given, True)

    def _read(self, path: str, given: str, reads: bool) -> None:
        now = file_snapshot.stamp(path)
        text: Held = Unknown.TEXT
        self._bytes_read += file_snapshot.size(now) if reads else 0
        if reads and self._bytes_read <= limits.WATCHED_BYTES:
            now, text = file_snapshot.look(path)
        self.at_start[path] = text
        is_shared = self._shared(path) is not None
        if self.add(path, given, now, text) and not is_shared:
            if now and self.changed_at(path, now) >= self.began:
                self.unbased.add(path)
            else:
                self._note_folders(path)

    def note_missing(self, given: Iterable[str]) -> None:
        """Note that something was not there when a command named it: it may be a folder that is to be made."""
        for path in map(disk.resolve, given):
            if self.has(path):
                self.folders.setdefault(path, None)

    def was_missing(self, path: str) -> bool:
        """Whether the file was not there, because a folder above it was not."""
        return any(self.folders.get(folder, 0) is None for folder in self.folders_above(path))

    def folders_above(self, path: str) -> Iterator[str]:
        """Yield the folders of the session's in which a path lies, the innermost first."""
        while self.has(path := os.path.dirname(path)):
            yield path

    def _note_folders(self, path: str) -> None:
        for folder in self.folders_above(path):
            if folder in self.folders:
                return
            try:
                self.folders[folder] = stat.S_IMODE(os.stat(folder).st_mode)
            except OSError:
                self.folders[folder] = None

    def overlaps(self, other: WatchedTurn) -> bool:
        """Whether the two have run at the same time."""
        return self.began <= (other.answered or self.began) and other.began <= (self.answered or other.began)

    @property
    def beside(self) -> list[WatchedTurn]:
        """Return the turns of other sessions that have run at the same time."""
        return [turn for turn in self.all if turn.session is not self.session and self.overlaps(turn)]

    def _shared(self, path: str) -> FileSnapshot | None:
        """Return what a turn of another session knows of a file: one beside this one, or one that is over and has yet
        to compare the file."""
        waiting = (turn for turn in self.all if turn.session is not self.session and path in turn.at_answer)
        return next((turn.files[path] for turn in (*self.beside, *waiting) if path in turn.files), None)

    def add(self, path: str, given: str, now: file_snapshot.Stamp | None, text: Held) -> FileSnapshot | None:
        """Watch a file that is read as `text`, or as another running turn knows it. Return it if there is room."""
        if path not in self.files and len(self.files) < limits.WATCHED_FILES:
            shared = self._shared(path)
            # one of a turn that does not overlap: what a late call finds it finds once, and a look may be under way
            earlier = next((turn.files[path] for turn in self.all if path in turn.files), None)
            self.files[path] = shared or earlier or FileSnapshot(given, None, None)
            if not shared:
                self.files[path].begin(given, now, text)
        return self.files.get(path)

    def changed_at(self, path: str, now: file_snapshot.Stamp | None) -> int:
        """Return when the file has become what it is `now`, or one of the folders with which it was moved or deleted;
        a time before the turn if nothing tells."""
        at = now[-1] if now else 0
        for folder in self.folders_above(path):
            if at >= self.began:
                break
            with contextlib.suppress(OSError):
                at = max(at, os.stat(folder).st_ctime_ns)
        return at

    def resolved(self, given: Iterable[str]) -> list[str]:
        found = (paths.get(each) for each in given for paths in (self._resolved, self._links))
        return list(dict.fromkeys(path for path in found if path and path in self.files))

    def close(self) -> None:
        """Read the files that may have changed, as the agent answers: who changes one from now on is not the agent."""
        size = 0
        for path in self.changed(self.files):
            size += file_snapshot.size(file_snapshot.stamp(path))
            self.at_answer[path] = file_snapshot.look(path) if size <= limits.WATCHED_BYTES else None
        self.answered = disk.clock()
        for run in self.runs.values():
            run.ended = run.ended or self.answered
        self.over.set()

    @property
    def named_texts(self) -> dict[str, str]:
        """Return what the files that its calls have named held as the agent answered."""
        seen = ((path, self.files[path]) for path in self.named)
        held = ((path, self.at_answer.get(path) or (known.stamp, known.text)) for path, known in seen)
        return {path: text for path, (_, text) in held if isinstance(text, str)}

    def is_later(self, path: str) -> bool:
        """Whether the file has changed after the answer."""
        now = file_snapshot.stamp(path)
        return self.over.is_set() and now is not None and now[-1] > self.answered

    def is_first_read_late(self, path: str) -> bool:
        """Whether nobody has compared the file yet: git has named it, or it was first read after it had changed."""
        return path in self.unbased or self.files[path].stamp == file_snapshot.UNSEEN

    def may_differ(self, path: str) -> bool:
        """Whether the file may hold another text than when it was last read."""
        now = file_snapshot.stamp(path)
        return now != self.files[path].stamp or file_snapshot.is_young(now, self.began)

    def changed(self, paths: Iterable[str]) -> list[str]:
        """Return the files that have to be compared: those that may differ, and those whose buffers are behind."""
        waiting = {*self.unbased, *self.at_answer}
        return [path for path in paths if path in waiting or self.files[path].missed or self.may_differ(path)]
