"""Serves `fs/read_text_file` and `fs/write_text_file`.

A read returns what the user sees, unsaved lines included. A write is a three-way merge: the base is what the agent
believes, mine is the live text, theirs is the content. Where lines overlap the user is asked. Requests on one file are
served one after the other, but while a question is open nobody else is kept from the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

import anyio.lowlevel

from acp_nvim.agent.incoming_requests import IncomingRequest
from acp_nvim.editor.interface import Editor
from acp_nvim.files import disk
from acp_nvim.files.baselines import Baselines
from acp_nvim.files.boundary import Access, Boundary
from acp_nvim.files.conflict_question import Conflicts, Merge, note_on
from acp_nvim.files.documents import (
    Base,
    DecidedBase,
    Documents,
    Known,
    Locked,
    Missed,
    NotLoaded,
    Overlap,
    Settled,
    Written,
    sendable,
)
from acp_nvim.files.file_snapshot import ChangeAuthor, DiskText, Ends, FileStamp, Typed, as_text, on_disk
from acp_nvim.files.proposal_interface import Decisions
from acp_nvim.files.request_params import expect_same, number_of, path_of, told
from acp_nvim.protocol.errors import CANCELLED, INTERNAL_ERROR, INVALID_PARAMS, RpcError
from acp_nvim.session.session import Session
from acp_nvim.session.tool_paths import absolute
from acp_nvim.text import text_file
from acp_nvim.text.text_file import Text, in_format, section, split

_BESIDE = "lines with unsaved changes have also changed on disk"


class Listener(Protocol):
    """What this room tells the rest of the backend. Paths are absolute, symlinks unresolved."""

    def touch(self, session: Session) -> None: ...
    def on_read(self, session: Session, path: str, line: int | None) -> None: ...
    def on_written(
        self, by: ChangeAuthor, path: str, before: str | None, after: str, is_others: bool
    ) -> None:
        """`before`: what the user saw, None if there was no file; `after`: what is saved. `is_others`: what had come to
        the disk before is another program's."""

    def on_broken(self, path: str) -> None:
        """A write has failed and left a broken file; `path` is resolved."""

    def known(self, session: Session, path: str) -> Known | None:
        """What the file held when it was last looked at in the session's turn, if it has changed since; `path` is
        resolved."""


class Wanted(NamedTuple):
    """A write that is to be carried out."""

    base: Base  # what the text builds on
    text: str
    typed: Typed | None = None  # what of the change is the user's
    settled: FileStamp | None = None  # the file of which the user has decided an overlap


