"""Files on disk as the agent may have them: regular ones only, written whole or not at all.

Everything here is done in one go: a request that is cancelled is cancelled before or after.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time

LARGEST = 64 << 20  # bytes; no message could carry more

# The clock that file systems stamp with, where there is one: it lags a little behind the other.
_CLOCK = getattr(time, "CLOCK_REALTIME_COARSE", None)


def clock() -> int:
    """Now, in nanoseconds, to be compared with `changed`."""
    return time.time_ns() if _CLOCK is None else time.clock_gettime_ns(_CLOCK)


def changed(path: str) -> int:
    """When the file last changed; unlike the time of modification, nobody can set this one back."""
    return os.stat(path).st_ctime_ns


def read(path: str) -> bytes:
    # Opening a FIFO would wait for a writer.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        _expect_text(status, path)
        return file.read()


def _expect_text(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    if status.st_size > LARGEST:
        raise OSError(errno.EFBIG, f"{status.st_size >> 20} MiB are too much for a message", path)


def write(path: str, data: bytes) -> None:
    """Beside it, then in its place: nobody ever sees half of it. `path` has no symlinks left in it."""
    mode = _mode(path)
    make_parents(path)
    folder, name = os.path.split(path)
    handle, beside = tempfile.mkstemp(prefix=f".{name[:100]}.", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            _dress(file.fileno(), path, mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def make_parents(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)


def _mode(path: str) -> int | None:
    """Of the file that is there. A rename asks nobody whether it may be written, so we do."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    _expect_text(status, path)
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", path)
    return stat.S_IMODE(status.st_mode)


def _dress(handle: int, path: str, mode: int | None) -> None:
    """Owner and mode as they were; as any new file has them, if there was none."""
    if mode is None:
        mask = os.umask(0o077)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    was = os.stat(path)
    with contextlib.suppress(
        PermissionError
    ):  # only root may give files away; groups are kept where possible
        os.fchown(handle, was.st_uid, was.st_gid)
    os.fchmod(handle, mode)
