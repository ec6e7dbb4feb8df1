"""fs/read_text_file and fs/write_text_file: the agent gets what the user sees, and writes as a colleague would.

Requests on one file are served one after the other. A write is merged in three ways: the base is what the agent
believes, ours is the live text, theirs is the content; only an overlap asks the user.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

import anyio.lowlevel

from acp_nvim.agent.requests import Entry
from acp_nvim.editor.interface import Editor
from acp_nvim.files.boundary import Access, Boundary
from acp_nvim.protocol.errors import CANCELLED, INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND, RpcError
from acp_nvim.review.codec import Text, split
from acp_nvim.review.texts import section
from acp_nvim.serves import disk, sight
from acp_nvim.serves.conflicts import Conflicts
from acp_nvim.serves.decision import Decision
from acp_nvim.serves.joining import is_large, merged
from acp_nvim.serves.live import Live
from acp_nvim.serves.reload import Apart
from acp_nvim.serves.sight import NOBODYS, Doer, Own, Read
from acp_nvim.serves.standing import Standing, as_utf8, on_disk
from acp_nvim.session.agent_baseline import Beliefs
from acp_nvim.session.session import Session
from acp_nvim.session.tool_paths import absolute

_LONGEST = 4095  # bytes: a file behind more could be made step by step, and opened by nobody
_BESIDE = "the file has also changed on disk, in lines with unsaved changes"


class Front(Protocol):
    """What files tell the rest of the client. Paths are absolute, symlinks unresolved."""

    def touch(self, session: Session) -> None: ...
    def on_read(self, session: Session, path: str, line: int | None) -> None: ...
    def on_written(self, session: Session, path: str, before: str | None, after: str) -> None:
        """`before`: what the user saw, None if there was no file; `after`: what is saved."""


class Decided(Protocol):
    """What the user has made of proposals whose writes are still to come."""

    def find(self, session: Session, path: str) -> Decision | None: ...
    def unlike(self, session: Session, decision: Decision) -> None:
        """What is written is not what was proposed."""

    def wanted(self, session: Session, path: str, apart: Apart) -> str | None:
        """What the user has decided on where the agent's write and unsaved lines overlap; None: nothing."""


class Undecided:
    def find(self, session: Session, path: str) -> Decision | None:
        return None

    def unlike(self, session: Session, decision: Decision) -> None:
        raise AssertionError("nothing was decided")

    def wanted(self, session: Session, path: str, apart: Apart) -> str | None:
        return None


