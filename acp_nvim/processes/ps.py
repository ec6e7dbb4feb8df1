"""Asks ps about processes where there is no /proc: macOS and BSD."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_SECONDS = 5.0


def has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def lines(which: str, *fields: str) -> list[str]:
    """Return what ps says, a line for each process; nothing if it fails. To POSIX the text behind the `=` of a field is
    its header, up to the end of the argument: each field has an argument of its own."""
    asked = ["ps", *which.split(), *(word for field in fields for word in ("-o", f"{field}="))]
    try:
        run = subprocess.run(
            asked,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=True,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return run.stdout.splitlines()


def command_line(pid: int) -> str:
    """Return the program of a process and its arguments; nothing if it has ended."""
    if not has_proc():
        return "".join(lines(f"-ww -p {pid}", "command"))
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
