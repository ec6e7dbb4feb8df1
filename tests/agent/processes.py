"""What the system knows of processes: from /proc, or from ps where there is none."""

import io
import os
import select
import subprocess
from pathlib import Path
from typing import Any

HAS_PROC = os.path.exists("/proc/self/stat")


def _ps(*arguments: str) -> list[str]:
    run = subprocess.run(["ps", *arguments], capture_output=True, text=True, errors="replace")
    return run.stdout.splitlines()


def _stat(pid: int) -> list[str]:
    """Its state, parent and group; none where there is no such process."""
    if not HAS_PROC:
        return next(iter(_rows("-p", str(pid)).values()), [])
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _rows(*which: str) -> dict[int, list[str]]:
    """Return the same of these processes, by their numbers."""
    lines = _ps(*which, "-o", "pid=", "-o", "state=", "-o", "ppid=", "-o", "pgid=")
    return {int(pid): stat for pid, *stat in map(str.split, lines)}


def state(pid: int) -> str | None:
    """A letter such as R, S, Z; None when it is gone for good."""
    return stat[0][0] if (stat := _stat(pid)) else None


def parent(pid: int) -> int | None:
    return int(stat[1]) if (stat := _stat(pid)) else None


def group(pid: int) -> int:
    return int(_stat(pid)[2])


def _every() -> dict[int, list[str]]:
    if not HAS_PROC:
        return _rows("-A")
    return {int(name): _stat(int(name)) for name in os.listdir("/proc") if name.isdecimal()}


def living_members(group: int) -> list[int]:
    every = _every().items()
    return [pid for pid, stat in every if stat and int(stat[2]) == group and stat[0][0] not in "ZX"]


def with_environment(entry: str) -> list[int]:
    """Return the processes in whose environment this stands, as NAME=value."""
    if not HAS_PROC:
        return _with_environment_by_ps(entry)
    found = []
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:  # it has ended, or is another user's
            continue
        if entry.encode() in environment:
            found.append(pid)
    return found


def _with_environment_by_ps(entry: str) -> list[int]:
    """macOS hides the environment of programs of its own, such as sleep: their parents tell whose they are."""
    rows = [
        line.split(maxsplit=3)
        for line in _ps("-A", "-E", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "state=", "-o", "command=")
    ]
    living = [row for row in rows if len(row) == 4 and row[2][0] not in "ZX"]
    found = {int(pid) for pid, _, _, command in living if entry in command}
    while more := {int(pid) for pid, parent, *_ in living if int(parent) in found} - found:
        found |= more
    return sorted(found)


def command_line(pid: int) -> str:
    """Return its program and arguments, each with a space behind it; nothing if it has ended."""
    if not HAS_PROC:
        return "".join(f"{line} " for line in _ps("-ww", "-o", "command=", "-p", str(pid)))
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def exit_handle(pid: int) -> Any:
    """Return a file, to be closed, that is readable once the process has ended."""
    if hasattr(os, "pidfd_open"):
        return io.FileIO(os.pidfd_open(pid))
    queue = select.kqueue()
    event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
    try:
        queue.control([event], 0)
    except OSError:
        queue.close()
        raise
    return queue
