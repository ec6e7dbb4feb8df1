"""Changes behind our back: most agents write to the disk themselves.

What a tool call names is looked at when it is first named, when the call has ended, after a command and at the end of
the turn; git adds what nobody named. A change goes into the loaded buffer, and is handed on.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import anyio
import anyio.lowlevel
from anyio import to_thread

from acp_nvim.serves import git, reload, sight
from acp_nvim.serves.files import Files
from acp_nvim.serves.live import Buffer
from acp_nvim.serves.reload import Apart, Settled
from acp_nvim.serves.sight import By, Held, Unknown
from acp_nvim.serves.turn import MOST, Turn
from acp_nvim.session.paths import named
from acp_nvim.session.session import Session
from acp_nvim.session.tool_calls import ToolCall

_AT_ONCE = 32  # paths of one update that are looked at before the next
_APART = "the agent has changed the file on disk, in lines with unsaved changes"
_KEPT = "the unsaved lines stay: nobody decided between them and what the agent has written to disk"

# The path as it was named; the texts, None where there is no file; `by` is "unknown" if nobody announced it.
OnChanged = Callable[[Session, str, Held, str | None, By], None]


class Watch:
    """`spawn` runs a coroutine function in a task."""

    def __init__(
        self,
        files: Files,
        spawn: Callable[..., None],
        on_changed: OnChanged,
        on_over: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self._files, self._spawn = files, spawn
        self._on_changed, self._on_over = on_changed, on_over  # the latter: all of a turn's changes are known
        self._turns: dict[Session, Turn] = {}  # the last one of each
        self._asking: set[str] = set()

    # --- what the rest of the client tells

    def begin(self, session: Session, loaded: Iterable[str] = ()) -> None:
        """Before the prompt goes out. `loaded`: the files in the editor's buffers."""
        last = self._turns.get(session)
        turn = self._turns[session] = Turn(session, scopes=last.scopes if last else set())
        known = [*loaded, *self._files.live.unsaved][:MOST]
        for path in known[:_AT_ONCE]:
            turn.meet(path, "unknown")
        self._start(turn, self._begin, known)

    def hear(self, session: Session, call: ToolCall) -> None:
        """The call as it is now; before the agent is told anything about it."""
        turn = self._turns.get(session)
        if turn is None:
            return
        given = named(call.locations, call.content, call.raw_input, session.cwd)
        done = call.status in ("completed", "failed")
        news = [path for path in given if turn.is_new(path, "agent")]
        for path in news[:_AT_ONCE]:
            turn.meet(path, "agent", done)
        for path in given:
            turn.announce(path)
        ends = done and bool(news or call.id not in turn.ended)
        (turn.ended.add if done else turn.ended.discard)(call.id)
        if news or ends:
            self._start(turn, self._hear, news, given if ends else [], done)

    def look(self, session: Session) -> None:
        """Something that was running has ended."""
        if turn := self._turns.get(session):
            self._start(turn, self._look, None)

    def end(self, session: Session) -> None:
        """The turn has its answer, or will never have one."""
        turn = self._turns.get(session)
        if turn and not turn.over.is_set():
            turn.over.set()
            self._start(turn, self._end)

    def wrote(self, path: str, text: Held) -> None:
        """We have: nothing to be surprised about."""
        path = os.path.realpath(path)
        for turn in self._turns.values():
            now = sight.stamp(path)
            if known := turn.add(path, path, "agent", now, text):
                known.take(now, text)

    def modified(self, path: str, is_modified: bool) -> None:
        """A loaded buffer has unsaved changes now, or none any more."""
        path = os.path.realpath(path)
        for turn in self._turns.values():
            if not is_modified and path in turn.sights:
                turn.saved.add(path)

    def forget(self, session: Session) -> None:
        """It leaves the list: its questions with it."""
        if turn := self._turns.pop(session, None):
            for scope in list(turn.scopes):
                scope.cancel()

    # --- in tasks of the session

    def _start(self, turn: Turn, job: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self._spawn(self._run, turn, job, *arguments)

    async def _run(self, turn: Turn, job: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        with anyio.CancelScope() as scope:
            turn.scopes.add(scope)
            try:
                await job(turn, *arguments)
            finally:
                turn.scopes.discard(scope)

    async def _begin(self, turn: Turn, known: list[str]) -> None:
        """What git calls dirty could change unannounced, and so could what the editor has loaded."""
        for path in known:
            await self._meet(turn, path, "unknown", True)
        for root in (turn.session.cwd, *turn.session.roots):
            if tree := await git.tree(root):
                dirty = await git.changed(tree, root, MOST)
                if dirty is not None:
                    turn.trees[root] = tree, frozenset(dirty)
                for path in dirty or ():
                    await self._meet(turn, _below(root, path), "unknown", True)
        await self._read_large(turn)
        turn.begun.set()

    async def _hear(self, turn: Turn, news: list[str], ended: list[str], done: bool) -> None:
        for path in news:
            await self._meet(turn, path, "agent", done)
            turn.announce(path)
        await self._read_large(turn)
        await self._look(turn, turn.resolved(ended))

    async def _end(self, turn: Turn) -> None:
        await self._look(turn, None)
        await turn.begun.wait()  # a short turn may be over before git has answered
        for root, (tree, before) in turn.trees.items():
            after = await git.changed(tree, root, MOST) or {}
            for path, is_committed in after.items():
                if path not in before and path not in turn.sights:
                    await self._meet_clean(turn, tree, path, _below(root, path), is_committed)
        await self._look(turn, None)
        self._on_over(turn.session)

    async def _meet(self, turn: Turn, given: str, by: By, done: bool = False) -> None:
        turn.meet(given, by, done)
        await anyio.lowlevel.checkpoint()

    async def _meet_clean(
        self, turn: Turn, tree: git.Tree, path: str, given: str, is_committed: bool
    ) -> None:
        """What was clean held what is committed; what is new to git was not there."""
        data = await git.committed(tree, path, sight.LARGEST) if is_committed else None
        text = Unknown.TEXT if is_committed and data is None else sight.decoded(data)
        turn.add(path, given, "unknown", sight.UNSEEN, text)

    async def _read_large(self, turn: Turn) -> None:
        for path in turn.take_large():
            seen = turn.sights[path]
            text = await to_thread.run_sync(sight.text, path)
            if seen.text is Unknown.TEXT and seen.stamp == sight.stamp(path):
                seen.text = text

    async def _look(self, turn: Turn, paths: list[str] | None) -> None:
        """At these, or at all."""
        for path in await to_thread.run_sync(turn.changed, list(turn.sights) if paths is None else paths):
            await self._take(turn, path)

    # --- one file

    async def _take(self, turn: Turn, path: str) -> None:
        """What has become of it, into the buffer and to whom it may concern."""
        async with self._files.lock(path):
            seen = turn.sights[path]
            before, was = seen.text, seen.stamp
            now, text = sight.stamp(path), await to_thread.run_sync(sight.text, path)
            if now == was and text == before:
                return seen.take(now, text)
            buffer = await self._files.live.loaded(path) if now else None
            if before is Unknown.TEXT and buffer and not buffer.modified:
                before = buffer.text.whole
            is_users = path in turn.saved and self._is_in_step(path, buffer, text)
            seen.take(now, text)
            if is_users:
                return turn.saved.discard(path)
            earlier = None if isinstance(before, Unknown) else before or ""
        by = (turn.session, seen.by)
        apart = await self._bring(path, earlier, None, by) if buffer else None
        if text is not Unknown.TEXT and text != before:
            self._on_changed(turn.session, seen.path, before, text, seen.by)
        if apart and path not in self._asking:
            self._start(turn, self._ask, path, earlier, apart)

    async def _bring(
        self, path: str, earlier: str | None, settled: Settled | None, by: object
    ) -> Apart | None:
        lock = self._files.lock(path)
        return await reload.bring(self._files.live, lock, path, earlier, settled, by)

    def _is_in_step(self, path: str, buffer: Buffer | None, text: Held) -> bool:
        """The disk holds what the buffer does, or did before its unsaved changes."""
        if buffer is None:
            return False
        if not buffer.modified:
            return buffer.text.whole == text
        return sight.decoded(self._files.live.origin(path)) == text

    async def _ask(self, turn: Turn, path: str, earlier: str | None, apart: Apart) -> None:
        """Until the user has decided: a turn that ends or is cancelled decides nothing."""
        self._asking.add(path)
        try:
            found: Apart | None = apart
            while found:
                settled = await self._decide(turn.session, path, found)
                found = await self._bring(path, earlier, settled, (turn.session, "agent"))
        finally:
            self._asking.discard(path)

    async def _decide(self, session: Session, path: str, apart: Apart) -> Settled | None:
        conflicts, in_turn = self._files.conflicts, session.in_turn
        text, by = await conflicts.settle(session, path, apart.mine, apart.agents, _APART)
        turn_went = session.cancelling or session.in_turn != in_turn
        if by == "user" or (by == "cancel" and not turn_went):
            if by == "cancel":
                session.transcript.note("info", f"{os.path.basename(path)}: {_KEPT}")
            return Settled(apart, apart.mine.whole if text is None else text)
        await self._turns[session].over.wait()
        return None


def _below(root: str, path: str) -> str:
    """A resolved path as the user names it."""
    return os.path.join(root, os.path.relpath(path, os.path.realpath(root)))