class Files:
    decided: Decided = Undecided()

    def __init__(self, editor: Editor, front: Front) -> None:
        self.conflicts = Conflicts(editor, front.touch)
        self.boundary = Boundary(front.touch)
        self.live = Live(editor)
        self._front = front
        self._beliefs: WeakKeyDictionary[Session, Beliefs] = WeakKeyDictionary()
        self._echoes: dict[str, tuple[Session, str]] = {}
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
        self._finishing: set[anyio.CancelScope] = set()
        self.saving: set[str] = set()  # files that the editor is asked to save for an agent

    # --- what the rest of the client tells

    def configure(self, outside: str, autocmds: bool) -> None:
        self.boundary.outside, self.live.autocmds = outside, autocmds

    def modified(self, path: str, is_modified: bool, behind: Read | None = None) -> None:
        """A loaded buffer has unsaved changes now, or none any more."""
        self.live.modified(path, is_modified, behind)

    def at_turn_start(self, session: Session, loaded: Iterable[str] = ()) -> None:
        """Before the prompt goes out: the disk as the agent can have seen it, of loaded buffers and of unsaved ones.

        All other files are looked at when they are written: one that has not changed since now is its own witness.
        """
        paths = {*map(disk.resolve, loaded), *self.live.unsaved}
        now = disk.clock()
        looked_at: dict[str, bytes | None] = {}
        for path in paths:
            with contextlib.suppress(OSError):
                looked_at[path] = on_disk(path)
        self.beliefs(session).begin_turn(now, looked_at)
        self._echoes = {path: echo for path, echo in self._echoes.items() if echo[0] is not session}

    def beliefs(self, session: Session) -> Beliefs:
        return self._beliefs.get(session) or self._beliefs.setdefault(session, Beliefs(disk.clock()))

    def expect_echo(self, session: Session, path: str, text: str) -> None:
        """Some agents write through us, and then to the disk as well: what the buffer has beyond is the user's."""
        self._echoes[path] = session, text

    def echo(self, path: str) -> str | None:
        return self._echoes.get(path, (None, None))[1]

    def forget(self, session: Session) -> None:
        """Its agent begins anew: it believes nothing, and nothing outside is open to it."""
        self._beliefs.pop(session, None)
        self.boundary.forget(session)

    def close(self) -> None:
        """The editor is gone: what it was about to save is not waited for."""
        for scope in list(self._finishing):
            scope.cancel()

    # --- what agents ask for

    async def read(self, entry: Entry, session: Session) -> dict[str, Any]:
        params = entry.request.params
        line, limit = _number(params, "line"), _number(params, "limit")
        async with self._alone(session, "read", _path(params)) as path:
            text, end = await self.live.read(path)
            content = section(text, end, line, limit)
            if content is None:
                raise RpcError(INVALID_PARAMS, f"line {line} is past the end of {path}")
            self.beliefs(session).learn(path, text)
        self._front.on_read(session, absolute(params["path"], session.cwd), line)
        return {"content": content}

    async def write(self, entry: Entry, session: Session) -> dict[str, Any]:
        params = entry.request.params
        given, content = _path(params), params.get("content")
        if not isinstance(content, str):
            raise RpcError(INVALID_PARAMS, "content must be a text")
        in_turn, turn = session.in_turn, session.turn

        def gives_up() -> bool:
            return session.cancelling or (session.in_turn, session.turn) != (in_turn, turn)

        async with self._alone(session, "write", given) as path:
            await self._merge(session, given, path, content, gives_up)
        return {}

    async def _merge(
        self, session: Session, given: str, path: str, content: str, gives_up: Callable[[], bool]
    ) -> None:
        decision = self.decided.find(session, path)
        if not decision and await self._go_on(session, given, path, content):
            return
        now = await self.live.standing(path, None)
        base, theirs, settled = self._base(session, now), content, None
        own: Own | None = None
        if decision:
            if decision.is_proposal(content):
                decision.settled = decision.through = True
                if decision.decided is None:  # the user wants no such file
                    return self.beliefs(session).learn(path, content)
                base, theirs = decision.base(_as_text(now.disk)), decision.decided
                own = decision.own
            else:
                self.decided.unlike(session, decision)
        while True:
            joined = await merged(base, now.text, theirs)
            if joined.overlaps or now.apart:
                note = _BESIDE if now.apart else ""
                theirs = await self.conflicts.decide(session, path, joined.ours, joined.theirs, note)
                base, settled, own = now.text.whole, now.disk, NOBODYS
            else:
                if await self._save(session, given, now, joined.ours, content, own):
                    return
                if now.buffer and not await self.live.until_free(now.buffer, gives_up):
                    raise RpcError(
                        CANCELLED, f"{path} was not written: the turn has ended before it could be"
                    )
            now = await self.live.standing(path, settled)

    async def _go_on(self, session: Session, given: str, path: str, content: str) -> bool:
        """A write after ours, if nothing has happened in between. False: the buffer has to be looked at."""
        now = await self.live.as_left(path)
        if now is None:
            return False
        joined = await merged(self._base(session, now), now.text, content)
        if joined.overlaps or now.apart:
            return False
        return await self._save(session, given, now, joined.ours, content)

    async def _save(
        self, session: Session, given: str, now: Standing, text: Text, content: str, own: Own | None = None
    ) -> bool:
        """`text` has become of `content`. False: buffer or disk are not as they were thought to be."""
        await anyio.lowlevel.checkpoint_if_cancelled()
        _expect_same(given, now.path)
        if is_large(now.text) and on_disk(now.path) != now.disk:  # the merge has taken its time
            return False
        with self._to_the_end(), self._saving(now.path):
            ends = sight.Ends.of(absolute(given, session.cwd), now.shown, text.whole)
            saved = await self.live.save(now, text, Doer(session, "agent", session.turn, own, ends))
            if saved is None:
                return False
            self.beliefs(session).learn(now.path, content)
            self._echoes.pop(now.path, None)
            if content != text.whole and split(content).lines != text.lines:
                self.expect_echo(session, now.path, content)
            self._front.on_written(session, absolute(given, session.cwd), now.shown, saved)
        return True

    def _base(self, session: Session, now: Standing) -> str | None:
        """Nothing is lost by making a file that is gone anew, whatever it held."""
        if now.disk is None and now.buffer is None:
            return ""
        changed = disk.changed(now.path) if now.disk is not None else 0
        return self.beliefs(session).base(now.path, now.disk, changed, now.decode)

    # --- how they are served

    def lock(self, path: str) -> anyio.Lock:
        """Whoever holds it is alone with the file; `path` is a resolved one."""
        return self._locks.get(path) or self._locks.setdefault(path, anyio.Lock())

    @contextlib.asynccontextmanager
    async def _alone(self, session: Session, access: Access, given: str) -> AsyncIterator[str]:
        """The resolved path, while nobody else is served there and the session may have it."""
        path = disk.resolve(given)
        async with self.lock(path):
            with _told(access, path):
                await self.boundary.admit(session, access, path, given)
                _expect_same(given, path)
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
        """What has begun in the editor is not left half told, even if the agent withdraws its request."""
        with anyio.CancelScope(shield=True) as scope:
            self._finishing.add(scope)
            try:
                yield
            finally:
                self._finishing.discard(scope)


@contextlib.contextmanager
def _told(access: Access, path: str) -> Iterator[None]:
    """What went wrong with a file, in the codes of the wire."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        if access == "read":
            raise RpcError(NOT_FOUND, f"Resource not found: {path}") from error
        raise RpcError(INTERNAL_ERROR, f"cannot write {path}: {error.strerror}") from error
    except IsADirectoryError as error:
        raise RpcError(INVALID_PARAMS, f"{path} is a directory") from error
    except OSError as error:
        raise RpcError(INTERNAL_ERROR, f"cannot {access} {path}: {error.strerror}") from error


def _as_text(data: bytes | None) -> str | None:
    return None if data is None else as_utf8(data).removeprefix("\ufeff")


def _expect_same(given: str, path: str) -> None:
    """A symlink may have been turned while somebody was asked."""
    if disk.resolve(given) != path:
        raise RpcError(INTERNAL_ERROR, f"{given} no longer leads to {path}")


def _path(params: dict[str, Any]) -> str:
    path = params.get("path")
    if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
        raise RpcError(INVALID_PARAMS, f"path must be absolute: {path!r}")
    if len(os.fsencode(path)) > _LONGEST:
        raise RpcError(INVALID_PARAMS, f"path is longer than {_LONGEST} bytes")
    return path


def _number(params: dict[str, Any], name: str) -> int | None:
    value = params.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise RpcError(INVALID_PARAMS, f"{name} must be a number from 0 up: {value!r}")
    return value
