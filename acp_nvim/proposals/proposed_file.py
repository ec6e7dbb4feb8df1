"""Represents one file of a proposal: its text on disk, and what the agent wants to make of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anyio import to_thread

from acp_nvim.chat.tool_lines import relative
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.file_snapshot import Stamp, as_utf8, on_disk
from acp_nvim.files.service import Files
from acp_nvim.proposals.agent_change import AgentChange, Change, as_it_came, find_place
from acp_nvim.session import tool_paths
from acp_nvim.session.proposed_diffs import FileDiff, diffs, patch
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute
from acp_nvim.text.diff_cost import is_too_much
from acp_nvim.text.printable import visible
from acp_nvim.text.text_file import split
from acp_nvim.text.unified_patch import parse_patch

_NOT_UTF8 = "The file is not UTF-8 text: the change is shown as sent"


@dataclass(slots=True, eq=False)
class ProposedFile:
    path: str  # as it was named, symlinks unresolved
    changes: Sequence[Change]  # as the agent has sent them
    change: AgentChange
    disk: str | None = None  # None: no file, or none that is text
    is_outside: bool = False
    is_too_much: bool = False  # for Neovim to show as a diff
    stamp: Stamp | None = None  # of the file when it was read

    @property
    def is_stale(self) -> bool:
        """Whether the file has changed since it was read."""
        return file_snapshot.stamp(disk.resolve(self.path)) != self.stamp

    def payload(self, cwd: str) -> dict[str, Any]:
        """Return what the editor needs to build both sides from the live text."""
        change = self.change
        is_whole = len(self.changes) == 1 and self.changes[0].old == self.disk
        fragments = [] if is_whole else self.changes
        return {
            "path": self.path,
            "name": visible(os.path.basename(self.path)),
            "shown": visible(relative(self.path, cwd)),
            "disk": _plain(self.disk),
            "base": None if change.base == self.disk and not change.problem else _plain(change.base),
            "new": _plain(change.new),
            "changes": [
                {"old": _plain(old or ""), "new": _plain(new or ""), "everywhere": everywhere}
                for old, new, everywhere, _ in fragments
            ],
            "problem": change.problem or None,
            "outside": self.is_outside,
            "plain": self.is_too_much,
        }


def files_of(call: ToolCall, cwd: str) -> dict[str, list[Change]]:
    """Return the changes of each file, in the agent's order."""
    found = diffs(call, cwd)
    if not found and (text := patch(call)):
        given = tool_paths.named(call.locations, (), call.raw_input, cwd)
        found = [
            FileDiff(absolute(piece.path, cwd) if piece.path else given[0], piece.old, piece.new)
            for piece in parse_patch(text)
            if piece.path or given
        ]
    files: dict[str, list[Change]] = {}
    for diff in found:
        files.setdefault(diff.path, []).append(Change(*diff[1:]))
    return files


async def read(files: Files, session: Session, path: str, changes: list[Change]) -> ProposedFile:
    """Read the file, in a thread."""
    return await to_thread.run_sync(read_file, files, session, path, changes)


def read_file(files: Files, session: Session, path: str, changes: list[Change]) -> ProposedFile:
    real = disk.resolve(path)
    stamp = file_snapshot.stamp(real)
    is_outside = not files.boundary.is_inside(session, real, path)
    try:
        data = on_disk(real)
        changed = disk.changed(real) if data is not None else 0
    except OSError as error:
        problem = f"{error.strerror or error}: the change is shown as sent"
        return ProposedFile(path, changes, as_it_came(changes, problem), None, is_outside, stamp=stamp)
    text = None if data is None else as_utf8(data).removeprefix("\ufeff")
    if not is_utf8(text or ""):
        return ProposedFile(path, changes, as_it_came(changes, _NOT_UTF8), None, is_outside, stamp=stamp)
    belief = files.baselines.of(session).base(real, data, changed, as_utf8)
    change = find_place(text, belief if is_utf8(belief or "") else None, changes)
    plain = is_too_much(change.base, change.new)
    return ProposedFile(path, changes, change, text, is_outside, plain, stamp)


def is_utf8(text: str) -> bool:
    return not any("\udc80" <= char <= "\udcff" for char in text if char > "\x7f")


def _plain(text: str | None) -> str | None:
    """Return the text with the line ends of a buffer."""
    return None if text is None else replace(split(text.removeprefix("\ufeff")), end="\n").whole
