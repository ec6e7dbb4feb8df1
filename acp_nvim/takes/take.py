"""Takes what a branch, a commit, a range, a patch or a worktree has changed into review, as the one turn of a session
that has no agent.

All files are merged one after the other; a question about one of them keeps no other waiting. What cannot be taken is
named: in a message, and all of it in the session's chat.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import anyio

from acp_nvim import limits
from acp_nvim.files import disk, git_status
from acp_nvim.files.file_snapshot import on_disk
from acp_nvim.files.inert_git import Repository
from acp_nvim.files.service import Files
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.session import Session
from acp_nvim.takes import git_source, patch_source
from acp_nvim.takes.merge_file import FileMerger
from acp_nvim.takes.patch_source import PatchedFile
from acp_nvim.takes.taken_file import CannotTake, Source, TakenFile, text_of
from acp_nvim.text import text_file
from acp_nvim.text.printable import visible
from acp_nvim.text.unified_patch import NOWHERE

_NAMED = 3  # files that a message names, of those that are left


class Left(NamedTuple):
    path: str
    why: str

    def __str__(self) -> str:
        return f"{visible(self.path)} ({visible(self.why)})"


def title_of(source: str) -> str:
    return f"taken: {source}"


class Take:
    """One take. `say` tells the user, `touch` that the session has changed."""

    def __init__(
        self,
        session: Session,
        files: Files,
        merger: FileMerger,
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
    ) -> None:
        self._session, self._files, self._merger = session, files, merger
        self._say, self._touch = say, touch
        self._taken: list[str] = []
        self._left: list[Left] = []

    async def run(self, source: str) -> bool:
        """Take all that can be taken. False: nothing was, and no question was asked."""
        try:
            found = await self._find(source)
        except CannotTake as error:
            self._say("warn", f"nothing taken: {error}")
            return False
        if not found.files and not self._left:
            self._say("info", f"nothing to take: {visible(source)} has changed nothing")
            return False
        async with anyio.create_task_group() as tasks:
            for file in found.files:
                if file.note:
                    self._left.append(Left(file.path, file.note))
                if not file.is_left:
                    tasks.start_soon(self._take, found.top, file)
        return self._tell(source)

    def _tell(self, source: str) -> bool:
        count = len(self._taken)
        left = sorted(self._left)
        for each in left:
            self._session.transcript.note("warning", f"left: {each}")
        names = ", ".join(map(str, left[:_NAMED]))
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        rest = f" · left: {names}{more}" if left else ""
        if not (count or left):
            self._say("info", f"nothing to take: your files have all of {visible(source)}")
            return False
        what = f"{count} file{'s' * (count != 1)}" if count else "nothing"
        said = f"taken: {what} from {visible(source)}"
        self._session.transcript.note("info", said)
        self._say("warn" if left else "info", said + (rest or " · :Acp review" * (count > 0)))
        self._touch(self._session)
        return count > 0

    async def _take(self, top: str, file: TakenFile) -> None:
        given = os.path.normpath(os.path.join(self._given(top), file.path))
        is_linked = disk.resolve(given) != os.path.normpath(os.path.join(top, file.path))
        try:
            is_taken = await self._merger.merge(self._session, given, file.before, file.after, is_linked)
        except RpcError as error:
            self._left.append(Left(file.path, error.message.removeprefix(f"{disk.resolve(given)} ")))
        else:
            self._taken += [file.path] if is_taken else []

    def _given(self, top: str) -> str:
        """Return the top folder as the session's folder spells it, with its symlinks."""
        cwd = self._session.cwd
        up = os.path.relpath(top, disk.resolve(cwd))
        spelled = os.path.normpath(os.path.join(cwd, up))
        return spelled if disk.resolve(spelled) == top else top

    # --- what has changed

    async def _find(self, source: str) -> Source:
        cwd = self._session.cwd
        tree = await git_status.tree(cwd)
        path = os.path.normpath(os.path.join(cwd, os.path.expanduser(source)))
        is_branch = tree is not None and await git_source.is_branch(cwd, source)
        if not is_branch and os.path.isfile(path):
            return await self._of_patch(tree, path)
        if tree is None:
            raise CannotTake(f"{visible(cwd)} is in no git repository, and there is no patch of that name")
        if not is_branch and os.path.isdir(path):
            return await git_source.find_worktree(tree, cwd, path)
        return await git_source.find(tree, cwd, source)

    async def _of_patch(self, tree: Repository | None, path: str) -> Source:
        text = text_of(on_disk(disk.resolve(path)) or b"")
        if text is None:
            raise CannotTake("the patch is not UTF-8 text")
        found = Source(tree.top if tree else disk.resolve(self._session.cwd))
        patched = patch_source.parse(text)
        if len(patched) > limits.TAKEN_FILES:
            raise CannotTake(f"{len(patched):,} files are too many")
        for each in patched:
            found.files += [file async for file in self._placed(tree, found.top, each)]
        return found

    async def _placed(self, tree: Repository | None, top: str, each: PatchedFile) -> AsyncIterator[TakenFile]:
        """Yield what a patch makes of a file; two files, where it renames one."""
        if each.is_left or "\0" in each.old + each.new:
            yield TakenFile(each.path, note=each.note or "its name", is_left=True)
        elif each.old == NOWHERE:
            yield TakenFile(each.new, None, patch_source.new_text(each.hunks), each.note)
        elif each.new == NOWHERE:
            yield TakenFile(each.old, patch_source.old_text(each.hunks), None, each.note)
        elif not each.hunks and each.old == each.new:
            yield TakenFile(each.path, note=each.note or "nothing to change", is_left=True)
        elif (found := await self._fitted(tree, top, each)) is None:
            yield TakenFile(each.path, note="a hunk does not fit", is_left=True)
        elif each.old == each.new:
            yield TakenFile(each.path, *found, each.note)
        else:
            yield TakenFile(each.old, found[0], None)
            yield TakenFile(each.new, None, found[1], each.note)

    async def _fitted(self, tree: Repository | None, top: str, each: PatchedFile) -> tuple[str, str] | None:
        """Return a text that all hunks fit, and what they make of it: the text of now, else that which the patch was
        made from."""
        live = await self._files.live(disk.resolve(os.path.join(self._given(top), each.old)))
        data = await git_source.blob(tree, each.blob) if tree and each.blob else None
        made_from = None if data is None or text_of(data) is None else text_file.decode(data)
        for text in (live, made_from):
            made = text and patch_source.apply(text, patch_source.with_ends_of(text, each.hunks))
            if text is not None and made:
                return text.whole, made.whole
        return None
