"""All that one process has started, found and ended.

Commands and agents lead a session of the system's (setsid), which is inherited: a program like timeout(1) that makes a
process group of its own stays in it. What begins a session of its own, as what node calls detached does, is found by
its parents as long as these live. Only a daemon that has done so and whose parents have ended is found by nobody.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

_ROUNDS = 20  # looks after which what goes on starting processes has won
_DEAD = "ZX"


class Process(NamedTuple):
    pid: int
    started: str  # a number may be given to another process later


class _Place(NamedTuple):
    process: Process
    parent: int
    session: int


class Lineage:
    """What `leader` has started, and itself. It leads a session, and was the first to."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known: set[Process] = set()

    def look(self, is_reaped: bool = False) -> set[Process]:
        """Those that live. They are remembered, also for when their parents are gone. `is_reaped`: the leader is, and
        its number may have been given away."""
        places = _table()
        living = {place.process for place in places.values()}
        if is_reaped and self._leader in places:
            found: set[int] = set()
        else:
            found = {
                pid for pid, place in places.items() if place.session == self._leader or pid == self._leader
            }
        found |= {process.pid for process in self._known & living}
        self._known = {places[pid].process for pid in _descendants(found, places)}
        return self._known

    def signal(self, number: int, is_reaped: bool = False) -> bool:
        """Send it to all of them; whether there were any. Those of the leader's group get it in one call: a shell whose
        child ended first would go on, and say that all went well."""
        found = self.look(is_reaped)
        group = {process for process in found if _group_of(process) == self._leader}
        if group:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, number)
        for process in found - group:
            with suppress(ProcessLookupError, PermissionError):  # gone, or another user's
                os.kill(process.pid, number)
        return bool(found)

    def kill(self, is_reaped: bool = False) -> None:
        """Also those that are started meanwhile."""
        done: set[Process] = set()
        for _ in range(_ROUNDS):
            found = self.look(is_reaped)
            if found <= done:
                return
            self.signal(signal.SIGKILL, is_reaped)
            done |= found


def _group_of(process: Process) -> int | None:
    with suppress(ProcessLookupError):
        return os.getpgid(process.pid)
    return None


def _descendants(found: set[int], places: Mapping[int, _Place]) -> set[int]:
    """Those, and all that descend from them."""
    children: dict[int, list[int]] = {}
    for pid, place in places.items():
        children.setdefault(place.parent, []).append(pid)
    reached: set[int] = set()
    ahead = list(found)
    while ahead:
        if (pid := ahead.pop()) not in reached:
            reached.add(pid)
            ahead += children.get(pid, ())
    return reached - {os.getpid()}


def _table() -> dict[int, _Place]:
    """Every process that lives."""
    entries = _from_proc() if os.path.exists("/proc/self/stat") else _from_ps()
    return {place.process.pid: place for place in entries}


def _from_proc() -> Iterator[_Place]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            handle = os.open(f"/proc/{name}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # it has just ended
            continue
        try:
            said = os.read(handle, 4096)
        except OSError:
            continue
        finally:
            os.close(handle)
        fields = (
            said[said.rindex(b")") + 2 :].decode("ascii", "replace").split()
        )  # its name may hold anything
        if fields[0] not in _DEAD:
            yield _Place(Process(int(name), fields[19]), int(fields[1]), int(fields[3]))


def _from_ps() -> Iterator[_Place]:
    with suppress(OSError, subprocess.SubprocessError):
        asked = ["ps", "-A", "-o", "pid=,ppid=,state=,lstart="]
        said = subprocess.run(asked, capture_output=True, text=True, timeout=2, check=True).stdout
        for line in said.splitlines():
            pid, parent, state, *started = line.split()
            with suppress(OSError):
                if state[0] not in _DEAD:
                    yield _Place(Process(int(pid), " ".join(started)), int(parent), os.getsid(int(pid)))
