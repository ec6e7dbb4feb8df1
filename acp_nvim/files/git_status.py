"""Asks git which files of a folder differ from the last commit, and what they held there.

git changes nothing, runs no program that the repository names (see `inert_git`), waits for no lock, and is killed after
some seconds. Without git or a repository the answers are None.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Awaitable, Iterable, Mapping
from contextlib import suppress
from typing import Literal

import anyio
from anyio.abc import Process

from acp_nvim import limits
from acp_nvim.files import inert_git
from acp_nvim.files.inert_git import Repository

_PATIENCE = 3.0  # seconds; a large tree is looked through in less
_DIFF = 9.0  # seconds for what the user waits for
_COMPARE = ("diff", "--no-ext-diff", "--no-textconv", "--no-color")
_CHANGED = (*_COMPARE, "--name-status", "-z", "--no-renames", "--ignore-submodules=all")
NEW = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
_NO_FILTER = ("unspecified", "unset")


def is_above(folder: str) -> bool:
    """Whether the folder lies in a repository. Fast: it is asked before every prompt."""
    path = os.path.abspath(folder)
    while not os.path.exists(os.path.join(path, ".git")):
        if path == (path := os.path.dirname(path)):
            return False
    return True


async def tree(folder: str) -> Repository | None:
    where, commit, settings = await _together(
        *(
            run(folder, ["git", *question], inert_git.finding(), limits.GIT_LIST_BYTES)
            for question in inert_git.QUESTIONS
        )
    )
    return inert_git.read(folder, where, commit, settings) if where and settings is not None else None


async def changed(tree: Repository, folder: str, most: int) -> dict[str, bool] | None:
    """Return changed files below the folder and whether the commit has each; None: too many, or it took too long."""
    new, differing = await _together(
        ask(tree, folder, limits.GIT_LIST_BYTES, *NEW, *tree.excludes, "--", "."),
        ask(tree, folder, limits.GIT_LIST_BYTES, *_CHANGED, tree.against, "--", "."),
    )
    if new is None or differing is None:
        return None
    found = dict.fromkeys(_entries(new), False)
    letters_and_paths = _entries(differing)
    for letter, path in zip(letters_and_paths[::2], letters_and_paths[1::2], strict=False):
        found[path] = letter != "A"
    if len(found) > most:
        return None
    return {os.path.join(tree.top, path): is_committed for path, is_committed in found.items()}


async def status(tree: Repository, folder: str, most: int) -> tuple[dict[str, bool] | None, bytes | None]:
    """Return what `changed` and `staged` do; both are asked at the same time."""
    found: bytes | None = None

    async def look() -> None:
        nonlocal found
        found = await staged(tree)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look)
        files = await changed(tree, folder, most)
    return files, found


async def filtered(tree: Repository, paths: Iterable[str]) -> set[str]:
    """Return the files whose attributes name a filter: their committed text is not what a checkout writes."""
    given = list(paths)
    names = b"".join(os.fsencode(os.path.relpath(path, tree.top)) + b"\0" for path in given)
    if not given:
        return set()
    said = await ask(
        tree, tree.top, 4 * limits.GIT_LIST_BYTES, "check-attr", "-z", "--stdin", "filter", words=names
    )
    told = [os.fsdecode(each) for each in (said or b"").split(b"\0")]  # path, attribute, value, path, …
    plain = (path for path, value in zip(told[::3], told[2::3], strict=False) if value in _NO_FILTER)
    return set(given) - {os.path.join(tree.top, path) for path in plain}


async def head(tree: Repository) -> str | None:
    """Return what HEAD is now."""
    said = await run(tree.top, ["git", *inert_git.COMMIT], inert_git.finding(), limits.GIT_LIST_BYTES)
    return said.decode().strip() if said else None


def branch(tree: Repository) -> str | None:
    """Return the branch that HEAD stands for, as git writes it; None: it is detached, or cannot be read."""
    with suppress(OSError, ValueError), open(tree.head, encoding="utf-8") as file:
        said = file.read(limits.GIT_BRANCH_CHARS)
        return said.strip() if said.startswith("ref:") else None
    return None


async def staged(tree: Repository) -> bytes | None:
    """Return what the index has that HEAD had not; None: it is too much, or it took too long."""
    return await ask(
        tree, tree.top, limits.GIT_LIST_BYTES, "diff-index", "--cached", "--raw", "-z", tree.against
    )


Kind = Literal["file", "executable", "link", "folder"]


async def committed_kind(tree: Repository, path: str) -> Kind | None:
    """Return what the commit has at the path."""
    if tree.commit is None:
        return None
    place = ("ls-tree", "-z", tree.commit, os.path.relpath(path, tree.top))
    entry = await ask(tree, tree.top, limits.GIT_LIST_BYTES, *place) or b""  # mode, kind, hash, path
    if not entry.startswith((b"100", b"120000")):
        return "folder" if entry else None
    if entry.startswith(b"120000"):
        return "link"
    return "executable" if entry.startswith(b"100755") else "file"


async def is_ignored(tree: Repository, path: str) -> bool:
    """Whether git passes over the file: nobody knows then whether it was there."""
    name = f":(literal){os.path.relpath(path, tree.top)}"
    options = ("-z", "--others", "--ignored", "--exclude-standard", *tree.excludes)
    return bool(await ask(tree, tree.top, limits.GIT_LIST_BYTES, "ls-files", *options, "--", name))


async def committed(tree: Repository, path: str, most: int) -> bytes | None:
    """Return the text that a checkout of the commit would write, for a file without a filter."""
    if tree.commit is None:
        return None
    name = f"{tree.commit}:{os.path.relpath(path, tree.top)}"
    return await ask(tree, tree.top, most, "cat-file", "--filters", name)


async def diff(tree: Repository, folder: str, most: int) -> bytes | None:
    """Return the changes below the folder since the last commit as a patch; None: too large, or it took too long."""
    shown = ("--submodule=short", "--ignore-submodules=dirty", tree.against, "--", ".")
    return await run(folder, tree.command(*_COMPARE, *shown), tree.env, most, seconds=_DIFF)


async def _together(*questions: Awaitable[bytes | None]) -> list[bytes | None]:
    """Ask several questions at the same time: a prompt may wait for the answers."""
    answers: list[bytes | None] = [None] * len(questions)

    async def ask(number: int, question: Awaitable[bytes | None]) -> None:
        answers[number] = await question

    async with anyio.create_task_group() as tasks:
        for number, question in enumerate(questions):
            tasks.start_soon(ask, number, question)
    return answers


def _entries(said: bytes) -> list[str]:
    return [os.fsdecode(entry) for entry in said.split(b"\0") if entry]


async def ask(
    tree: Repository,
    folder: str,
    most: int,
    *arguments: str,
    words: bytes = b"",
    seconds: float = _PATIENCE,
) -> bytes | None:
    """Ask git about the files of a repository. `words`: what it reads."""
    return await run(folder, tree.command(*arguments), tree.env, most, words, seconds)


async def run(
    folder: str,
    command: list[str],
    env: Mapping[str, str],
    most: int,
    words: bytes = b"",
    seconds: float = _PATIENCE,
) -> bytes | None:
    """Return the command's output; None if it fails, prints too much, takes too long, or does not exist."""
    with suppress(OSError, ValueError), anyio.move_on_after(seconds):
        process = await anyio.open_process(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE if words else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_say, process, words)
                said = await _output(process, most)
                tasks.cancel_scope.cancel()
            return said if said is not None and await process.wait() == 0 else None
        finally:
            await _end(process)
    return None


async def _say(process: Process, words: bytes) -> None:
    if process.stdin:
        with suppress(anyio.BrokenResourceError):
            await process.stdin.send(words)
            await process.stdin.aclose()


async def _output(process: Process, most: int) -> bytes | None:
    assert process.stdout
    parts: list[bytes] = []
    size = 0
    async for part in process.stdout:
        parts.append(part)
        size += len(part)
        if size > most:
            return None
    return b"".join(parts)


async def _end(process: Process) -> None:
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.aclose()
