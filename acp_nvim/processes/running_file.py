"""Writes which agents and commands are running, to a file that Neovim reads if the backend dies.

A message would not do: Neovim handles none at a hit-enter prompt, and drops the rest when the channel is closed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

log = logging.getLogger(__name__)


def write(path: str | None, leaders: Iterable[int]) -> None:
    """Write the process numbers of the session leaders. `path` lies in a private folder of Neovim's, which removes it
    before its last autocommands when a signal ends it. So Neovim holds the file open, and it stays the same file: one
    write covers all that was in it."""
    if path is None:
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            numbers = "".join(f"{leader}\n" for leader in leaders).encode()
            os.write(handle, numbers.ljust(os.fstat(handle).st_size, b"\n"))
        finally:
            os.close(handle)
    except OSError as error:
        log.warning("cannot record which processes Neovim would have to end: %s", error)
