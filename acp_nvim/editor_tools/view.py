"""Shows files to tools as the user sees them, and no more of them than the session may see."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import anyio

from acp_nvim.editor_tools import symbols
from acp_nvim.editor_tools.ask import patient
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.page import label
from acp_nvim.files import disk
from acp_nvim.files.boundary import Access
from acp_nvim.files.service import Files
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.session import Session
from acp_nvim.session.tool_paths import absolute, usable, within
from acp_nvim.text.text_file import split

_NOT_READ = "the user's settings let no agent read through the editor (fs.read): the lines are not shown"


@dataclass(slots=True)
class View:
    """What one call sees. Each file is read once."""

    session: Session
    files: Files
    reads: bool  # `fs.read`
    wait: float  # seconds for the user
    _texts: dict[str, tuple[str, str] | None] = field(default_factory=dict)  # with the line end

    def path(self, given: str) -> str:
        """Return the absolute path, symlinks unresolved."""
        if not usable(given):
            raise Failed("'path' is no path")
        return absolute(given, self.session.cwd)

    def name(self, path: str) -> str:
        """Return the path as answers show it: relative to the session's folder, if it lies there."""
        real = disk.resolve(path)
        home = disk.resolve(self.session.cwd)
        shown = path
        for place, folder in ((path, self.session.cwd), (real, home)):
            if within(place, folder) and place != folder:
                shown = os.path.relpath(place, folder)
                break
        return label(shown, real in self.files.documents.unsaved)

    def is_inside(self, path: str) -> bool:
        return self.files.boundary.is_inside(self.session, disk.resolve(path), path)

    def expect_reads(self) -> None:
        if not self.reads:
            raise Failed(_NOT_READ)

    async def admit(self, access: Access, path: str) -> None:
        """Wait until the session may have the path: outside its folders the user is asked."""
        try:
            with anyio.fail_after(self.wait):
                await self.files.boundary.admit(self.session, access, disk.resolve(path), path)
        except TimeoutError as error:
            raise Failed(f"the user has not allowed {path} yet: call again later") from error
        except RpcError as error:
            raise Failed(error.message) from error

    async def lines(self, path: str) -> tuple[str, ...]:
        """Return the lines that the user sees. Raise Failed if there is no such text."""
        found = await self.lines_or_none(path)
        if found is None:
            raise Failed(f"{self.name(path)} cannot be read: there is no such text file")
        return found

    async def lines_or_none(self, path: str) -> tuple[str, ...] | None:
        found = await self.text(path)
        return None if found is None else split(*found).lines

    async def line(self, path: str, number: int) -> str | None:
        """Return a line, as far as the session may see it."""
        if not self.reads or not self.is_inside(path):
            return None
        found = await self.lines_or_none(path) or ()
        return found[number - 1] if 0 < number <= len(found) else None

    async def symbol(self, wanted: dict[str, Any]) -> tuple[str, symbols.Place]:
        """Return the path and the place that the arguments name."""
        path = self.path(wanted["path"])
        return path, symbols.find(await self.lines(path), wanted, self.name(path))

    async def text(self, path: str) -> tuple[str, str] | None:
        """Return the text that the user sees, with its line end; None: there is no such text."""
        real = disk.resolve(path)
        if real not in self._texts:
            self._texts[real] = await self._read(real)
        return self._texts[real]

    async def _read(self, real: str) -> tuple[str, str] | None:
        try:
            async with patient(), self.files.lock(real):
                return await self.files.documents.read(real)
        except (RpcError, OSError):
            return None

    async def learn(self, path: str, first: int, last: int) -> None:
        """Note which lines the agent has read: its next write builds on them."""
        if found := await self.text(path):
            real, (text, end) = disk.resolve(path), found
            self.files.baselines.of(self.session).learn_lines(real, text, end, first, last - first + 1)
        self.files.tell_read(self.session, path, first)
