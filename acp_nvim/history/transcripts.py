"""Saves transcripts: a private file for each session, and as many files as configured. Exports them as Markdown."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from anyio import to_thread

from acp_nvim.agent import private_files
from acp_nvim.agent.background_writer import BackgroundWriter
from acp_nvim.agent.redaction import Redaction
from acp_nvim.history import markdown_export, past_conversations
from acp_nvim.history.replay import play, recall
from acp_nvim.history.transcript_messages import Line, TranscriptMessages
from acp_nvim.session import past_decisions
from acp_nvim.session.session import Session

_NAME = 40  # characters of an agent's name in that of a file
_PAUSE = 0.5  # seconds at least from one look at a running turn to the next
_SHARE = 20  # of the time, at most one in so many goes into them
_encoded = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(slots=True, eq=False)
class _Record:
    path: Path
    messages: TranscriptMessages
    is_new: bool = True  # the file has to be created or replaced
    seen: tuple[object, ...] = ()
    is_due: bool = False  # a look at its turn is scheduled
    rests_until: float = 0.0


class Application(Protocol):
    """What transcripts use of the application."""

    sessions: dict[int, Session]

    def say(self, level: str, text: str, path: str | None = None) -> None: ...
    def warn_unkept(self, text: str) -> None: ...
    def touch(self, session: Session) -> None: ...


class _Job(NamedTuple):
    record: _Record
    lines: list[Line]
    is_new: bool


class Transcripts:
    def __init__(
        self, app: Application, spawn: Callable[..., None], terminal: Callable[[Session, str], str]
    ) -> None:
        self._app, self._spawn, self._terminal = app, spawn, terminal
        self._folder: Path | None = None
        self._keep = 0
        self._hidden = Redaction(())
        self._records: dict[Session, _Record] = {}
        self._writer = BackgroundWriter("the transcript cannot be saved", spawn, app.warn_unkept)

    def configure(self, state: str | None, keep: int, secrets: Iterable[str]) -> None:
        self._folder = Path(state) / "transcripts" if state and keep > 0 else None
        self._keep, self._hidden = keep, Redaction(secrets)

    def hide(self, secret: str) -> None:
        self._hidden.add([secret])

    def restore(self, session: Session, file: str | None) -> bool:
        """Show what was said in a session of an earlier backend, as far as it was saved. False: the user has been told
        that it cannot be read."""
        if not file or self._folder is None or not os.path.isfile(file):
            return True
        try:
            recall(session, file)
        except (OSError, ValueError) as error:
            self._app.say("warn", f"cannot read the earlier conversation: {error}")
            return False
        session.recording = file
        return True

    # --- those that are over

    def latest(self, cwd: str) -> Path | None:
        """Return the latest conversation of a folder that is over."""
        going = {session.recording for session in self._app.sessions.values() if session.recording}
        return past_conversations.latest(self._folder, cwd, going) if self._folder else None

    async def earlier(self, cwd: str, agents: Iterable[str]) -> dict[str, Any] | None:
        """Return the latest conversation of a folder, which could go on; its agent by its name in `agents`."""
        path = await to_thread.run_sync(self.latest, cwd)
        if path is None:
            return None
        kept = await to_thread.run_sync(past_conversations.described, path)
        named = (name for name in agents if _slug(name) == kept.agent)
        cut = await to_thread.run_sync(past_conversations.cut_prompt, path)
        return {**kept._asdict(), "agent": next(named, kept.agent), "cut": cut}

    async def read(self, agent: str, id: str) -> Session | None:
        """Return a session as its newest transcript has it, by its agent and the agent's id of it; None without one.
        Raises OSError or ValueError."""
        path = await to_thread.run_sync(self._find, agent, id)
        if path is None:
            return None
        session = Session(0, agent, "")
        await to_thread.run_sync(play, session, str(path))
        return session

    async def recall_decisions(self, session: Session, id: str) -> None:
        """Label the calls of a session that is loaded with what the user had decided, as its transcript has it."""
        try:
            earlier = await self.read(session.agent, id)
        except (OSError, ValueError) as error:
            return self._app.say("warn", f"cannot read what was decided in this session: {error}")
        if earlier:
            session.recall_decisions(past_decisions.of(earlier.transcript))
            self._app.touch(session)

    def _find(self, agent: str, id: str) -> Path | None:
        return past_conversations.find(self._folder, _slug(agent), id) if self._folder else None

    async def first_words(self) -> dict[str, str]:
        """Return how the kept conversations begin, by the agent's id of the session."""
        folder = self._folder
        return await to_thread.run_sync(past_conversations.first_words, folder) if folder else {}

    def further_folders(self, agent: str, id: str, file: str | None) -> past_conversations.FurtherFolders:
        """Return the further folders that a session had, from its transcript: `file`, else the newest one of its id."""
        path = Path(file) if file else self._find(agent, id)
        return past_conversations.further_folders(path) if path else past_conversations.FurtherFolders((), ())

    # --- writing

    def save_news(self, session: Session) -> None:
        """Save what is new. This is called with every frame, and is cheap if no turn has begun or ended. A running turn
        is saved now and then, so that little is lost if the backend is killed."""
        record = self._records.get(session)
        seen = (session.turn, session.in_turn, session.phase in ("stopped", "failed"))
        if record is None:
            if self._folder is None or not session.turn or session.is_agentless:
                return
            record = self._records[session] = self._begin(session, self._folder)
        if record.seen != seen:
            record.seen = seen
            asyncio.get_running_loop().call_soon(self._save_change, session, record)  # behind the frame
        elif session.in_turn and not record.is_due and not self._writer.is_failing:
            record.is_due = True
            when = max(time.monotonic(), record.rests_until)
            asyncio.get_running_loop().call_at(when, self._save_running_turn, session, record)

    def _save_change(self, session: Session, record: _Record) -> None:
        if self._records.get(session) is record:
            self._save(session, record)

    def _save_running_turn(self, session: Session, record: _Record) -> None:
        record.is_due = False
        if session.in_turn and self._records.get(session) is record:
            began = time.monotonic()
            self._save(session, record, in_passing=True)
            ended = time.monotonic()
            record.rests_until = ended + max(_PAUSE, _SHARE * (ended - began))

    def let_go(self, session: Session) -> None:
        if record := self._records.pop(session, None):
            self._save(session, record)

    def leave_turns_open(self) -> None:
        """The backend is about to end: leave running turns without an end in their files."""
        self._writer.end()
        for session, record in self._records.items():
            record.messages.is_cut = session.in_turn

    def close(self) -> None:
        """Write what still waits, so that it is not lost."""
        for session, record in self._records.items():
            self._save(session, record)
        self._writer.close()

    def _begin(self, session: Session, folder: Path) -> _Record:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        name = f"{stamp}-{_slug(session.agent)}-{os.getpid()}-{session.number}.jsonl"
        session.recording = session.recording or str(folder / name)
        return _Record(Path(session.recording), self._new_messages(session))

    def _new_messages(self, session: Session) -> TranscriptMessages:
        return TranscriptMessages(session, partial(self._terminal, session))

    def _save(self, session: Session, record: _Record, in_passing: bool = False) -> None:
        if record.is_new or record.messages.begun != session.transcript.begun:
            record.messages, record.is_new = self._new_messages(session), True
        if lines := record.messages.lines(time.monotonic(), in_passing):
            self._writer.add(record.path, partial(self._put, _Job(record, lines, record.is_new)))
            record.is_new = False

    def _put(self, job: _Job) -> None:
        """Append to the file. One that somebody has removed is created again with the next turn."""
        lines = (_encoded(self._hidden.value(line)) for line in job.lines)
        text = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        try:
            if job.is_new:
                self._create(job.record.path, text)
            else:
                private_files.append(job.record.path, text, create=False)
        except OSError as error:
            job.record.is_new = True
            if job.is_new or not isinstance(error, FileNotFoundError):
                raise

    def _create(self, path: Path, text: bytes) -> None:
        private_files.folder(path.parent)
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        private_files.append(fresh, text)
        fresh.replace(path)
        self._prune(path)

    def _prune(self, newest: Path) -> None:
        """Delete the oldest files. Another Neovim may do so at the same time."""
        found = [
            (past_conversations.age(path), path) for path in newest.parent.glob("*.jsonl") if path != newest
        ]
        for _, path in sorted(found, reverse=True)[max(0, self._keep - 1) :]:
            path.unlink(missing_ok=True)

    # --- as Markdown

    def export(self, session: Session, file: str, force: bool) -> None:
        text = self._hidden.text("".join(markdown_export.export(session, partial(self._terminal, session))))
        self._spawn(self._export, file, text, force)

    async def _export(self, file: str, text: str, force: bool) -> None:
        try:
            await to_thread.run_sync(_write_export, file, text, force)
        except OSError as error:
            self._app.say("error", unwritten(error, "export!"), file)
        else:
            self._app.say("info", "the conversation is in ", file)


def _slug(agent: str) -> str:
    """Return the agent's name in a form that fits a file name."""
    return re.sub(r"[^\w.-]+", "-", agent)[:_NAME]


def unwritten(error: OSError, forced: str) -> str:
    """Return why the file was not written, the reason first: a narrow screen cuts the end off."""
    if isinstance(error, FileExistsError):
        return f"the file exists, :Acp {forced} overwrites it: "
    if isinstance(error, FileNotFoundError):
        return "not saved, no such folder: "
    return f"not saved, {str(error.strerror).lower()}: "


def _write_export(file: str, text: str, force: bool) -> None:
    with open(file, "w" if force else "x", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(text)
