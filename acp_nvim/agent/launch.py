"""How an agent's process begins: with a clear sentence when it cannot, and perhaps ahead of its time.

A backend imports for longer than most agents take to start. The agent that its first words are about is started
before that, and `spawn` hands it out to who asks for just this one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acp_nvim.processes import Lineage

if TYPE_CHECKING:
    from acp_nvim.agent.settings import AgentSpec

# With $NVIM an agent could drive the editor and approve its own requests.
_WITHHELD = {"NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC"}
_COMMAND_NOT_FOUND = "command not found"


class StartError(Exception):
    """Why the agent could not be started, in one sentence for the user."""

    def __init__(self, why: str, absent: bool = False) -> None:
        super().__init__(why)
        self._absent = absent  # there is no such program

    def told(self, name: str, install: str | None) -> str:
        """With how to install the program, where it is that which is missing."""
        return f"{name} is not installed: {install}; {self}" if self._absent and install else str(self)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Neovim's environment without its address, and what the user has configured."""
    inherited = {key: value for key, value in os.environ.items() if key not in _WITHHELD}
    return inherited | dict(extra)


class Launch(NamedTuple):
    """All that makes one process another."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]


_ahead: list[tuple[Launch, subprocess.Popen[bytes]]] = []


def of(spec: AgentSpec, folder: str) -> Launch:
    return Launch([spec.command, *spec.args], spec.cwd or folder, environment(spec.env))


def ahead(wanted: Launch) -> int | None:
    """Start it, for `spawn` to come; what goes wrong goes wrong there once more, and is told."""
    try:
        process = _popen(*wanted)
    except (OSError, ValueError):
        return None
    _ahead.append((wanted, process))
    return process.pid


def recall() -> None:
    """Nobody has asked for just this one, and nobody will."""
    while _ahead:
        _, process = _ahead.pop()
        with process:
            Lineage(process.pid).kill()


def spawn(name: str, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    wanted = Launch(list(argv), cwd, dict(env))
    if _ahead and _ahead[0][0] == wanted:
        return _ahead.pop()[1]
    recall()
    try:
        return _popen(*wanted)
    except (OSError, ValueError) as error:
        why = f"cannot start {name}: {_reason(error, name, argv[0], cwd, env)}"
        raise StartError(why, absent=_COMMAND_NOT_FOUND in why) from error


def _popen(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
    )


def _reason(error: Exception, name: str, command: str, cwd: str, env: Mapping[str, str]) -> str:
    check = f"check agents.{name}.command: '{command}'"  # names at the end: lines are cut there
    if not os.path.isdir(cwd):
        return f"not a folder: {cwd}" if os.path.exists(cwd) else f"no such folder: {cwd}"
    if not os.access(cwd, os.X_OK):
        return f"this folder may not be entered: {cwd}"
    if isinstance(error, FileNotFoundError):
        from shutil import which

        found = which(command, path=env.get("PATH"))
        return (
            f"the interpreter it names does not exist; {check}" if found else f"{_COMMAND_NOT_FOUND}; {check}"
        )
    if isinstance(error, PermissionError):
        return f"it is not executable; {check}"
    return f"{error.strerror if isinstance(error, OSError) else error}; {check}"