class Files:
    def __init__(self, editor: Editor, listener: Listener, decisions: Decisions) -> None:
        self.conflicts = Conflicts(editor, listener.touch)
        self.boundary = Boundary(listener.touch)
        self.documents = Documents(editor)
        self.baselines = Baselines(self.documents)
        self._listener, self._decisions = listener, decisions
        # by resolved path: held while a text is read and replaced, and while a request on the file is served
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
        self._served: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
        self._finishing: set[anyio.CancelScope] = set()
        self.saving: set[str] = set()  # files that the editor is asked to save for an agent

    # --- what the rest of the client tells

    def configure(self, outside: str, autocmds: bool) -> None:
        self.boundary.outside, self.documents.autocmds = outside, autocmds

    def forget(self, session: Session) -> None:
        """Forget what the agent believes and what it may touch outside: its agent starts again."""
        self.baselines.forget(session)
        self.boundary.forget(session)

    def close(self) -> None:
        """Stop waiting for saves: the editor is gone."""
        for scope in list(self._finishing):
            scope.cancel()

    # --- what agents ask for

    async def read(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        params = incoming.request.params
        line, limit = number_of(params, "line"), number_of(params, "limit")
        async with self._one_at_a_time(session, "read", path_of(params)) as path:
            async with self.lock(path):
                text, end = await self.documents.read(path)
            content = section(text, end, line, limit)
            if content is None:
                raise RpcError(INVALID_PARAMS, f"line {line} is past the end of {path}")
            self.baselines.of(session).learn_lines(path, text, end, line, limit)
        self._listener.on_read(session, absolute(params["path"], session.cwd), line)
        return {"content": content}

    def tell_read(self, session: Session, path: str, line: int | None) -> None:
        """Tell the rest of the client of a read by other means; `path` is absolute."""
        self._listener.on_read(session, path, line)

    async def write(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        params = incoming.request.params
        given, content = path_of(params), params.get("content")
        if not isinstance(content, str):
            raise RpcError(INVALID_PARAMS, "content must be a string")
        in_turn, turn = session.in_turn, session.turn

        def gives_up() -> bool:
            return session.cancelling or (session.in_turn, session.turn) != (in_turn, turn)

        async with self._one_at_a_time(session, "write", given) as path:
            await self._write(session, given, path, content, gives_up)
        return {}

    async def write_decided(self, session: Session, given: str, old: str | None, new: str | None) -> None:
        """Write what the user has decided about a change of ours. It was made of the text `old`, and makes `new` of it;
        None: there is no file."""
        path = disk.resolve(given)
        async with self._served.get(path) or self._served.setdefault(path, anyio.Lock()):
            with told("write", path):
                decision = self._decisions.take(session, path, new)
                decided = decision.decided if decision else new
                if decision and decided == (None if old is None else decision.base.left):
                    return  # refused
                if decided is None:
                    async with self.lock(path):
                        return disk.remove(path)
                base: Base = decision.base if decision else old or ""
                wanted = Wanted(base, decided, decision.typed if decision else None)
                await self.carry_out(session, given, path, None, wanted, lambda: False)

    async def _write(
        self, session: Session, given: str, path: str, content: str, gives_up: Callable[[], bool]
    ) -> None:
        if wanted := self._wanted(session, path, content):
            await self.carry_out(session, given, path, content, wanted, gives_up)

    async def carry_out(
        self,
        session: Session,
        given: str,
        path: str,
        content: str | None,
        wanted: Wanted,
        gives_up: Callable[[], bool],
        settle: Callable[[Overlap], Awaitable[Merge]] | None = None,
    ) -> None:
        """Write, and ask the user where that overlaps. `content`: what the agent believes the file to hold then; None:
        it has not seen the text. `settle` asks otherwise: it returns the user's decision, or raises an RpcError."""
        while True:
            match await self._try(session, given, path, content, wanted):
                case Written():
                    return
                case Overlap() as found:
                    merge = await (settle(found) if settle else self._decide(session, path, found))
                    wanted = Wanted(found.live, merge.text, merge.typed, found.disk)
                case Missed(why=why, broken=is_broken):
                    if is_broken:
                        self._listener.on_broken(path)
                    raise RpcError(INTERNAL_ERROR, f"{path} was not written: {why}")
                case Locked(over=over):
                    await over.wait()
                    if gives_up():
                        raise RpcError(
                            CANCELLED, f"{path} was not written: the turn has ended before it could be"
                        )
                case None:
                    await anyio.lowlevel.checkpoint_if_cancelled()
                    raise RpcError(CANCELLED, f"{path} was not written: the editor is gone")

    async def _decide(self, session: Session, path: str, found: Overlap) -> Merge:
        note = note_on(_BESIDE if found.apart else "", found.coarse)
        return await self.conflicts.decide(session, path, split(found.mine), split(found.agents), note)

    async def live(self, path: str) -> Text | None:
        """Return the text of a file as the user sees it; None: there is no file. The path is resolved."""
        if buffer := await self.documents.loaded(path):
            return buffer.text
        data = on_disk(path)
        return None if data is None else text_file.decode(data)

    def _wanted(self, session: Session, path: str, content: str) -> Wanted | None:
        """Return what to write, which the user may have decided on; None: nothing."""
        decision = self._decisions.take(session, path, content)
        if decision is None:
            base = self.baselines.base(session, path)
            for asked in self._decisions.asked(session, path, session.turn) if base != "" else ():
                if split(asked.decided).lines == split(content).lines:  # whatever was refused before
                    base = asked.left
            return Wanted(base, content)
        if decision.decided is None:  # the user wants no such file
            self.baselines.of(session).learn(path, content)
            return None
        return Wanted(decision.base, decision.decided, decision.typed)

    async def _try(
        self, session: Session, given: str, path: str, content: str | None, wanted: Wanted
    ) -> Written | Overlap | Locked | Missed | None:
        """Write, if nothing stands against it; None: the editor has gone meanwhile."""
        found: Written | Overlap | Locked | Missed | NotLoaded | None = None
        async with self.lock(path):
            await anyio.lowlevel.checkpoint_if_cancelled()
            expect_same(given, path)
            with self._to_the_end(), self._saving(path):
                named = absolute(given, session.cwd)
                asked = self._decisions.asked(session, path, session.turn)
                by = ChangeAuthor(session, "agent", session.turn, wanted.typed, Ends(named), asked=asked)
                by = by._replace(made=disk.missing_above(path))
                known = self._listener.known(session, path)
                found = await self.documents.write(path, wanted.base, wanted.text, by, known, wanted.settled)
                if isinstance(found, NotLoaded):
                    found = await self._write_disk(path, wanted.base, wanted.text)
                if isinstance(found, Written):
                    if content is not None:
                        self.baselines.learn_write(session, path, content, found.text)
                    is_others = known is not None and known.others
                    self._listener.on_written(by, named, found.before, found.text, is_others)
        return found

    async def _write_disk(self, path: str, base: Base, theirs: str) -> Written | Overlap:
        """Write a file that no buffer holds: its text on disk is the live one."""
        while True:
            data = on_disk(path)
            live = text_file.decode(data or b"")
            mine = sendable(live.whole, path)
            believed = base.on(mine) if isinstance(base, DecidedBase) else base
            believed = as_text(believed) if isinstance(believed, bytes) else believed
            merged: str | Overlap = theirs
            if believed != mine:
                merged = await self.documents.merge(believed, mine, theirs)
                if on_disk(path) != data:
                    continue
            if isinstance(merged, Overlap):
                return merged
            end = live.end if live.lines or believed else split(theirs).end
            wanted = in_format(merged, end)
            wanted = replace(wanted, bom=live.bom or wanted.bom)
            if data is None or wanted != live:
                disk.write(path, text_file.encode(wanted))
            before = None if data is None else DiskText.made(mine, live.bom)
            return Written(DiskText.made(wanted.whole, wanted.bom), before)

    async def sync(
        self,
        path: str,
        by: ChangeAuthor,
        known: Known | None,
        settled: Settled | None = None,
        echoes: tuple[str, ...] = (),
        is_over: Callable[[], bool] = bool,
    ) -> Overlap | Missed | NotLoaded | None:
        """Let the buffer take up what the disk holds; `path` is resolved. None: both agree."""
        while True:
            async with self.lock(path):
                asked = self._decisions.asked(by.session, path, by.turn)
                typed = settled.typed if settled else by.typed or self._decisions.typed(by.session, path)
                found = await self.documents.sync(
                    path, by._replace(typed=typed, asked=asked), known, settled, echoes, is_over
                )
            if not isinstance(found, Locked):
                return found
            await found.over.wait()

    async def sync_as_decided(
        self, path: str, by: ChangeAuthor, known: Known | None, is_over: Callable[[], bool] = bool
    ) -> Overlap | Missed | NotLoaded | None:
        """Let the buffer take up what the disk holds. Where that overlaps unsaved lines the last decision counts: the
        user has seen both."""
        found = await self.sync(path, by, known, None, self.baselines.echoes(path), is_over)
        if isinstance(found, Overlap) and (texts := self._decisions.last(by.session, path, found.disk_text)):
            merged = await self.documents.merge(texts.left, found.live, texts.decided)
            if isinstance(merged, str):
                return await self.sync(path, by, known, Settled(found, merged, texts.typed))
        return found

    # --- how they are served

    def lock(self, path: str) -> anyio.Lock:
        """Return the lock of a file. Its holder must not wait for the user; `path` is resolved."""
        return self._locks.get(path) or self._locks.setdefault(path, anyio.Lock())

    @contextlib.asynccontextmanager
    async def _one_at_a_time(self, session: Session, access: Access, given: str) -> AsyncIterator[str]:
        """Wait until no other request is served there and the session may have the path. Yield it, resolved."""
        path = disk.resolve(given)
        async with self._served.get(path) or self._served.setdefault(path, anyio.Lock()):
            with told(access, path):
                await self.boundary.admit(session, access, path, given)
                expect_same(given, path)
                yield path

    @contextlib.contextmanager
    def _saving(self, path: str) -> Iterator[None]:
        self.saving.add(path)
        try:
            yield
        finally:
            self.saving.discard(path)

    @contextlib.contextmanager
    def _to_the_end(self) -> Iterator[None]:
        """Shield a write that the editor has begun from the cancellation of its request."""
        with anyio.CancelScope(shield=True) as scope:
            self._finishing.add(scope)
            try:
                yield
            finally:
                self._finishing.discard(scope)
