"""Folders for their user alone: also those that were there before with other modes, or that a symlink leads to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def folder(path: Path) -> None:
    """It is there then; an OSError says why it is not, or is not private."""
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
