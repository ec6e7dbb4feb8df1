"""Finds the files that a turn has changed and that no tool call named: git calls them changed only afterwards.

before the turn   git status: a.py                 a.py was dirty already
after the turn    git status: a.py, b.py, new.py   b.py held what is committed, new.py was not there
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot, git_status
from acp_nvim.files.file_snapshot import Held, Link, Unknown
from acp_nvim.files.git_status import Kind
from acp_nvim.files.inert_git import Repository
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.tool_paths import within


async def before(turn: WatchedTurn) -> AsyncIterator[str]:
    """Note the state of the session's repositories, and yield their dirty files: only a look tells what these hold."""
    for root in (turn.session.cwd, *turn.session.roots):
        if tree := await git_status.tree(root):
            dirty, staged = await git_status.status(tree, root, limits.DIRTY_FILES)
            if dirty is not None:
                turn.trees[root] = tree, frozenset(dirty)
                turn.indexes[root] = git_status.branch(tree), staged
            for path in dirty or ():
                yield _below(root, path)


async def moved(turn: WatchedTurn) -> list[str]:
    """Return what of the session's repositories is no longer as the turn has found it: an undo leaves that."""
    found = set[str]()
    for root, (tree, _) in turn.trees.items():
        branch, staged = turn.indexes[root]
        if git_status.branch(tree) != branch:
            found.add("branch")
        elif await git_status.head(tree) != tree.commit:
            found.add("HEAD")
        elif staged is not None and await git_status.staged(tree) not in (staged, None):
            found.add("index")
    return sorted(found)


async def add_unnamed(turn: WatchedTurn) -> None:
    """Add to the turn's files those that have become dirty during the turn, with the text that they had before it."""
    for root, (tree, dirty) in turn.trees.items():
        after = await git_status.changed(tree, root, limits.WATCHED_FILES) or {}
        known = {*dirty, *turn.files}
        fresh = [path for path in after if path not in known and not turn.is_later(path)]
        filtered = await git_status.filtered(tree, (path for path in fresh if after[path]))
        for path in fresh:
            kind, held = await _committed(tree, path) if after[path] else (None, None)
            held = Unknown.TEXT if path in filtered else held
            if seen := turn.add(path, _below(root, path), file_snapshot.UNSEEN, held):
                seen.mode = _mode(kind, path) if seen.mode is None else seen.mode


async def base(turn: WatchedTurn, path: str) -> tuple[Held, int | None]:
    """Return what a file that was first read later held as the turn began, and its mode as far as that is known."""
    if turn.was_missing(path):
        return None, None
    for root, (tree, dirty) in turn.trees.items():
        if not within(path, tree.top) or not within(path, disk.resolve(root)):
            continue
        if path in dirty or await git_status.filtered(tree, [path]):
            return Unknown.TEXT, None
        if await git_status.is_ignored(tree, path):
            return Unknown.TEXT, None
        kind, held = await _committed(tree, path)
        return held, _mode(kind, path)
    return Unknown.TEXT, None


async def is_of_new_head(turn: WatchedTurn, path: str, text: Held) -> bool:
    """Whether HEAD has moved in the turn, and its commit holds this text: somebody has pulled, or has committed it."""
    for tree, _ in turn.trees.values():
        if within(path, tree.top):
            head = await git_status.head(tree)
            if head is None or head == tree.commit or await git_status.filtered(tree, [path]):
                return False
            now = tree._replace(commit=head)
            return text == (await _committed(now, path))[1]
    return False


async def was_empty(turn: WatchedTurn, folder: str) -> bool:
    """Whether the turn has made a folder, as far as git can tell: it held no file that git knows of."""
    for tree, dirty in turn.trees.values():
        if within(folder, tree.top):
            holds = any(within(path, folder) for path in dirty)
            return not holds and await git_status.committed_kind(tree, folder) is None
    return False


async def _committed(tree: Repository, path: str) -> tuple[Kind | None, Held]:
    """Return what the commit has at the path."""
    kind = await git_status.committed_kind(tree, path)
    if kind is None or kind == "folder":
        return kind, None if kind is None else Unknown.TEXT
    data = await git_status.committed(tree, path, limits.COMPARED_FILE_BYTES)
    if data is None:
        return kind, Unknown.TEXT
    return kind, Link(os.fsdecode(data)) if kind == "link" else file_snapshot.decoded(data)


def _mode(kind: Kind | None, path: str) -> int | None:
    """Return the mode that a file had by its commit, which tells whether it is executable; the rest is as it is now."""
    now = file_snapshot.mode(file_snapshot.stamp(path))
    if kind == "executable":
        return 0o755 if now is None else now | (now & 0o444) >> 2
    return now & ~0o111 if now is not None and kind == "file" else None


def _below(root: str, path: str) -> str:
    """Return a resolved path as the user names it."""
    return os.path.join(root, os.path.relpath(path, disk.resolve(root)))
