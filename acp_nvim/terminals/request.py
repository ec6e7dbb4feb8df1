"""Reads terminal/create: what an agent wants to run, and how."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from shutil import which
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.protocol.errors import INVALID_PARAMS, RpcError

_SHELL = "/bin/sh"  # agents write for it, whatever shell the user has
_SHELL_LINE = re.compile(r"[\s|&;<>]")
# Nobody can press a pager's keys.
_PAGERS = {
    **dict.fromkeys(("PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER", "SYSTEMD_PAGER", "DELTA_PAGER"), "cat"),
    **dict.fromkeys(("AWS_PAGER", "BAT_PAGER", "JJ_PAGER"), "cat"),
}

Environment = Callable[[Mapping[str, str]], dict[str, str]]


class TerminalRequest(NamedTuple):
    argv: list[str]
    cwd: str
    env: dict[str, str]
    limit: int  # of the bytes that the agent is given
    line: str  # as typed in a shell

    @classmethod
    def read(cls, params: Mapping[str, Any], cwd: str, environment: Environment) -> TerminalRequest:
        """Read the params. The folder may lie outside the session's roots, since a command could go there by itself."""
        command, args = params.get("command"), _strings(params, "args")
        if not isinstance(command, str) or not command.strip():
            raise _wrong("command must be a string that names the program to run")
        folder = _folder(params.get("cwd"), cwd)
        env = environment({**_PAGERS, **_pairs(params)})
        by_shell = not args and _SHELL_LINE.search(command) and not _is_program(command, folder, env)
        argv = [_SHELL, "-c", command] if by_shell else [command, *args]
        return cls(argv, folder, env, _limit(params), command if by_shell else shlex.join(argv))


def _wrong(why: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"terminal/create: {why}")


def _strings(params: Mapping[str, Any], name: str) -> list[str]:
    given = params.get(name) or []
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise _wrong(f"{name} must be a list of strings")
    return given


def _pairs(params: Mapping[str, Any]) -> dict[str, str]:
    pairs = {}
    given = params.get("env") or []
    for item in given if isinstance(given, list) else [given]:
        name, value = (item.get("name"), item.get("value")) if isinstance(item, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str):
            raise _wrong("env must be a list of objects with the strings name and value")
        pairs[name] = value
    return pairs


def _folder(given: Any, default: str) -> str:
    folder = default if given is None else given
    if not isinstance(folder, str) or not os.path.isabs(folder):
        raise _wrong(f"cwd must be an absolute path, not {folder!r}")
    if "\0" in folder or not os.path.isdir(folder):
        raise _wrong(f"cwd {folder!r} is not a folder")
    return folder


def _limit(params: Mapping[str, Any]) -> int:
    limit = params.get("outputByteLimit")
    if limit is None:
        return limits.TERMINAL_OUTPUT_BYTES
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit != limit // 1 or limit < 0:
        raise _wrong(f"outputByteLimit must be a number of bytes, not {limit!r}")
    return int(min(limit, limits.TERMINAL_OUTPUT_BYTES))


def _is_program(command: str, folder: str, env: Mapping[str, str]) -> bool:
    """Whether the whole text is a program: paths may hold spaces."""
    path = os.path.join(folder, command) if "/" in command else command
    return "\0" not in path and which(path, path=env.get("PATH")) is not None
