"""Serves one entry: its socket, the servers that the agent has started, and whose calls theirs are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import anyio

from acp_nvim import limits
from acp_nvim.editor_tools import sockets
from acp_nvim.editor_tools.mcp import Connection
from acp_nvim.editor_tools.server_entry import Entry
from acp_nvim.session.session import Session
from acp_nvim.session.tools_state import State

Run = Callable[["Endpoint", str, Any], Awaitable[dict[str, Any]]]


class Endpoint:
    """`sessions` are those that have got the entry: one, or all of a process that has got it as an argument. `callers`
    are those that a call may be of."""

    def __init__(
        self,
        entry: Entry,
        names: list[str],
        sessions: Callable[[], list[Session]],
        callers: Callable[[], list[Session]],
        run_call: Run,
        changed: Callable[[Session], None],
    ) -> None:
        self.entry, self.token, self.names = entry, entry.token, names
        self.sessions, self.callers = sessions, callers
        self._run_call, self._changed = run_call, changed
        self._connections: set[Connection] = set()
        self._initialized: list[Connection] = []
        self._listed = False
        self._room = anyio.Semaphore(limits.TOOL_CALLS)
        self._closed = anyio.Event()
        self._socket = sockets.listen(entry.address)

    @property
    def is_connected(self) -> bool:
        return bool(self._initialized)

    def tell(self, state: State) -> None:
        """Show how far the agent has come with it."""
        for session in self.sessions():
            if session.tools.become(state, len(self.names)):
                session.events.add("AcpTools", **session.tools.shape())
                self._changed(session)

    # --- its life

    async def run(self) -> None:
        """Serve until `close`. Nothing of it is left then."""
        try:
            async with anyio.create_task_group() as tasks:
                loop = asyncio.get_running_loop()

                def connected() -> Any:
                    connection = Connection(self, tasks)
                    self._connections.add(connection)
                    if len(self._connections) > limits.TOOL_SILENT_CONNECTIONS:
                        loop.call_soon(connection.close)
                    return connection

                server = await loop.create_unix_server(connected, sock=self._socket)
                try:
                    await self._closed.wait()
                finally:
                    server.close()
                    for connection in list(self._connections):
                        connection.close()
                    tasks.cancel_scope.cancel()
        finally:
            self.close()
            self._socket.close()

    def close(self) -> None:
        """Stop serving. The next one who serves the entry may have its address at once."""
        if not self._closed.is_set():
            self._closed.set()
            sockets.remove(self.entry.address)

    # --- what connections tell

    def admit(self, connection: Connection) -> bool:
        if connection not in self._initialized:
            if len(self._initialized) >= limits.TOOL_CONNECTIONS:
                return False
            self._initialized.append(connection)
        self.tell("connected" if self._listed else "started")
        return True

    def listed(self, connection: Connection) -> None:
        if not self._listed:
            self.tell("listed")
        self._listed = True
        self.tell("connected")

    def ended(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if connection in self._initialized:
            self._initialized.remove(connection)
            if not self._initialized:
                self.tell("ended")

    def tell_call(self, session: Session) -> None:
        """Show that there was one more call."""
        session.events.add("AcpTools", **session.tools.shape())
        self._changed(session)

    async def call(self, name: str, arguments: Any) -> dict[str, Any]:
        async with self._room:
            return await self._run_call(self, name, arguments)
