"""Reads what a branch, a commit, a range or a worktree has changed, file by file.

    feature         from its merge base with HEAD
    1a2b3c          against its first parent
    main..feature   from the one to the other, as git has it; with three dots from their merge base
    ../worktree     what its files hold, committed or not, against its merge base with HEAD

Names are resolved in the repository itself, which runs nothing; files are compared and read as `inert_git` does it. No
name goes to git that it could take for an option.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from anyio import to_thread

from acp_nvim import limits
from acp_nvim.files import disk, git_status, inert_git
from acp_nvim.files.inert_git import Repository
from acp_nvim.takes.taken_file import CannotTake, Source, TakenFile, text_of

_SECONDS = 9.0  # for each question: the user waits for the answer
_RAW = ("--raw", "-z", "--no-renames", "--no-abbrev")
_EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_LINK, _SUBMODULE, _EXECUTABLE = 0o120000, 0o160000, 0o100755


class _Entry(NamedTuple):
    """A path that differs: modes and hashes on both sides, 0 where there is no file. The hash of a file that only lies
    in a worktree has only zeros."""

    old_mode: int
    new_mode: int
    old: str
    new: str
    path: str


async def find(tree: Repository, cwd: str, source: str) -> Source:
    """Return what the source has changed. Raise CannotTake if there is none of that name, or it is too large."""
    base, other = await _ends(cwd, source)
    said = await git_status.ask(
        tree, tree.top, limits.GIT_LIST_BYTES, "diff-tree", "-r", *_RAW, base, other, "--", seconds=_SECONDS
    )
    entries = _entries(said)
    return Source(tree.top, await _read(tree, entries, None))


async def find_worktree(tree: Repository, cwd: str, folder: str) -> Source:
    """Return what the files of a worktree hold that its merge base with HEAD does not."""
    there = await git_status.tree(folder)
    here = await _commit(cwd, "HEAD")
    if there is None or not there.commit or not here:
        raise CannotTake(f"{folder} is not a worktree with a commit")
    base = await _merge_base(there.top, here, there.commit)
    if not base:
        raise CannotTake(f"{folder} and HEAD have no commit in common")
    quiet = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    said = await git_status.ask(
        there, there.top, limits.GIT_LIST_BYTES, "diff", *_RAW, *quiet, base, "--", seconds=_SECONDS
    )
    entries = _entries(said)
    new = await git_status.ask(
        there, there.top, limits.GIT_LIST_BYTES, *git_status.NEW, *there.excludes, "--", ".", seconds=_SECONDS
    )
    for path in map(os.fsdecode, filter(None, (new or b"").split(b"\0"))):
        mode = await to_thread.run_sync(_mode, os.path.join(there.top, path))
        entries += [_Entry(0, mode, "", "", path)] if mode else []
    return Source(tree.top, await _read(there, entries, there.top))


async def blob(tree: Repository, begins: str) -> bytes | None:
    """Return the text whose hash begins so, if the repository has just one."""
    return await git_status.ask(tree, tree.top, limits.FILE_BYTES, "cat-file", "blob", begins)


# --- which texts are compared


async def _ends(cwd: str, source: str) -> tuple[str, str]:
    first, dots, last = source.partition("...") if "..." in source else source.partition("..")
    if dots:
        one, other = await _known(cwd, first or "HEAD", source), await _known(cwd, last or "HEAD", source)
        if dots == "..":
            return one, other
        return await _base(cwd, one, other, source), other
    commit = await _known(cwd, source, source)
    if await is_branch(cwd, source):
        return await _base(cwd, await _known(cwd, "HEAD", source), commit, source), commit
    return await _commit(cwd, f"{commit}^1") or _EMPTY_TREES[len(commit)], commit


async def is_branch(cwd: str, name: str) -> bool:
    places = ("refs/heads/", "refs/remotes/")
    return not name.startswith("-") and any(
        [await _git(cwd, "show-ref", "--verify", f"{at}{name}") for at in places]
    )


async def _known(cwd: str, name: str, source: str) -> str:
    commit = await _commit(cwd, name)
    if commit is None:
        raise CannotTake(f"'{source}' is no branch, commit, range, patch or worktree")
    return commit


async def _commit(cwd: str, name: str) -> str | None:
    if name.startswith("-"):
        return None
    return await _git(cwd, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")


async def _base(cwd: str, one: str, other: str, source: str) -> str:
    if base := await _merge_base(cwd, one, other):
        return base
    raise CannotTake(f"'{source}' and HEAD have no commit in common")


async def _merge_base(cwd: str, one: str, other: str) -> str | None:
    return await _git(cwd, "merge-base", one, other)


async def _git(cwd: str, *arguments: str) -> str | None:
    """Return the first word that git prints; None: it fails. Only for what looks at no file and runs nothing."""
    env = inert_git.finding()
    said = await git_status.run(cwd, ["git", *arguments], env, limits.GIT_LIST_BYTES, seconds=_SECONDS)
    words = said.decode("utf-8", "replace").split() if said else []
    return words[0] if words else None


# --- what they hold


def _entries(said: bytes | None) -> list[_Entry]:
    """Read `:100644 100644 {hash} {hash} M\\0path\\0`, one after the other."""
    if said is None:
        raise CannotTake("git took too long, or there is too much")
    parts = said.split(b"\0")
    found = []
    for head, path in zip(parts[::2], parts[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.decode("ascii").removeprefix(":").split(" ")
        found.append(_Entry(int(old_mode, 8), int(new_mode, 8), old, new, os.fsdecode(path)))
    return found


async def _read(tree: Repository, entries: list[_Entry], folder: str | None) -> list[TakenFile]:
    """Return the texts of both sides; `folder`: the new ones lie there and not in the repository."""
    if len(entries) > limits.TAKEN_FILES:
        raise CannotTake(f"{len(entries):,} files are too many")
    plain = [each for each in entries if not _whole_note(each)]
    wanted = {(each.old, each.path) for each in plain if each.old_mode}
    wanted |= {(each.new, each.path) for each in plain if each.new_mode and not folder}
    paths = {os.path.join(tree.top, each.path) for each in plain}
    filtered = await git_status.filtered(tree, paths)
    blobs = await _blobs(tree, sorted(wanted))
    files = []
    for each in entries:
        note = _whole_note(each) or ("filter" if os.path.join(tree.top, each.path) in filtered else "")
        if note:
            files.append(TakenFile(each.path, note=note, is_left=True))
            continue
        before = blobs.get((each.old, each.path), b"") if each.old_mode else None
        after: bytes | None = None
        if each.new_mode and folder:
            after = await to_thread.run_sync(_content, os.path.join(folder, each.path))
        elif each.new_mode:
            after = blobs.get((each.new, each.path), b"")
        files.append(_file(each, before, after))
    return files


def _whole_note(entry: _Entry) -> str:
    """Return why nothing of the file can be taken, as far as its modes tell."""
    modes = entry.old_mode, entry.new_mode
    if _LINK in modes:
        return "link"
    if _SUBMODULE in modes:
        return "submodule"
    if "\n" in entry.path:
        return "name with a line end"
    return "mode" if entry.old == entry.new and entry.old_mode != entry.new_mode and all(modes) else ""


def _file(entry: _Entry, before: bytes | None, after: bytes | None) -> TakenFile:
    texts = [None if data is None else text_of(data) for data in (before, after)]
    if (before is not None and texts[0] is None) or (after is not None and texts[1] is None):
        is_binary = any(b"\0" in (data or b"") for data in (before, after))
        return TakenFile(entry.path, note="binary" if is_binary else "not UTF-8", is_left=True)
    was_executable, is_executable = entry.old_mode == _EXECUTABLE, entry.new_mode == _EXECUTABLE
    has_mode = entry.new_mode and (was_executable != is_executable)
    return TakenFile(entry.path, texts[0], texts[1], "mode" if has_mode else "")


async def _blobs(tree: Repository, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
    """Return what a checkout would write for each hash and path."""
    asked = list(wanted)
    if not asked:
        return {}
    words = b"".join(f"{blob} ".encode() + os.fsencode(path) + b"\n" for blob, path in asked)
    said = await git_status.ask(
        tree, tree.top, limits.TAKEN_BYTES, "cat-file", "--batch", "--filters", words=words, seconds=_SECONDS
    )
    if said is None:
        raise CannotTake("git took too long, or there is too much")
    found, at = {}, 0
    for each in asked:
        end = said.index(b"\n", at)
        head = said[at:end].split()
        if len(head) != 3:
            raise CannotTake("git does not have all of it: fetch it first")
        size = int(head[2])
        found[each] = said[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return found


def _mode(path: str) -> int:
    """Return a mode as git has it; 0: there is no file or link."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return 0
    if stat.S_ISLNK(mode):
        return _LINK
    return (_EXECUTABLE if mode & 0o100 else 0o100644) if stat.S_ISREG(mode) else 0


def _content(path: str) -> bytes:
    try:
        return disk.read(os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path))
    except OSError as error:
        raise CannotTake(f"cannot read {path}: {error.strerror}") from error
