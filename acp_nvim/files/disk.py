"""Reads and writes files on disk for agents: regular files of a bounded size, written whole or not at all.

No function here awaits, so a cancelled request leaves nothing half done. The boundary has judged the resolved path,
which has no symlinks: one that is found on the way was put there since, and is refused. Given up: a process that turns
a link in the microseconds between that check and the system call. It needs the user's rights for that, and so no help.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
import unicodedata
from io import FileIO

from acp_nvim import limits


def resolve(path: str) -> str:
    """Return the path with symlinks resolved, and spelled as on the disk where that ignores case (macOS): one file has
    one path. An endless chain of links is left as it is."""
    try:
        path = os.path.realpath(path)
    except RecursionError:  # at a thousand links, of which the system follows forty
        path = os.path.abspath(path)
    spelled = ""
    for name in filter(None, path.split("/")):
        spelled += f"/{_spelling(spelled, name)}"
    return spelled or "/"


def place(path: str) -> str:
    """Return the path with the folders above it resolved: where the file or the link of that name stands."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(resolve(folder), name)


def _spelling(folder: str, name: str) -> str:
    """Return the name as the folder has it. `SRC` is `src` if a lookup finds it and a listing does not."""
    other = name.lower() if name.isupper() else name.upper()
    try:
        if other == name or not os.path.samestat(os.lstat(f"{folder}/{other}"), os.lstat(f"{folder}/{name}")):
            return name
        names = os.listdir(folder or "/")
    except OSError:
        return name
    return next((each for each in (name, *names) if each in names and _folded(each) == _folded(name)), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def clock() -> int:
    """Return the time in nanoseconds, to be compared with `changed`.

    The clock of a file system may lag some milliseconds behind this one. So a change within a few milliseconds after a
    prompt looks older than the prompt, but no model is that quick. With the other clock, what the user saves right
    before a prompt would be taken for the agent's.
    """
    return time.time_ns()


def changed(path: str) -> int:
    """Return when the file last changed: ctime, which nobody can set back."""
    return os.stat(path).st_ctime_ns


def read(path: str) -> bytes:
    _expect_no_links_above(path)
    with _opened(path, os.O_NOFOLLOW) as file:
        return _whole(file, path)


def look(path: str) -> bytes:
    """Read a file as the user would see it, following symlinks."""
    with _opened(path) as file:
        return _whole(file, path)


def _whole(file: FileIO, path: str) -> bytes:
    """Read a file within the limit. It may grow meanwhile, and files of /proc have no size."""
    pieces: list[bytes] = []
    left = limits.FILE_BYTES + 1
    wanted = os.fstat(file.fileno()).st_size + 1  # one more than there is finds its end at once
    while left > 0 and (piece := file.read(min(wanted, left))):
        pieces.append(piece)
        left -= len(piece)
        wanted = max(wanted - len(piece), limits.FIRST_READ_BYTES)
    if left <= 0:
        raise OSError(
            errno.EFBIG, f"more than {limits.FILE_BYTES >> 20} MiB are too much for a message", path
        )
    return b"".join(pieces)


def _opened(path: str, flags: int = 0) -> FileIO:
    # Opening a FIFO would wait for a writer.
    file = FileIO(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags))
    try:
        _expect_text(os.fstat(file.fileno()), path)
    except OSError:
        file.close()
        raise
    return file


def missing_above(path: str) -> tuple[str, ...]:
    """Return the folders above a path that are not there, from the innermost on."""
    missing = []
    while not os.path.lexists(path := os.path.dirname(path)):
        missing.append(path)
    return tuple(missing)


def _expect_no_links_above(path: str) -> None:
    """Refuse a path with a symlink among its folders."""
    folder = os.path.dirname(path)
    if resolve(folder) != folder:
        raise OSError(errno.ELOOP, "a symlink has come into its path", path)


def _expect_text(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    if status.st_size > limits.FILE_BYTES:
        raise OSError(errno.EFBIG, f"{status.st_size >> 20} MiB are too much for a message", path)


def write(path: str, data: bytes, mode: int | None = None) -> None:
    """Write a new file beside the old one, then rename it: nobody sees half a file. `mode`: of a new file."""
    make_parents(path)
    was = _status(path)
    if was and was.st_nlink > 1:
        return _overwrite(path, data)
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{os.fsdecode(os.fsencode(name)[:100])}.{os.urandom(4).hex()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            _dress(file.fileno(), was, mode)
            if was:
                _copy_attributes(path, file.fileno())
        os.replace(beside, path)
    except BaseException:  # whatever it was, no half file stays beside the other
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def _overwrite(path: str, data: bytes) -> None:
    """Write a file with several hard links in place, so that they stay one file. If that fails its text is restored."""
    before = read(path)
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        try:
            _fill(handle, data)
        except OSError:
            _fill(handle, before)
            raise
    finally:
        os.close(handle)


def _fill(handle: int, data: bytes) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(handle, data[done:], done)
    os.ftruncate(handle, len(data))


def _copy_attributes(path: str, handle: int) -> None:
    """Copy the extended attributes of the file that is replaced, as far as the system allows it."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError), _opened(path, os.O_NOFOLLOW) as file:
        for attribute in os.listxattr(file.fileno()):
            with contextlib.suppress(OSError):
                os.setxattr(handle, attribute, os.getxattr(file.fileno(), attribute))


def exists(path: str) -> bool:
    return os.path.exists(path)


def remove(path: str) -> None:
    _expect_no_links_above(path)
    os.unlink(path)


def make_parents(path: str) -> None:
    _expect_no_links_above(path)
    for folder in reversed(missing_above(path)):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)


def _status(path: str) -> os.stat_result | None:
    """Return the status of the existing file. Refuse a read-only one: a rename would replace it all the same."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    _expect_text(status, path)
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", path)
    return status


def _dress(handle: int, was: os.stat_result | None, mode: int | None) -> None:
    """Set owner and mode as they were; of a new file the given mode, or the default of the umask."""
    if was is None:
        mask = os.umask(0o077)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask if mode is None else mode & 0o777)
        return
    # only root may give files away; groups are kept where possible
    with contextlib.suppress(PermissionError):
        os.fchown(handle, was.st_uid, was.st_gid)
    os.fchmod(handle, stat.S_IMODE(was.st_mode))
