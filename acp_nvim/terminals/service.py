"""Serves terminal/*, commands that agents run through us, and takes what they report of terminals of their own, which
the user sees in the same way."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import anyio

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import IncomingRequest
from acp_nvim.editor.interface import Editor
from acp_nvim.protocol import schema
from acp_nvim.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.terminals.child_process import Command
from acp_nvim.terminals.output_tail import Tail, bound
from acp_nvim.terminals.request import Environment, TerminalRequest
from acp_nvim.terminals.screen import Screen
from acp_nvim.terminals.screen_registry import ScreenRegistry, Spawn
from acp_nvim.text.printable import one_line

_GOODBYE = 2.0  # seconds for all to end; a command takes less

Serve = Callable[[IncomingRequest, Session], Awaitable[dict[str, Any]]]


class Watch(Protocol):
    """Looks at the files that commands change."""

    def command_begins(self, session: Session, terminal_id: str, line: str, cwd: str) -> None: ...
    def command_ended(self, session: Session, terminal_id: str) -> None: ...


@dataclass(slots=True, eq=False)
class _Terminal:
    session: Session
    output: Tail
    command: Command


class Terminals:
    """Serves terminal/*. `on_output` and `spawn` are those of `ScreenRegistry`; `watch` is told of our
    commands alone; `on_groups()` follows changes of `pgids()`."""

    def __init__(
        self,
        editor: Editor,
        environment: Environment,
        spawn: Spawn,
        watch: Watch,
        on_output: Callable[[Session, str], None],
        on_groups: Callable[[], None],
    ) -> None:
        self._environment, self._watch, self._on_groups = environment, watch, on_groups
        self._screens = ScreenRegistry(editor, spawn, on_output)
        self._numbers = itertools.count(1)
        self._terminals: dict[str, _Terminal] = {}  # those that agents may still name
        self._commands: dict[Command, Session] = {}  # those of which something may still run
        self.serve: Mapping[str, Serve] = {
            "terminal/create": self.create,
            "terminal/output": self.output,
            "terminal/wait_for_exit": self.wait_for_exit,
            "terminal/kill": self.kill,
            "terminal/release": self.release,
        }

    # --- what agents ask

    async def create(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        self._expect_room(session)
        self._forget_old(session)
        order = TerminalRequest.read(incoming.request.params, session.cwd, self._environment)
        terminal_id = self._new_id(session)
        screen, output = Screen(session, terminal_id), Tail(order.limit)
        screen.is_ours = True

        def receive(data: bytes) -> None:
            output.feed(data)
            self._screens.write(screen, data)

        self._watch.command_begins(session, terminal_id, order.line, order.cwd)
        try:
            command = Command(order, receive, lambda: self._exited(screen, command), self._forget_ended)
        except RpcError:
            self._watch.command_ended(session, terminal_id)
            raise
        self._terminals[terminal_id] = _Terminal(session, output, command)
        self._commands[command] = session
        self._screens.add(screen, order.line)
        self._on_groups()
        return {"terminalId": terminal_id}

    async def output(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        terminal = self._find(incoming, session)
        status = terminal.command.status
        text, truncated = terminal.output.text(ended=status is not None)
        answer: dict[str, Any] = {"output": text, "truncated": truncated}
        return answer if status is None else {**answer, "exitStatus": status}

    async def wait_for_exit(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        command = self._find(incoming, session).command
        await command.exited.wait()
        return dict(command.status or {})

    async def kill(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        """Kill the command, and answer when it has ended."""
        command = self._find(incoming, session).command
        command.stop()
        await command.exited.wait()
        return {}

    async def release(self, incoming: IncomingRequest, session: Session) -> dict[str, Any]:
        terminal = self._find(incoming, session)
        del self._terminals[_id(incoming)]
        terminal.command.release()
        await terminal.command.exited.wait()
        return {}

    def _expect_room(self, session: Session) -> None:
        if sum(owner is session for owner in self._commands.values()) >= limits.RUNNING_COMMANDS:
            raise RpcError(
                INTERNAL_ERROR,
                f"{limits.RUNNING_COMMANDS} commands of this session run already: end one of them first",
            )

    def _forget_old(self, session: Session) -> None:
        """Free memory of ended terminals, also of those that the agent has not released."""
        terminals = [each for each in self._terminals.values() if each.session is session]
        bound([each.output for each in terminals if each.command.status], limits.ENDED_TERMINALS_BYTES)
        self._screens.free_memory(session)

    def _count_own(self, session: Session) -> int:
        """Count the agent's own terminals."""
        return sum(not each.is_ours for each in self._screens.of(session))

    def _new_id(self, session: Session) -> str:
        """Return an unused id: an agent's own terminals may have any name."""
        ids = (f"terminal-{number}" for number in self._numbers)
        return next(name for name in ids if self._screens.get(session, name) is None)

    def _find(self, incoming: IncomingRequest, session: Session) -> _Terminal:
        terminal_id = _id(incoming)
        terminal = self._terminals.get(terminal_id)
        if terminal and terminal.session is session:
            return terminal
        released = self._screens.get(session, terminal_id) is not None
        why = "has been released" if released else "does not exist in this session"
        raise RpcError(INVALID_PARAMS, f"terminal {terminal_id!r} {why}")

    # --- what agents tell of terminals of their own

    def take_reported_output(self, session: Session, call: ToolCall, meta: Mapping[str, Any]) -> None:
        """Take output of an agent's own terminal. It may come before the terminal is announced."""
        for name in ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"):
            said = meta.get(name)
            if isinstance(said, dict) and (screen := self._reported(session, call, said)):
                if isinstance(data := said.get("data"), str):
                    self._screens.write(screen, data.encode(errors="replace"))
                if name == "terminal_exit":
                    self._screens.end(screen, _told_status(said))

    def note_end(self, session: Session, call: ToolCall) -> None:
        """Tell a call how the terminal of ours that it shows has ended."""
        shown = (item.terminal_id for item in call.content if isinstance(item, schema.TerminalRef))
        for screen in (self._screens.get(session, id) for id in shown):
            if screen and screen.exit_code is not None:
                call.terminal_exit_code = screen.exit_code
            if screen and screen.signal:
                call.terminal_signal = screen.signal

    def _reported(self, session: Session, call: ToolCall, said: Mapping[str, Any]) -> Screen | None:
        """Return the screen of a terminal of the agent's own; None for one of ours, which needs no report."""
        terminal_id = str(said.get("terminal_id") or call.id)
        if terminal_id in self._terminals:
            return None
        screen = self._screens.get(session, terminal_id)
        if screen is None and self._count_own(session) >= limits.AGENT_TERMINALS:
            return None
        if screen is None:
            self._forget_old(session)
            screen = Screen(session, terminal_id)
            self._screens.add(screen, call.command or call.title or terminal_id)
        return screen

    # --- what the user sees and does

    def text(self, session: Session, terminal_id: str) -> str:
        """Return the end of its output for the chat; empty if there is no such terminal."""
        screen = self._screens.get(session, terminal_id)
        return screen.text() if screen else ""

    def has_ended(self, session: Session, terminal_id: str) -> bool:
        screen = self._screens.get(session, terminal_id)
        return screen is not None and screen.status is not None

    def watch(self, session: Session, terminal_id: str, buffer: int) -> None:
        """Fill the buffer that the user has opened, and follow the output."""
        if screen := self._screens.get(session, terminal_id):
            self._screens.watch(screen, buffer)

    def stop(self, session: Session, terminal_id: str) -> bool:
        """End the command for the user; False if it is not ours or has ended."""
        terminal = self._terminals.get(terminal_id)
        if not terminal or terminal.session is not session or terminal.command.group is None:
            return False
        terminal.command.stop()
        return True

    # --- ends

    def pgids(self) -> list[int]:
        """Return the living process groups."""
        return [command.group for command in self._commands if command.group]

    def close_session(self, session: Session) -> None:
        """End all commands of a session. Their output stays for the user."""
        for screen in self._screens.of(session):
            if not screen.is_ours and screen.status is None:
                self._screens.end(screen, "gone")  # the agent's own; nobody will tell any more
        self._terminals = {
            name: each for name, each in self._terminals.items() if each.session is not session
        }
        for command, owner in self._commands.items():
            if owner is session:
                command.release()

    def forget(self, session: Session) -> None:
        """Forget the session's terminals and their output."""
        self.close_session(session)
        self._screens.forget(session)

    async def close_all(self) -> None:
        """End all commands, because the backend ends."""
        self._terminals.clear()
        for command in (running := list(self._commands)):
            command.release()
        with anyio.move_on_after(_GOODBYE):
            for command in running:
                await command.exited.wait()

    def _exited(self, screen: Screen, command: Command) -> None:
        status = command.status or {}
        code = status.get("exitCode")
        screen.exit_code = code if isinstance(code, int) else None
        screen.signal = str(status.get("signal") or "")
        self._screens.end(screen, screen.signal or f"exit {code}")

    def _forget_ended(self) -> None:
        self._commands = {command: owner for command, owner in self._commands.items() if command.group}
        self._on_groups()


def _id(incoming: IncomingRequest) -> str:
    terminal_id = incoming.request.params.get("terminalId")
    if not isinstance(terminal_id, str):
        raise RpcError(
            INVALID_PARAMS, f"{incoming.request.method}: terminalId must be a string, not {terminal_id!r}"
        )
    return terminal_id


def _told_status(said: Mapping[str, Any]) -> str:
    signal, code = said.get("signal"), said.get("exit_code")
    if isinstance(signal, str) and signal:
        return one_line(signal)[:40]
    return f"exit {code}" if isinstance(code, int) else "ended"
