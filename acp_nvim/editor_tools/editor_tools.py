"""Gives each session the editor's tools: the entry that its agent is sent, and what carries out the calls."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from acp_nvim.agent import private_files
from acp_nvim.agent.settings import DEMO, AgentSpec, Settings
from acp_nvim.editor_tools import catalogue, sockets
from acp_nvim.editor_tools.endpoint import Endpoint
from acp_nvim.editor_tools.run_calls import CallRunner
from acp_nvim.editor_tools.server_entry import Entry, Records
from acp_nvim.session.own_tool import SERVER
from acp_nvim.session.session import Session

log = logging.getLogger(__name__)
_HINT = (
    f"Files with unsaved changes in the user's editor: read them with read_buffer of the MCP server {SERVER}."
)
_ARGUMENT = "--additional-mcp-config=@{}"  # of copilot, the only one that is known to take a server so


class EditorTools:
    """`hide` keeps a token out of logs, traces and transcripts from now on."""

    def __init__(
        self,
        runner: CallRunner,
        spawn: Callable[..., None],
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
        hide: Callable[[str], None],
    ) -> None:
        self._runner = runner
        self._spawn, self._say, self._touch, self._hide = spawn, say, touch, hide
        self._names: list[str] = []
        self._run: str | None = None
        self._records = Records()
        self._has_swept = False
        self._entries: WeakKeyDictionary[Session, Entry] = WeakKeyDictionary()  # for the life of the session
        self._endpoints: dict[Session, Endpoint] = {}
        self._forks: WeakKeyDictionary[Session, list[Session]] = WeakKeyDictionary()
        self._told: set[str] = set()  # warnings: the editor sends the configuration again and again
        self._processes: dict[object, tuple[Endpoint, str]] = {}  # with the file that names the entry

    def configure(self, settings: Settings, run: str | None, state: str | None) -> None:
        wanted = settings.editor_tools
        is_known = isinstance(wanted, bool | list)
        self._names, unknown = catalogue.chosen(wanted if is_known else True)
        if not is_known:
            self._warn_once("'editor_tools' must be true, false or a list of names: all tools are offered")
        elif unknown:
            self._warn_once(
                f"'editor_tools' names {', '.join(map(repr, unknown))}, which is no tool: left out"
            )
        self._run = run
        self._records.configure(state)
        self._runner.configure(settings)

    def _warn_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._say("warn", text)

    # --- as one of the servers of a session

    def deliver(self, session: Session, spec: AgentSpec, taken: set[str]) -> list[dict[str, Any]]:
        """Return our entry for the session's servers, if it gets one; `taken`: the names of the user's own."""
        if not self._names:
            self._become(session, "off")
        elif spec.mcp == "none":
            if spec is not DEMO:  # which has no model to call them
                self._warn_once(
                    f"{session.agent} gets no editor tools: it takes no MCP servers (:help acp_nvim-tools)"
                )
            self._become(session, "none")
        elif SERVER in taken:
            if session.tools.state != "own":
                self._say(
                    "warn",
                    f"your MCP server '{SERVER}' has the name of the editor's tools: these are left out",
                )
            self._become(session, "own")
        elif spec.mcp == "session":
            return self._in_session(session)
        return []

    def _in_session(self, session: Session) -> list[dict[str, Any]]:
        if endpoint := self._endpoints.get(session):
            return [endpoint.entry.in_session()]
        known = self._entries.get(session) or self._records.find(session.agent, session.memory)
        try:
            endpoint = self._serve(
                known or Entry.new(self._run), lambda: [session], lambda: self._callers(session)
            )
        except sockets.Taken:
            assert known
            self._become(session, "elsewhere")
            self._say("info", f"{session.agent} {session.number}: another Neovim serves its editor tools")
            self._hide(known.token)
            return [known.in_session()]
        except OSError as error:
            if known:  # its place cannot be used any more
                self._entries.pop(session, None)
                session.memory, memory = None, session.memory
                try:
                    return self._in_session(session)
                finally:
                    session.memory = memory
            self._become(session, "off")
            self._say("warn", f"the editor's tools are not served: {error.strerror or error}")
            return []
        self._entries[session], self._endpoints[session] = endpoint.entry, endpoint
        endpoint.tell("sent")
        return [endpoint.entry.in_session()]

    def _callers(self, session: Session) -> list[Session]:
        """Return whose call it is that comes over the session's server: kimi goes on with it in a fork."""
        forks = (fork for fork in self._forks.get(session, ()) if fork.in_turn and not fork.tools.is_reached)
        return [session] if session.in_turn else [next(forks, session)]

    def forked(self, parent: Session, fork: Session) -> None:
        self._forks.setdefault(parent, []).append(fork)

    def _serve(
        self, entry: Entry, sessions: Callable[[], list[Session]], callers: Callable[[], list[Session]]
    ) -> Endpoint:
        if not self._has_swept:
            self._has_swept = True
            sockets.sweep(self._run)
        self._hide(entry.token)
        endpoint = Endpoint(entry, list(self._names), sessions, callers, self._runner.run, self._touch)
        self._spawn(endpoint.run)
        return endpoint

    def _become(self, session: Session, state: Any) -> None:
        if session.tools.become(state, 0) and state != "off":
            session.events.add("AcpTools", **session.tools.shape())
            self._touch(session)

    def opened(self, session: Session) -> None:
        """Keep the entry with the session, whose id is known now."""
        entry = self._entries.get(session)
        if entry and session.id:
            try:
                self._records.keep(session.agent, session.id, entry)
            except OSError as error:
                log.warning("the tools of session %d cannot be kept: %s", session.number, error)

    def hint(self, session: Session) -> str:
        """Return what the agent's system prompt should say of the tools; empty: the session has none that matter."""
        endpoint = self._endpoints.get(session)
        return _HINT if endpoint and "read_buffer" in endpoint.names else ""

    def end(self, session: Session) -> None:
        """Stop serving a session that has left its agent, or whose agent has ended."""
        if endpoint := self._endpoints.pop(session, None):
            endpoint.close()
            if session.tools.is_reached:
                endpoint.tell("ended")

    # --- as an argument of a process

    def begin_process(
        self, process: object, spec: AgentSpec, sessions: Callable[[], list[Session]]
    ) -> list[str]:
        """Return the arguments by which an agent gets the server that takes none with its sessions."""
        if spec.mcp != "argument" or not self._names:
            return []
        entry = Entry.new(self._run)
        try:
            endpoint = self._serve(entry, sessions, sessions)
            file = f"{entry.address}.json"
            private_files.append(Path(file), entry.in_file().encode())
        except OSError as error:
            self._say("warn", f"the editor's tools are not served: {error.strerror or error}")
            return []
        self._processes[process] = endpoint, file
        return [_ARGUMENT.format(file)]

    def joined(self, process: object, session: Session) -> None:
        """A session has begun in a process that has got the server as an argument."""
        if process in self._processes and not session.tools.state:
            session.tools.is_argument = True
            endpoint, _ = self._processes[process]
            endpoint.tell("connected" if endpoint.is_connected else "sent")

    def end_process(self, process: object) -> None:
        if process in self._processes:
            endpoint, file = self._processes.pop(process)
            endpoint.close()
            Path(file).unlink(missing_ok=True)

    def close(self) -> None:
        """Stop serving, because the backend ends."""
        for session in list(self._endpoints):
            self._endpoints.pop(session).close()
        for process in list(self._processes):
            self.end_process(process)
