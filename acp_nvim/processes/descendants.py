"""Finds and ends all processes that one process has started.

Commands and agents lead an operating system session (setsid), which their children inherit: a program like timeout(1)
that makes a process group of its own stays in the session. A child with a session of its own, such as one that node
calls detached, is found through its parents as long as these live. Only a daemon whose parents have ended is not found.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from acp_nvim.processes import ps

_ROUNDS = 20  # of kills; a process that starts others faster is left alone
_DEAD = "ZX"


class Process(NamedTuple):
    pid: int
    started: str  # a number may be given to another process later


class _Place(NamedTuple):
    process: Process
    parent: int
    session: int


class Lineage:
    """The leader of an operating system session and all its descendants."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known: set[Process] = set()

    def look(self, is_reaped: bool = False) -> set[Process]:
        """Return the living ones, and remember them for when their parents are gone. `is_reaped`: the leader's
        number may belong to another process by now."""
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

    def signal(self, number: int, is_reaped: bool = False) -> None:
        """Send a signal to all of them."""
        self._send(number, self.look(is_reaped))

    def kill(self, is_reaped: bool = False) -> None:
        """Kill all of them, also those that are started meanwhile."""
        done: set[Process] = set()
        for _ in range(_ROUNDS):
            found = self.look(is_reaped)
            if found <= done:
                return
            self._send(signal.SIGKILL, found)
            done |= found

    def _send(self, number: int, found: set[Process]) -> None:
        """The leader's group gets the signal in one call: a shell whose child ended first would go on and report
        success."""
        group = {process for process in found if _group_of(process) == self._leader}
        if group:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._leader, number)
        for process in found - group:
            with suppress(ProcessLookupError, PermissionError):  # gone, or another user's
                os.kill(process.pid, number)


def _group_of(process: Process) -> int | None:
    with suppress(ProcessLookupError):
        return os.getpgid(process.pid)
    return None


def _descendants(found: set[int], places: Mapping[int, _Place]) -> set[int]:
    """Return these processes and all their descendants."""
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
    """Return every living process of the system."""
    entries = _from_proc() if ps.has_proc() else _from_ps()
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
        # the name of the program stands in brackets and may hold anything
        fields = said[said.rindex(b")") + 2 :].decode("ascii", "replace").split()
        if fields[0] not in _DEAD:
            yield _Place(Process(int(name), fields[19]), int(fields[1]), int(fields[3]))


def _from_ps() -> Iterator[_Place]:
    for line in ps.lines("-A", "pid", "ppid", "state", "lstart"):
        pid, parent, state, *started = line.split()
        with suppress(OSError):  # it has just ended, or ps itself
            if state[0] not in _DEAD:
                yield _Place(Process(int(pid), " ".join(started)), int(parent), os.getsid(int(pid)))
