"""Makes folders and files that only their user can read, and appends to such files."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def folder(path: Path) -> None:
    """Make sure that the folder exists and is private; raise an OSError that says why not."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        status, user = os.fstat(handle), os.geteuid()
        if user not in (0, status.st_uid):
            raise PermissionError(errno.EPERM, "the folder is another user's", str(path))
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.fchmod(handle, 0o700)
    finally:
        os.close(handle)


def append(path: Path, data: bytes, most: int | None = None, create: bool = True) -> None:
    """Append to a file, which several processes may do at the same time. A file that `data` would make larger than
    `most` bytes becomes `….1`, and a new one begins."""
    flags = (
        os.O_WRONLY
        | os.O_APPEND
        | os.O_NOFOLLOW
        | os.O_NONBLOCK
        | os.O_CLOEXEC
        | (os.O_CREAT if create else 0)
    )
    with _locked(path.parent):
        if most is not None and path.exists() and path.stat().st_size + len(data) > most:
            path.replace(f"{path}.1")
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(data)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
