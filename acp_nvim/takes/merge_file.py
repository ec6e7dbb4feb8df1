"""Merges what a source has changed of one file into the file that there is, unsaved lines included.

    before   a b c      the source's
    after    a B c
    live     a b c d    the file becomes a B c d

Where both sides have changed the same lines the user is asked: of the lines that they keep nothing is taken, the rest
is. Until that is decided the file stays as it is, and nobody else waits for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.conflict_question import Conflict, Merge, note_on, plain
from acp_nvim.files.documents import Overlap
from acp_nvim.files.file_snapshot import Held, on_disk
from acp_nvim.files.request_params import expect_same, told
from acp_nvim.files.service import Files, Wanted
from acp_nvim.protocol.errors import CANCELLED, RpcError
from acp_nvim.session.session import Session
from acp_nvim.text.text_file import Text, split


class Listener(Protocol):
    def on_removed(self, session: Session, path: str, before: Held, mode: int | None) -> None: ...


class FileMerger:
    def __init__(self, files: Files, listener: Listener) -> None:
        self._files, self._listener = files, listener

    async def merge(
        self, session: Session, given: str, before: str | None, after: str | None, is_linked: bool
    ) -> bool:
        """Take the change of a file; None: there is no file. Return False if the file is as the source has it. Raise an
        RpcError, whose text says why it is not taken.

        `given` is absolute. `is_linked`: it leads elsewhere by a symlink.
        """
        path = disk.resolve(given)
        with told("write", path):
            await self._files.boundary.admit(session, "write", path, given, is_linked)
            expect_same(given, path)
            if await self._is_there(path, after):
                return False
            if after is None:
                await self._remove(session, given, path, before or "")
            else:
                await self._write(session, given, path, Wanted(before or "", after))
        return True

    async def _is_there(self, path: str, after: str | None) -> bool:
        """Whether the user has made the same change already."""
        live = await self._files.live(path)
        if live is None or after is None:
            return live is None and after is None
        wanted = split(after)
        return (live.lines, live.final) == (wanted.lines, wanted.final)

    async def _write(self, session: Session, given: str, path: str, wanted: Wanted) -> None:
        settle = self._settling(session, path)
        await self._files.carry_out(session, given, path, None, wanted, lambda: session.closing, settle)

    def _settling(self, session: Session, path: str) -> Callable[[Overlap], Awaitable[Merge]]:
        async def settle(found: Overlap) -> Merge:
            merge = await self._decide(session, path, found.mine, found.agents, found.coarse)
            if merge.text == found.mine == "" and on_disk(path) is None:
                raise RpcError(CANCELLED, "you have deleted it")
            return merge

        return settle

    async def _decide(
        self, session: Session, path: str, mine: str, theirs: str, is_coarse: bool = False
    ) -> Merge:
        """Return the text on which the user decides; `mine` where they keep their lines."""
        conflict = Conflict(path, plain(split(mine)), plain(split(theirs)))
        merge, by = await self._files.conflicts.ask(session, conflict, note_on("", is_coarse))
        if merge is None and by != "user":
            raise RpcError(CANCELLED, "the conflict was not decided")
        return merge or Merge(mine)

    async def _remove(self, session: Session, given: str, path: str, before: str) -> None:
        """Delete the file, if it holds what the source has deleted, or if the user says so."""
        may_go: Text | None = None
        while True:
            async with self._files.lock(path):
                expect_same(given, path)
                live, data = await self._files.live(path), on_disk(path)
                if live is None or data is None:
                    return
                if live == may_go or live.lines == split(before).lines:
                    mode = file_snapshot.mode(file_snapshot.stamp(path))
                    disk.remove(path)
                    return self._listener.on_removed(session, given, file_snapshot.decoded(data), mode)
            merge = await self._decide(session, path, live.whole, "")
            if merge.text == live.whole:
                raise RpcError(CANCELLED, "you keep it")
            if merge.text != "":
                return await self._write(session, given, path, Wanted(live.whole, merge.text, merge.typed))
            may_go = live
