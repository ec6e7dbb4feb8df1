"""The files of a proposal as they are and as they would become: what is on the two sides of a diff."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from anyio import to_thread

from acp_nvim.review.codec import split
from acp_nvim.review.edits import edits
from acp_nvim.review.proposed import Proposed, parse_patch, propose_all
from acp_nvim.serves import disk
from acp_nvim.serves.files import Files
from acp_nvim.serves.standing import as_utf8, on_disk
from acp_nvim.session import tool_paths
from acp_nvim.session.proposed_diffs import FileDiff, diffs, patch
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute
from acp_nvim.text.printable import one_line

_MOST_UNSAVED = 1000  # lines that are marked


@dataclass(slots=True, eq=False)
class Page:
    """One file. `text` is what the user has made of the right side, as the editor has its lines."""

    path: str  # as it was named, symlinks unresolved
    proposed: Proposed
    disk: str | None = None
    written: frozenset[str | None] = field(default_factory=frozenset)  # what the disk may hold afterwards
    is_loaded: bool = False
    is_outside: bool = False
    is_decided: bool = False
    text: str | None = None
    unsaved: Sequence[
        int
    ] = ()  # rows of the left side that the user has not saved, and that the right one replaces

    @property
    def name(self) -> str:
        return one_line(os.path.basename(self.path))


def named(call: ToolCall, cwd: str) -> dict[str, list[FileDiff]]:
    """What is to become of each file, in the agent's order."""
    found = diffs(call, cwd)
    if not found and (text := patch(call)):
        given = tool_paths.named(call.locations, (), call.raw_input, cwd)
        found = [
            FileDiff(absolute(piece.path, cwd) if piece.path else given[0], piece.old, piece.new)
            for piece in parse_patch(text)
            if piece.path or given
        ]
    files: dict[str, list[FileDiff]] = {}
    for diff in found:
        files.setdefault(diff.path, []).append(diff)
    return files


async def pages(files: Files, session: Session, call: ToolCall) -> list[Page]:
    wanted = named(call, session.cwd)
    return [await _page(files, session, path, changes) for path, changes in wanted.items()]


async def _page(files: Files, session: Session, path: str, changes: list[FileDiff]) -> Page:
    real = disk.resolve(path)
    try:
        data = await to_thread.run_sync(on_disk, real)
        buffer = await files.live.loaded(real)
        changed = disk.changed(real) if data is not None else 0
    except OSError as error:
        return Page(path, as_it_came(changes, f"{error.strerror or error}: shown as it came"))
    decode = buffer.decode if buffer else as_utf8
    base = files.beliefs(session).base(real, data, changed, decode)
    held = None if data is None else decode(data).removeprefix("\ufeff")
    live = buffer.text.whole if buffer else held
    if any("\udc80" <= char <= "\udcff" for char in (held or "") if char > "\x7f"):
        return Page(path, as_it_came(changes, "The file is not UTF-8 text: shown as it came"))
    made, written = await to_thread.run_sync(_propose, live, held, base, changes)
    unsaved = await to_thread.run_sync(_unsaved, made, held) if buffer and buffer.modified else ()
    outside = not files.boundary.is_inside(session, real, path)
    return Page(path, made, held, written, bool(buffer) and made.fits, outside, unsaved=unsaved)


def _propose(
    live: str | None, held: str | None, belief: str | None, found: list[FileDiff]
) -> tuple[Proposed, frozenset[str | None]]:
    changes = [(diff.old, diff.new) for diff in found]
    made = propose_all(live, held, belief, changes)
    if live is None and not made.fits:  # there is a text that it was made for
        return as_it_came(found, made.problem), frozenset()
    alone = made if live == held else propose_all(held, held, belief, changes)
    written = {alone.right} if alone.fits else set()
    if len(changes) == 1 and made.whole:
        written.add(changes[0][1])
    return made, frozenset(written)


def _unsaved(made: Proposed, held: str | None) -> list[int]:
    """Rows of the live text that the disk has not, and that the proposal replaces.

    disk       live      proposed      rows
    a          a         a
    b          mine      B             1
    c          c         C                   (the user has not touched it)
    d          also      also                (the agent leaves it)
    """
    if not made.fits or made.left is None or made.left == held:
        return []
    before, live, after = (list(split(text or "").lines) for text in (held, made.left, made.right))
    mine, shift = set[int](), 0
    for first, last, new in edits(before, live):
        mine.update(range(first + shift, first + shift + len(new)))
        shift += len(new) - (last - first)
    gone = (row for edit in edits(live, after) for row in range(edit.first, edit.last))
    return [row for row in gone if row in mine][:_MOST_UNSAVED]


def as_it_came(changes: Iterable[FileDiff], problem: str) -> Proposed:
    """The agent's own texts, where nothing can be said of the file."""
    changes = list(changes)
    old = [change.old for change in changes if change.old is not None]
    new = [change.new for change in changes if change.new is not None]
    left, right = ("\n".join(side) if side else None for side in (old, new))
    return Proposed(left, right, False, problem, False)
