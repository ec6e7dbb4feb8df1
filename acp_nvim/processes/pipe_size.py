"""Prepares the pipe of a child process to be read and written by callbacks of the event loop."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from acp_nvim import limits


def widen(descriptor: int) -> None:
    """Make a pipe non-blocking, and as large as the system allows, so that reads are few and large."""
    os.set_blocking(descriptor, False)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # the user's allowance of pipe memory is spent: the usual 64 KiB work, too
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, limits.PIPE_BYTES)
