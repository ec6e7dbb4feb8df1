"""What the client offers every agent: files and terminals, and what follows from their use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from acp_nvim.agent.process import environment
from acp_nvim.agent.settings import Settings
from acp_nvim.editor.interface import Editor
from acp_nvim.protocol import methods
from acp_nvim.serves.files import Files
from acp_nvim.serves.ledger import Entry
from acp_nvim.serves.terminals import Terminals
from acp_nvim.session.session import Session

Serve = Callable[[Entry, Session], Awaitable[Any]]


class Services:
    def __init__(
        self,
        editor: Editor,
        spawn: Callable[..., None],
        touch: Callable[[Session], None],
        groups_changed: Callable[[], None],
    ) -> None:
        self._settings = Settings()
        self._touch = touch
        self.loaded: list[
            str
        ] = []  # the files in the editor's buffers, resolved, when a prompt was last sent
        self.files = Files(editor, self)
        self.terminals = Terminals(editor, environment, spawn, self._terminal_grew, groups_changed)

    def configure(self, settings: Settings) -> None:
        self._settings = settings
        self.files.configure(str(settings.fs.get("outside", "ask")), settings.fs.get("autocmds") is not False)

    @property
    def offer(self) -> dict[str, Any]:
        """Our capabilities: what works and is switched on."""
        fs, terminal = self._settings.fs, self._settings.terminal
        return methods.client_capabilities(
            read=fs.get("read") is not False,
            write=fs.get("write") is not False,
            terminal=terminal,
            terminal_output=True,
            notices=True,
            compaction=True,
        )

    @property
    def serve(self) -> dict[str, Serve]:
        files: dict[str, Serve] = {
            "fs/read_text_file": self.files.read,
            "fs/write_text_file": self.files.write,
        }
        return {**files, **self.terminals.serve}

    def begin_turn(self, session: Session) -> None:
        """The last moment before the agent can change anything."""
        self.files.at_turn_start(session, self.loaded)

    def end(self, session: Session) -> None:
        """Its agent is gone, or it lives there no longer."""
        self.terminals.close_session(session)
        self.files.forget(session)

    # --- what files and terminals tell

    def touch(self, session: Session) -> None:
        self._touch(session)

    def on_read(self, session: Session, path: str, line: int | None) -> None:
        session.follow.touch(path, line)
        session.tell("AcpFileRead", path=path)
        self._touch(session)

    def on_written(self, session: Session, path: str, before: str | None, after: str) -> None:
        session.follow.touch(path, _first_change(before or "", after))
        session.tell("AcpFileWritten", path=path)
        self._touch(session)

    def _terminal_grew(self, session: Session, terminal_id: str) -> None:
        session.transcript.touch_terminal(terminal_id)
        self._touch(session)


def _first_change(before: str, after: str) -> int:
    """The first line, from 1, that is not as it was."""
    old, new = before.split("\n"), after.split("\n")
    same = next((row for row, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None)
    return 1 + (min(len(old), len(new)) - 1 if same is None else same)
