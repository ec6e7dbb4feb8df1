"""Offers files and terminals to every agent, and passes on what follows from their use."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio

from acp_nvim.agent import settings
from acp_nvim.agent.incoming_requests import IncomingRequest
from acp_nvim.agent.settings import Settings
from acp_nvim.agent.spawn import environment
from acp_nvim.editor.interface import Editor
from acp_nvim.editor_tools.ask import EditorQueries
from acp_nvim.editor_tools.changing import ChangingTools
from acp_nvim.editor_tools.chat_lines import ChatLines
from acp_nvim.editor_tools.editor_tools import EditorTools
from acp_nvim.editor_tools.proposer import Proposer
from acp_nvim.editor_tools.reading import ReadingTools
from acp_nvim.editor_tools.run_calls import CallRunner
from acp_nvim.files import disk, file_snapshot, git_status
from acp_nvim.files.disk_changes import FileChange
from acp_nvim.files.disk_watcher import DiskWatcher
from acp_nvim.files.documents import Known
from acp_nvim.files.file_snapshot import ChangeAuthor, FileStamp, Held
from acp_nvim.files.service import Files
from acp_nvim.host.review import Review
from acp_nvim.messages.backend import Message
from acp_nvim.messages.comments import CommentsSent
from acp_nvim.messages.events import Event
from acp_nvim.messages.questions import Visit
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.proposals.enforce_decision import Enforcement
from acp_nvim.proposals.expected_writes import ExpectedWrites
from acp_nvim.proposals.previews import Previews
from acp_nvim.proposals.proposals import Proposals
from acp_nvim.protocol import methods
from acp_nvim.session.pending_reports import comments_of, texts_of
from acp_nvim.session.proposed_diffs import has_diff
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.terminals.service import Terminals
from acp_nvim.text.text_file import first_change

# How long a prompt waits, in seconds. git answers about a large project in 0.1 to 0.5 s; what is not known by then is
# compared later, and may count as the next turn's. Both together stay below a second, after which a user wonders.
_SETTLING = 0.7
_LOOKING = 0.3  # an agent needs longer until it changes its first file
# How long an agent's write waits until Neovim has called the listeners of AcpFileWritten. They take milliseconds; at a
# hit-enter prompt Neovim hears of it later, and the agent goes on.
_HEARING = 0.3

Serve = Callable[[IncomingRequest, Session], Awaitable[Any]]


class AgentServices:
    def __init__(
        self,
        editor: Editor,
        spawn: Callable[..., None],
        touch: Callable[[Session], None],
        groups_changed: Callable[[], None],
        rules: RuleApplier,
        hide: Callable[[str], None],
    ) -> None:
        self._settings = settings.NONE
        self._touch = touch
        self._editor = editor
        self._written: list[tuple[Session, str]] = []  # on the disk; the editor has not been told yet
        # the files in the editor's buffers and in review, resolved, when a prompt was last sent
        self.known_files: list[str] = []
        expected = ExpectedWrites(self._tell)
        self.files = Files(editor, self, expected)
        self.watch = DiskWatcher(self.files, spawn, self._on_changed, self._on_over, self._say)
        loaded = self.files.documents.open.__contains__
        self.review = Review(
            editor, loaded, expected.typed, expected.asked, self._learn_report, self._on_taken_back, touch
        )
        self.terminals = Terminals(
            editor, environment, spawn, self.watch, self._terminal_changed, groups_changed
        )
        self.enforcement = Enforcement(self.files, expected, spawn, self.watch.look)
        self.proposals = Proposals(
            editor,
            self.files,
            self.enforcement,
            spawn,
            self._say,
            touch,
            self._writes_through,
            self.review.text_of,
        )
        self.previews = Previews(editor, self.files, spawn, touch)
        self.queries = EditorQueries(editor)
        self.tool_lines = lines = ChatLines(touch)
        proposer = Proposer(
            self.files, self.enforcement, rules, spawn, self.tool_call_changed, self.own_turn, touch
        )
        reading, changing = ReadingTools(self.queries), ChangingTools(self.queries, proposer)
        by_name = {
            "open_files": reading.open_files,
            "read_buffer": reading.read_buffer,
            "selection": reading.selection,
            "get_file_problems": reading.get_file_problems,
            "get_symbol_info": reading.get_symbol_info,
            "find_usages": reading.find_usages,
            "search_symbol": reading.search_symbol,
            "search_buffers": reading.search_buffers,
            "rename_symbol": changing.rename_symbol,
            "code_action": changing.code_action,
            "format_file": changing.format_file,
            "show": reading.show,
        }
        runner = CallRunner(by_name, self.files, rules, lines, touch)
        self.tools = EditorTools(runner, spawn, self._say, touch, hide)

    def configure(self, configured: Settings, run: str | None, state: str | None) -> None:
        self._settings = configured
        self.tools.configure(configured, run, state)
        self.files.configure(configured.fs.outside, configured.fs.autocmds)

    @property
    def offer(self) -> dict[str, Any]:
        """Our capabilities: what works and is switched on."""
        fs, terminal = self._settings.fs, self._settings.terminal
        return methods.client_capabilities(read=fs.read, write=fs.write, terminal=terminal)

    @property
    def serve(self) -> dict[str, Serve]:
        files: dict[str, Serve] = {
            "fs/read_text_file": self.files.read,
            "fs/write_text_file": self._write,
        }
        return {**files, **self.terminals.serve}

    def can_begin_at_once(self, session: Session) -> bool:
        """Whether a turn may begin without waiting for the changes of the last one, and without asking git."""
        folders = (session.cwd, *session.roots)
        return self.watch.is_settled(session) and not any(map(git_status.is_above, folders))

    async def settle(self, session: Session) -> None:
        """Wait until the changes of the last turn are known; a moment at most, since git or the disk may be slow."""
        with anyio.move_on_after(_SETTLING):
            await self.watch.settled(session)

    async def look_around(self, session: Session) -> None:
        """Wait until it is known how the files look before the turn; no longer than an agent takes to begin."""
        with anyio.move_on_after(_LOOKING):
            await self.watch.begun(session)

    def begin_turn(self, session: Session) -> None:
        """Note how the files look, just before the agent can change them."""
        self.watch.begin(session, self.known_files)
        self.review.begin_turn(session)

    @contextmanager
    def own_turn(self, session: Session) -> Iterator[None]:
        """Run a turn that no prompt has begun."""
        session.begin_own_turn()
        self.begin_turn(session)
        turn = session.turn
        try:
            yield
        finally:
            if session.in_turn and session.turn == turn:
                session.end_turn(time.monotonic(), "cancelled" if session.cancelling else "end_turn")
                self.end_turn(session)
                session.on_idle()
            self._touch(session)

    def report(self, session: Session) -> tuple[str, list[int]]:
        """Return the report that the next prompt begins with, and the ids of the comments that it holds."""
        reports = session.reports.take()
        return "\n\n".join([*texts_of(reports), *self.review.report(session)]), comments_of(reports)

    def comments_sent(self, ids: list[int]) -> None:
        """Tell the editor which of the user's comments are on the wire."""
        if ids:
            self._editor.notify(CommentsSent(ids))

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Show all services a tool call that has changed, before the agent gets an answer about it."""
        self.terminals.note_end(session, call)
        self.enforcement.tool_call_changed(session, call)
        self.watch.tool_call_changed(session, call)
        if has_diff(call, session.cwd):
            self.previews.tool_call_changed(session, call)
        self.proposals.tool_call_changed(session, call)

    def end_turn(self, session: Session) -> None:
        self.enforcement.end(session)
        self.watch.end(session)
        self.files.documents.wake()

    def end(self, session: Session) -> None:
        """Drop all of a session that has left its agent, or whose agent has ended."""
        self.enforcement.end(session)
        self.terminals.close_session(session)
        self.files.forget(session)
        self.watch.end(session)
        self.tools.end(session)

    def modified(self, path: str, is_modified: bool) -> None:
        """Note whether a loaded buffer has unsaved changes."""
        self.files.documents.modified(path, is_modified)
        self.watch.modified(path, is_modified)
        if not is_modified:
            self.enforcement.saved(path)

    def opened(self, path: str) -> None:
        """Note that a buffer has been read from this file: a prompt may be about to go out."""
        self.known_files = [*self.known_files, path]
        self.watch.opened(path)

    def entered(self, path: str) -> None:
        """Note that the user looks at a file which is not what its buffer has been read from."""
        self.watch.entered(path)

    def saved(self, path: str, stamp: FileStamp) -> None:
        """Note that the user has written a file, which has this stamp since."""
        self.watch.saved(path, stamp)
        self.watch.modified(path, False)
        self.enforcement.saved(path)

    def visit(self, url: str) -> None:
        """Open a page. The user has allowed it."""
        self._editor.notify(Visit(url))

    # --- what files and terminals tell

    def _say(self, level: str, text: str) -> None:
        self._editor.notify(Message(level, text))

    def _tell(self, session: Session, text: str) -> None:
        session.transcript.note("warning", text)
        self._say("warn", text)
        self._touch(session)

    def touch(self, session: Session) -> None:
        self._touch(session)

    def on_read(self, session: Session, path: str, line: int | None) -> None:
        self.watch.read_served(session, path)
        session.follow.touch(path, line)
        session.events.add("AcpFileRead", path=path)
        self._touch(session)

    def known(self, session: Session, path: str) -> Known | None:
        return self.watch.known(session, path)

    def on_broken(self, path: str) -> None:
        """Count what the file holds as no change of the agent's, because a write of ours has broken off."""
        self.watch.wrote(path, file_snapshot.text(path))

    def on_written(
        self, by: ChangeAuthor, path: str, before: str | None, after: str, is_others: bool
    ) -> None:
        session, real = by.session, disk.resolve(path)
        before = before if is_others else self.watch.before(session, real, before)
        session.follow.touch(path, first_change(before or "", after))
        self.watch.wrote(real, after)
        self.review.changed(FileChange(by, real, path, before, after))
        if real not in self.files.documents.open:  # else the editor has written it
            self._written.append((session, path))
        self._touch(session)

    def on_removed(self, session: Session, path: str, before: Held, mode: int | None) -> None:
        """A file was deleted for a session that has no agent; `path` is absolute, symlinks unresolved."""
        real = disk.resolve(path)
        self.watch.wrote(real, None)
        by = ChangeAuthor(session, "agent", session.turn, mode=mode)
        self.review.changed(FileChange(by, real, path, before, None))
        self._touch(session)

    async def tell_written(self) -> None:
        """Let the editor hear of the files that were written on the disk."""
        if self._written:
            with anyio.move_on_after(_HEARING, shield=True):
                await self._tell_written()

    def _writes_through(self, session: Session) -> bool:
        """Whether the agent writes by asking us. Where we offer no writing, it writes the disk."""
        return session.writes_through and self._settings.fs.write

    async def _write(self, incoming: IncomingRequest, session: Session) -> Any:
        """Write a file. Listeners of AcpFileWritten are called before the agent goes on."""
        session.writes_through = True
        try:
            return await self.files.write(incoming, session)
        finally:
            await self.tell_written()

    async def _tell_written(self) -> None:
        written, self._written = self._written, []
        for session, path in written:
            await self._editor.call(Event("AcpFileWritten", {"session": session.number, "path": path}))

    def _on_changed(self, change: FileChange) -> None:
        self.review.changed(change)
        if isinstance(change.after, str):
            session, before = change.by.session, change.before
            line = first_change(before if isinstance(before, str) else "", change.after)
            session.follow.touch(change.given, line)
            self._touch(session)

    def _on_over(self, session: Session, turn: int, moved: list[str]) -> None:
        self.review.turn_over(session, turn, moved)
        self._touch(session)

    def _learn_report(self, session: Session, path: str, lines: list[str]) -> None:
        """Let the agent know what it is told of a file; `path` is resolved."""
        text = self.review.text_of(path)
        if text is not None:
            self.files.baselines.of(session).learn_report(path, lines, text)

    def _on_taken_back(self, path: str) -> None:
        """Count what the user's undo has written as no change of the agent's."""
        self.watch.wrote(path, file_snapshot.text(path))

    def _terminal_changed(self, session: Session, terminal_id: str) -> None:
        session.transcript.touch_terminal(terminal_id)
        if self.terminals.has_ended(session, terminal_id):
            self.watch.command_ended(session, terminal_id)
        self._touch(session)
