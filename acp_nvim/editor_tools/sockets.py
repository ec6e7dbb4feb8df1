"""Makes the sockets of the editor's tools, in a folder that only their user can enter, and removes dead ones."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import tempfile
from contextlib import suppress

_FOLDER = "acp_nvim"
_OWN = "acp_nvim_"  # of a folder that is made for one socket
_NAME = 16  # characters
_PATH_BYTES = 103  # that an address may have on every system
_WAITING = 64  # connections that nobody has accepted yet


class Taken(Exception):
    """Another Neovim listens at the address."""


def new_address(run: str | None) -> str:
    """Return an address that nobody uses, in the first of our folders that can be used, or else in one of its own."""
    name = secrets.token_hex(_NAME // 2)
    for folder in _folders(run):
        if len(os.fsencode(folder)) + 1 + _NAME <= _PATH_BYTES and _is_private(folder):
            return os.path.join(folder, name)
    return os.path.join(tempfile.mkdtemp(prefix=_OWN, dir="/tmp"), name)


def _folders(run: str | None) -> list[str]:
    """Return where our sockets may lie: below the folder `run`, or, where that is too deep, below that for temporary
    files."""
    temporary = os.path.join(tempfile.gettempdir(), f"{_FOLDER}-{os.geteuid()}")
    return [*([os.path.join(run, _FOLDER)] if run else []), temporary]


def listen(address: str) -> socket.socket:
    """Listen at an address. Raise Taken if somebody does, an OSError if its folder is not the user's alone."""
    if len(os.fsencode(address)) > _PATH_BYTES or not _is_private(os.path.dirname(address)):
        raise PermissionError("the folder of the socket is not private")
    if is_living(address):
        raise Taken
    with suppress(FileNotFoundError):
        os.unlink(address)
    made = socket.socket(socket.AF_UNIX)
    try:
        made.bind(address)
        os.chmod(address, 0o600)
        made.listen(_WAITING)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made


def remove(address: str) -> None:
    """Remove a socket of ours, and its folder if that was made for it."""
    with suppress(FileNotFoundError):
        os.unlink(address)
    folder = os.path.dirname(address)
    if os.path.basename(folder).startswith(_OWN):
        with suppress(OSError):
            os.rmdir(folder)


def sweep(run: str | None) -> None:
    """Remove the sockets that Neovims and backends have left which were killed."""
    for folder in _folders(run):
        there = os.listdir(folder) if os.path.isdir(folder) and _is_private(folder) else []
        for path in (os.path.join(folder, name) for name in there if len(name) == _NAME):
            with suppress(FileNotFoundError):  # another Neovim looks as well
                if stat.S_ISSOCK(os.lstat(path).st_mode) and not is_living(path):
                    os.unlink(path)


def is_living(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(address)
        except BlockingIOError:
            return True  # it has more callers than it has accepted
        except OSError:
            return False
    return True


def _is_private(folder: str) -> bool:
    """Whether the folder is the user's alone. It is made if it is not there."""
    try:
        with suppress(FileExistsError):
            os.makedirs(folder, 0o700)
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(folder, 0o700)
    except OSError:
        return False
    return True
