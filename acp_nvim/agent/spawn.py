"""Starts an agent's process, or says in one sentence why it cannot be started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from shutil import which

# With $NVIM an agent could drive the editor and approve its own requests; the others would mislead a Neovim that it
# starts.
WITHHELD = {"NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC"}
_COMMAND_NOT_FOUND = "command not found"


class StartError(Exception):
    """Why the agent could not be started, in one sentence for the user."""

    def __init__(self, why: str, absent: bool) -> None:
        super().__init__(why)
        self._absent = absent  # there is no such program

    def told(self, name: str, install: str | None) -> str:
        """Return the sentence, with how to install the program if it is missing."""
        return f"{name} is not installed: {install}; {self}" if self._absent and install else str(self)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return Neovim's environment without its address, with what the user has configured."""
    inherited = {key: value for key, value in os.environ.items() if key not in WITHHELD}
    return inherited | dict(extra)


def spawn(name: str, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = f"cannot start {name}: {_reason(error, name, argv[0], cwd, env)}"
        raise StartError(why, absent=_COMMAND_NOT_FOUND in why) from error


def _reason(error: Exception, name: str, command: str, cwd: str, env: Mapping[str, str]) -> str:
    check = f"check agents.{name}.command: '{command}'"  # names at the end: lines are cut there
    if not os.path.isdir(cwd):
        return f"not a folder: {cwd}" if os.path.exists(cwd) else f"no such folder: {cwd}"
    if not os.access(cwd, os.X_OK):
        return f"this folder may not be entered: {cwd}"
    if isinstance(error, FileNotFoundError):
        found = which(command, path=env.get("PATH"))
        return (
            f"the interpreter it names does not exist; {check}" if found else f"{_COMMAND_NOT_FOUND}; {check}"
        )
    if isinstance(error, PermissionError):
        return f"it is not executable; {check}"
    return f"{error.strerror if isinstance(error, OSError) else error}; {check}"
