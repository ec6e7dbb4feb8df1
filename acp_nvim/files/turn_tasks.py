"""Counts the tasks that look for changes of a turn. The turn is settled when it is over and all of them have ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.session import Session

Job = Callable[..., Awaitable[None]]


class TurnTasks:
    """`spawn` runs a coroutine function in a task. Tasks of a session that is not `known` any more do nothing."""

    def __init__(self, spawn: Callable[..., None], known: Callable[[Session], bool]) -> None:
        self._spawn, self._known = spawn, known

    def search(self, turn: WatchedTurn, job: Job, *arguments: Any) -> None:
        """Start a task that may find a change of the turn: the turn settles after it."""
        turn.busy += 1
        self._spawn(self._search, turn, job, *arguments)

    def detach(self, turn: WatchedTurn, job: Job, *arguments: Any) -> None:
        """Start a task that waits for the user, or for time to pass: the turn settles without it."""
        self._spawn(self._run, turn, job, *arguments)

    async def _search(self, turn: WatchedTurn, job: Job, *arguments: Any) -> None:
        try:
            await self._run(turn, job, *arguments)
        finally:
            turn.busy -= 1
            if turn.over.is_set() and not turn.busy:
                turn.settled.set()

    async def _run(self, turn: WatchedTurn, job: Job, *arguments: Any) -> None:
        if not self._known(turn.session):
            return  # it was forgotten before this task began
        with anyio.CancelScope() as scope:
            turn.scopes.add(scope)
            try:
                await job(turn, *arguments)
            finally:
                turn.scopes.discard(scope)
