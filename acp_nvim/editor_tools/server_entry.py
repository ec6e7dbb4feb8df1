"""Makes the entry of our server in `mcpServers`, and keeps it with the session.

An agent compares the list when a session is loaded, so the session has one entry for its life: `load` sends the very
one that `new` has sent, in a later Neovim too.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.agent import private_files
from acp_nvim.editor_tools import sockets
from acp_nvim.session.own_tool import SERVER

_PROGRAM = str(Path(__file__).with_name("server.py"))
_TOKEN = "ACP_NVIM_TOKEN"


class Entry(NamedTuple):
    command: str
    args: list[str]
    token: str

    @classmethod
    def new(cls, run: str | None) -> Entry:
        python = os.path.abspath(sys.executable)
        return cls(python, ["-S", "-I", _PROGRAM, sockets.new_address(run)], secrets.token_hex(16))

    @property
    def address(self) -> str:
        return self.args[-1]

    def in_session(self) -> dict[str, Any]:
        """Return it as session/new sends it. Some agents fail without `env`, some know no `type`."""
        env = [{"name": _TOKEN, "value": self.token}]
        return {"name": SERVER, "command": self.command, "args": self.args, "env": env}

    def in_file(self) -> str:
        """Return the text of a file that an agent takes as an argument."""
        local = {"type": "local", "command": self.command, "args": self.args, "tools": ["*"]}
        return json.dumps({"mcpServers": {SERVER: {**local, "env": {_TOKEN: self.token}}}})


class Records:
    """A private file for each session, by its agent and the agent's id of it."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def configure(self, state: str | None) -> None:
        self._folder = Path(state) / "tools" if state else None

    def find(self, agent: str, session_id: str | None) -> Entry | None:
        """Return the entry that the session was begun with, as far as it can still be started."""
        if self._folder is None or not session_id:
            return None
        try:
            told = json.loads(self._path(agent, session_id).read_bytes())
            entry = Entry(str(told["command"]), [str(each) for each in told["args"]], str(told["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        is_there = (
            os.access(entry.command, os.X_OK) and len(entry.args) > 1 and os.path.isfile(entry.args[-2])
        )
        return entry if is_there and entry.token else None

    def keep(self, agent: str, session_id: str, entry: Entry) -> None:
        if self._folder is None:
            return
        private_files.folder(self._folder)
        path = self._path(agent, session_id)
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        private_files.append(fresh, json.dumps(entry._asdict()).encode())
        fresh.replace(path)
        self._prune()

    def _path(self, agent: str, session_id: str) -> Path:
        assert self._folder
        name = hashlib.sha256(f"{agent}\0{session_id}".encode(errors="replace")).hexdigest()
        return self._folder / f"{name[:32]}.json"

    def _prune(self) -> None:
        assert self._folder
        found = []
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):  # another Neovim prunes as well
                found.append((path.stat().st_mtime, path))
        for _, path in sorted(found, reverse=True)[limits.TOOL_RECORDS :]:
            path.unlink(missing_ok=True)
