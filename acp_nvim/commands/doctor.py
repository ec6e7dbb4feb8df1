"""Examines one agent for `:Acp doctor`: starts it in an empty folder, initializes it, listens, and ends it."""

from __future__ import annotations

import asyncio
import time
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from acp_nvim import __version__, limits
from acp_nvim.agent.connection import Connection, Gone, Result
from acp_nvim.agent.exit_report import ExitReport
from acp_nvim.agent.settings import AgentSpec
from acp_nvim.agent.spawn import StartError
from acp_nvim.agent.trace import WireTrace
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.interface import Application
from acp_nvim.host import login_methods
from acp_nvim.messages.backend import Doctor as DoctorCommand
from acp_nvim.messages.backend import Doctored
from acp_nvim.protocol import decode, deviations, encode
from acp_nvim.protocol.errors import METHOD_NOT_FOUND, RpcError
from acp_nvim.protocol.jsonrpc import Failure, Notification, Request, Stray
from acp_nvim.text.printable import name_of, one_line

_PATIENCE = 30.0  # seconds, unless the editor waits for less; some load models first
_GRACE = 0.5  # seconds that an agent has to end once its input has
_TAIL = 20  # lines of stderr


class Listener:
    """Notes what the agent sends beside its answer."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.report: ExitReport | None = None

    def on_update(self, params: Any) -> None:
        self._note("sent session/update before there was a session")

    def on_request(self, request: Request) -> None:
        self._note(f"asked for {request.method} before there was a session")
        raise RpcError(METHOD_NOT_FOUND, f"there is no session for {request.method}")

    def on_notification(self, notification: Notification) -> None:
        if not notification.method.startswith(("$/", "_")):
            self._note(f"sent {notification.method} before there was a session")

    def on_stray(self, stray: Stray) -> None:
        self._note(f"wrote something to its output that is not a message: {stray.text}")

    def on_exit(self, report: ExitReport) -> None:
        self.report = report

    def _note(self, text: str) -> None:
        if text not in self.heard and len(self.heard) < _TAIL:
            self.heard.append(text)


class Doctor:
    def __init__(self, app: Application) -> None:
        self._app = app
        self.connections: list[Connection] = []
        self.table: Table = {
            "doctor": handle(DoctorCommand, self._doctor),
        }

    @property
    def pids(self) -> list[int]:
        """Return the processes of examined agents, which must not outlive the backend."""
        return [connection.pid for connection in self.connections if connection.pid]

    def _doctor(self, command: DoctorCommand) -> None:
        name, ticket = command.agent, command.ticket
        try:
            spec = self._app.settings.agent(name)
        except ValueError as error:
            return self._tell(ticket, {"agent": name, "error": str(error)})
        seconds = command.seconds or _PATIENCE
        self._app.spawn(self._examine, ticket, spec, seconds)

    def _tell(self, ticket: int, report: dict[str, Any]) -> None:
        self._app.editor.notify(Doctored(ticket, report))

    async def _examine(self, ticket: int, spec: AgentSpec, seconds: float) -> None:
        with TemporaryDirectory(prefix="acp_nvim-", ignore_cleanup_errors=True) as place:
            report = await self._look(spec, place, seconds)
        self._tell(ticket, {"agent": spec.name, **report})

    async def _look(self, spec: AgentSpec, place: str, seconds: float) -> dict[str, Any]:
        listener = Listener()
        argv = [spec.command, *spec.args]
        trace = WireTrace(spec.secrets, on=False)
        connection = Connection(
            spec.name, argv, cwd=place, handler=listener, env=spec.environment, trace=trace
        )
        self.connections.append(connection)
        report: dict[str, Any] = {}
        unstartable: list[str] = []
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._run, connection, spec, unstartable)
                answer, ms = await _greet(connection, self._app.services.offer, seconds)
                report |= _report(answer, spec, seconds, ms)
                report["slow_end"] = await _end(connection)
                tasks.cancel_scope.cancel()
        finally:
            self.connections.remove(connection)
            self._app.host_changed()
        if unstartable:
            report["error"] = unstartable[0]
        report["deviations"] = [_cut(text) for text in (*report.get("deviations", ()), *listener.heard)]
        report["stderr"] = [_cut(line) for line in connection.stderr.tail(_TAIL)]
        return report

    async def _run(self, connection: Connection, spec: AgentSpec, unstartable: list[str]) -> None:
        # the process is there as soon as `run` first waits
        asyncio.get_running_loop().call_soon(self._app.host_changed)
        try:
            await connection.run()
        except StartError as error:
            unstartable.append(error.told(spec.name, spec.install))


async def _greet(
    connection: Connection, offer: dict[str, Any], seconds: float
) -> tuple[Result | None, float]:
    """Return the answer to initialize, if it comes in time, and the milliseconds since the start of the process."""
    answered = anyio.Event()
    answers: list[Result] = []

    def take(result: Result) -> None:
        answers.append(result)
        answered.set()

    began = time.monotonic()
    connection.call("initialize", encode.initialize(__version__, offer), take)
    with anyio.move_on_after(seconds):
        await answered.wait()
    return (answers[0] if answers else None), (time.monotonic() - began) * 1000


async def _end(connection: Connection) -> bool:
    """End the agent, and return whether it had to be killed."""
    began = time.monotonic()
    await connection.stop(_GRACE)
    return time.monotonic() - began >= _GRACE


def _report(answer: Result | None, spec: AgentSpec, seconds: float, ms: float) -> dict[str, Any]:
    if answer is None:
        return {"error": f"no answer to initialize within {seconds:g} s"}
    if isinstance(answer, Gone):
        return {"error": answer.report.sentence(spec.name)}
    if isinstance(answer, Failure):
        return {"error": _cut(next(deviations.of_refusal(answer.error)))}
    agent = decode.initialized(answer.result)
    info = agent.agent_info
    return {
        "ms": round(ms),
        "version": name_of(info.version) if info and info.version else None,
        "title": name_of(info.title or info.name) if info else None,
        "protocol": agent.protocol_version,
        "capabilities": sorted(map(_cut, _offered(agent.capabilities)))[: limits.CAPABILITIES],
        "logins": login_methods.shapes(agent.auth_methods),
        "deviations": list(deviations.of_initialize(answer.result, agent)),
    }


def _offered(capabilities: Any, path: str = "") -> list[str]:
    """Return the dotted names of offered capabilities: those that are neither false nor null; `{}` is a yes."""
    if isinstance(capabilities, dict) and (capabilities or not path):
        found = []
        for key, value in list(capabilities.items())[: limits.CAPABILITIES]:
            if not str(key).startswith("_"):
                found += _offered(value, f"{path}.{key}".lstrip("."))
        return found
    return [path] if capabilities is not None and capabilities is not False else []


def _cut(text: str) -> str:
    return one_line(text[: limits.REMARK_CHARS])
