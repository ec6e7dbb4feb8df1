"""What git says of a folder: which files differ from the last commit, and what that held. It changes nothing, waits
for no lock, and has a moment of time; where there is no git, or no repository, it says nothing."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import NamedTuple

import anyio
from anyio.abc import Process

_PATIENCE = 3.0  # seconds; a large tree is looked through in less
_MOST = 1 << 20  # bytes of a list of paths
# A hook that watches the file system would be a program of the repository's choice.
_QUIET = ("--no-optional-locks", "-c", "core.fsmonitor=false")
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")


class Tree(NamedTuple):
    top: str  # resolved
    commit: str | None  # what HEAD was; None: there is none yet


def is_above(folder: str) -> bool:
    """Whether asking git about it may be worth while: cheap, and asked before every prompt."""
    path = os.path.abspath(folder)
    while not os.path.exists(os.path.join(path, ".git")):
        if path == (path := os.path.dirname(path)):
            return False
    return True


async def tree(folder: str) -> Tree | None:
    top = await _run(folder, _MOST, "rev-parse", "--show-toplevel")
    if not top:
        return None
    commit = await _run(folder, _MOST, "rev-parse", "--verify", "--quiet", "HEAD")
    return Tree(os.path.realpath(os.fsdecode(top.rstrip(b"\n"))), commit.decode().strip() if commit else None)


async def changed(tree: Tree, folder: str, most: int) -> dict[str, bool] | None:
    """Resolved paths below the folder, and whether the commit has the file; None: too many, or it took too long."""
    said = await _run(folder, _MOST, *_STATUS, "--", ".")
    entries = [os.fsdecode(entry) for entry in (said or b"").split(b"\0") if len(entry) > 3]
    if said is None or len(entries) > most:
        return None
    return {os.path.join(tree.top, entry[3:]): entry[0] not in "?A" for entry in entries}


async def committed(tree: Tree, path: str, most: int) -> bytes | None:
    """What a checkout of the commit would put there."""
    if tree.commit is None:
        return None
    name = f"{tree.commit}:{os.path.relpath(path, tree.top)}"
    return await _run(tree.top, most, "cat-file", "--filters", name)


async def _run(folder: str, most: int, *arguments: str) -> bytes | None:
    """What it says; None if it fails, says too much, takes too long, or is not there."""
    with suppress(OSError), anyio.move_on_after(_PATIENCE):
        process = await anyio.open_process(
            ["git", *_QUIET, *arguments],
            cwd=folder,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            said = await _output(process, most)
            return said if said is not None and await process.wait() == 0 else None
        finally:
            await _end(process)
    return None


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
