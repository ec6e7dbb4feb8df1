"""An agent's process without a process: a story pulls its strings, and bends what comes out of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import anyio

Json = dict[str, Any]
_PIDS = itertools.count(10_000_000)  # beyond what any system gives


class _Pipe:
    def __init__(self, take: Callable[[bytes], None] | None = None) -> None:
        self.take = take
        self.ended = anyio.Event()
        self.outstanding = 0

    def finish(self) -> None:
        self.ended.set()

    def close(self) -> None:
        self.ended.set()


class Puppet:
    """In the place of `AgentProcess`, whose face it has."""

    born: ClassVar[list[Puppet]] = []  # the newest last

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        on_output: Callable[[bytes], None],
        on_stderr: Callable[[bytes], None],
    ) -> None:
        self.pid = next(_PIDS)
        self.returncode: int | None = None
        self.forced = False
        self.alive = True
        self.input, self.output, self.errors = self, _Pipe(on_output), _Pipe(on_stderr)
        self.outstanding = 0
        self.is_deaf = False  # SIGSTOP, or a full pipe: what is written waits
        self._unread: list[bytes] = []
        self._dead = anyio.Event()
        self._numbers = itertools.count(1)
        self.got: list[Json] = []
        self.open: dict[Any, Json] = {}  # requests of the client that have no answer yet
        self.asked: dict[str, list[Json]] = {}  # ours, and the answers that came
        self.late: list[bytes] = []  # on their way for long; others overtake them
        Puppet.born.append(self)

    # --- what the client does with a process

    def write(self, data: bytes) -> None:
        if not self.alive:
            return
        self._unread.append(data)
        self.outstanding = sum(map(len, self._unread))
        if not self.is_deaf:
            self.hear()

    async def stop(self, grace: float) -> None:
        self.die(0)
        await self._dead.wait()

    def close(self) -> None:
        pass

    # --- what a story does with an agent

    def hear(self) -> None:
        self.is_deaf = False
        data, self._unread, self.outstanding = b"".join(self._unread), [], 0
        for line in data.splitlines():
            message = json.loads(line)
            self.got.append(message)
            if "method" in message and "id" in message:
                self.open[message["id"]] = message
            elif "id" in message and message["id"] in self.asked:
                self.asked[message["id"]].append(message)

    def raw(self, data: bytes) -> None:
        if self.alive and self.output.take:
            self.output.take(data)

    def send(self, message: Json, how: str = "whole") -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        match how:
            case "split":
                for first in range(0, len(line), 7):
                    self.raw(line[first : first + 7])
            case "twice":
                self.raw(line + line)
            case "among garbage":
                self.raw(b"\xff\x00 noise {]\n\r\n" + line + b"[1,2]\n")
            case "cut":
                self.raw(line[: len(line) // 2] + b"\n")
            case "lost":
                pass
            case "late":
                self.late.append(line)
            case _:
                self.raw(line)

    def release(self, number: int) -> Json | None:
        """One of those that are late arrives."""
        if not self.alive or not self.late:
            return None
        line = self.late.pop(number % len(self.late))
        self.raw(line)
        return dict(json.loads(line))

    def ask(self, method: str, params: Json, how: str = "whole") -> str:
        number = f"q{next(self._numbers)}"
        self.asked[number] = []
        self.send({"id": number, "method": method, "params": params}, how)
        return number

    def answer(self, number: Any, result: Any, how: str = "whole") -> None:
        if how not in ("cut", "lost", "late"):
            self.open.pop(number, None)
        self.send({"id": number, "result": result}, how)

    def die(self, status: int) -> None:
        if self.alive:
            self.alive, self.returncode = False, status
            self._dead.set()
            self.output.finish()
            self.errors.finish()
