"""Exchanges messages with one agent: handles its messages in the order they were sent, and completes each call of ours
once.

There is one reader, and it is the only consumer: it reads the pipe once, feeds `peer.receive`, delivers every event,
and returns to the loop. Nothing here awaits the editor.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import anyio

from acp_nvim import limits
from acp_nvim.agent.exit_report import ExitReport
from acp_nvim.agent.process import AgentProcess
from acp_nvim.agent.spawn import StartError, environment
from acp_nvim.agent.stderr import StderrRing
from acp_nvim.agent.trace import WireTrace
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.protocol.jsonrpc import Event, Failure, Notification, Peer, Request, Response, Stray
from acp_nvim.protocol.methods import CANCEL_REQUEST

log = logging.getLogger(__name__)
_GRACE = 0.5  # seconds each: for the end of input, and for SIGTERM, to work
_HANG_UP = 0.2  # instead of _GRACE, once an agent has closed its output
_TAIL = 20  # lines of stderr in a report


class Gone(NamedTuple):
    """Result of a call whose agent ended before it answered."""

    report: ExitReport


T = TypeVar("T")
Result = Response | Failure | Gone
Then = Callable[[Result], None]


class Handler(Protocol):
    """Called from the loop, inline, in wire order. `on_request` may raise RpcError to refuse."""

    def on_update(self, params: Any) -> None: ...
    def on_request(self, request: Request) -> None: ...
    def on_notification(self, notification: Notification) -> None: ...
    def on_stray(self, stray: Stray) -> None: ...
    def on_exit(self, report: ExitReport) -> None: ...


class _Call:
    __slots__ = ("alarm", "owner", "then")

    def __init__(self, then: Then, alarm: asyncio.TimerHandle | None, owner: object) -> None:
        self.then, self.alarm, self.owner = then, alarm, owner


class Connection:
    """Serves one process. To restart an agent, make another connection."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        cwd: str,
        handler: Handler,
        env: Mapping[str, str] | None = None,
        trace: WireTrace | None = None,
    ) -> None:
        self.name = name
        self.handler = handler
        self.trace = trace or WireTrace(on=False)
        self.stderr = StderrRing(hidden=self.trace.redaction)
        self._argv, self._cwd, self._env = argv, cwd, env or {}
        self._peer = Peer()
        self._calls: dict[int, _Call] = {}
        self._early: list[bytes] = []
        self._process: AgentProcess | None = None
        self._report: ExitReport | None = None
        self._asked = False
        self._patience = _HANG_UP
        self._unread = 0
        self._ended = anyio.Event()

    @property
    def pid(self) -> int | None:
        """Number of the process and of its group; None if it does not run."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def outstanding(self) -> int:
        """Count the bytes that the agent has not read yet."""
        return self._process.input.outstanding if self._process else sum(map(len, self._early))

    # --- to the agent

    def call(
        self,
        method: str,
        params: Any,
        then: Then,
        timeout: float | None = None,
        on_timeout: Callable[[], None] | None = None,
        owner: object = None,
    ) -> None:
        """Send a request; `then` is called exactly once. A request that is made before `run` is sent at the start.

        `owner`: who may give it up.
        """
        loop = asyncio.get_running_loop()
        if self._report:
            loop.call_soon(then, Gone(self._report))
            return
        number, data = self._peer.request(method, params)
        alarm = loop.call_later(timeout, on_timeout) if timeout is not None and on_timeout else None
        self._calls[number] = _Call(then, alarm, owner)
        self._send(data)

    def give_up(self, owner: object) -> None:
        """Ask the agent to cancel the owner's calls. It answers them all the same, by an error or a late result."""
        for number, call in self._calls.items():
            if call.owner is owner:
                call.owner = None  # once
                self.notify(CANCEL_REQUEST, {"requestId": number})

    def notify(self, method: str, params: Any) -> None:
        self._send(self._peer.notify(method, params))

    def respond(self, request_id: Any, result: Any) -> None:
        self._send(self._peer.respond(request_id, result))

    def fail(self, request_id: Any, error: RpcError) -> None:
        self._send(self._peer.fail(request_id, error))

    def _send(self, data: bytes) -> None:
        if self._report:
            return
        self.trace.record("->", data)
        if self._process:
            self._process.input.write(data)
            if self.outstanding > limits.UNREAD_BYTES:
                self._unread = self.outstanding
                self._process.output.close()  # which ends it
        else:
            self._early.append(data)

    # --- its life

    async def run(self) -> ExitReport:
        """Start the agent and serve it to its end; StartError is raised after pending calls are Gone."""
        if self._asked:
            return self._exit(ExitReport(asked=True))
        try:
            process = self._start()
        except StartError as error:
            self._finish(ExitReport(error=str(error)))
            raise
        try:
            await self._until_silent(process)
        except BaseException:  # cancelled: we no longer want it
            self._asked = True
            raise
        finally:
            report = await self._clean_up(process)
        return report

    async def stop(self, grace: float = _GRACE) -> None:
        """End the agent within about twice `grace` seconds. May be called again, and by several tasks."""
        self._asked = True
        if self._process:
            self._patience = max(grace, self._patience)
            await self._process.stop(grace)
            await self._ended.wait()

    def _start(self) -> AgentProcess:
        env = environment(self._env)
        process = AgentProcess(self.name, self._argv, self._cwd, env, self._receive, self._receive_stderr)
        self._process = process
        process.input.write(b"".join(self._early))
        self._early.clear()
        return process

    async def _until_silent(self, process: AgentProcess) -> None:
        """Wait for the end of its output. An agent without output is of no use, even if its process lives on."""
        await process.output.ended.wait()
        self._deliver_all(self._peer.finish())
        await process.stop(self._patience)

    async def _clean_up(self, process: AgentProcess) -> ExitReport:
        try:
            with anyio.CancelScope(shield=True):
                await process.stop(_GRACE)
        finally:
            process.close()
            self.trace.close()
            closed_output = process.forced and not self._asked
            tail = self.stderr.tail(_TAIL)
            report = ExitReport.of(process.returncode, tail, self._asked, closed_output, self._unread)
            self._exit(report)
        return report

    def _exit(self, report: ExitReport) -> ExitReport:
        self._finish(report)
        self._guarded(self.handler.on_exit, report)
        return report

    def _finish(self, report: ExitReport) -> None:
        """Answer every pending call with `Gone`."""
        self._report = report
        calls, self._calls = self._calls, {}
        for call in calls.values():
            self._settle(call, Gone(report))
        self._ended.set()

    # --- from the agent

    def _receive_stderr(self, data: bytes) -> None:
        self.trace.record("stderr", data)
        self.stderr.feed(data)

    def _receive(self, data: bytes) -> None:
        self.trace.record("<-", data)
        self._deliver_all(self._peer.receive(data))

    def _deliver_all(self, events: Iterable[Event]) -> None:
        update = self.handler.on_update
        for event in events:
            if type(event) is Notification and event.method == "session/update":
                self._guarded(update, event.params)
            else:
                self._deliver(event)

    def _deliver(self, event: Event) -> None:
        match event:
            case Failure():
                hide = self.trace.redaction.value
                self._answered(event._replace(error=event.error.hiding(hide)))
            case Response():
                self._answered(event)
            case Request():
                self._guarded(self._request, event)
            case Notification():
                self._guarded(self.handler.on_notification, event)
            case Stray():
                text = self.trace.redaction.head(event.text, limits.NAME_CHARS)
                self._guarded(self.handler.on_stray, event._replace(text=text))

    def _answered(self, result: Response | Failure) -> None:
        if call := self._calls.pop(result.id, None):
            self._settle(call, result)

    def _request(self, request: Request) -> None:
        try:
            self.handler.on_request(request)
        except RpcError as error:
            self.fail(request.id, error)
        except Exception:  # a bug of ours, which `_guarded` logs: the agent still gets its answer
            self.fail(request.id, RpcError(INTERNAL_ERROR, f"{request.method} failed"))
            raise

    def _settle(self, call: _Call, result: Result) -> None:
        if call.alarm:
            call.alarm.cancel()
        self._guarded(call.then, result)

    def _guarded(self, take: Callable[[T], None], value: T) -> None:
        """Log a fault of ours in handling one message; the connection goes on."""
        try:
            take(value)
        except Exception:
            log.exception("%s: handling %s failed", self.name, type(value).__name__)
