"""A file has changed on disk under a loaded buffer: the buffer takes the change up, and keeps the user's own.

An unmodified buffer gets the disk's text. Into a modified one the change is merged in three ways, and the buffer
stays modified. Where both changed the same lines, nothing is done: somebody has to be asked. A disk that only echoes
what the agent has written through us takes nothing back of what the merge of then has kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import anyio
from anyio import to_thread

from acp_nvim.review.codec import Text, split
from acp_nvim.review.edits import Edit, edits
from acp_nvim.review.texts import as_text, join
from acp_nvim.serves import sight
from acp_nvim.serves.live import Live
from acp_nvim.serves.sight import Doer
from acp_nvim.serves.standing import Buffer, decoded

_MANY = 10_000  # lines: the editor is not to compare them all where the file's state says as much
_MOMENT = 0.1  # seconds
_TRIES = 10  # each finds a buffer or a disk that has changed once more


class Apart(NamedTuple):
    """Both sides merged as far as they go: they differ where the unsaved lines and the disk overlap."""

    mine: Text
    agents: Text
    disk: bytes
    buffer: str


class Missed(NamedTuple):
    """The buffer has not taken the disk's text up: it shows an older one."""

    why: str


NO_TEXT = Missed("it is no text in the buffer's encoding any more")
_RESTLESS = Missed("it changes faster than it can be read")


class Settled(NamedTuple):
    """What the user wants to have in the place of both."""

    apart: Apart
    text: str


class _Plan(NamedTuple):
    disk: Text
    changes: list[Edit]
    after: list[Edit]
    encoding: str
    before: tuple[str, ...] | None  # what the buffer would hold without the last change of the disk


async def bring(
    live: Live,
    lock: anyio.Lock,
    path: str,
    earlier: str | None,
    settled: Settled | None = None,
    by: Doer | None = None,
    echo: str | None = None,
    is_saved: bool = False,
    looked: sight.Stamp | None = None,
) -> Apart | Missed | None:
    """None: the buffer is in step with the disk, if there is one. `earlier`: what the disk held when we last looked.

    `lock` is that of the file: nobody else is kept while we wait for the user. `by`: who has changed the disk. `echo`:
    if that is what the disk holds, the buffer has taken it up before. `is_saved`: the user has saved the buffer after
    `earlier`.
    `looked`: how the file looked when it held `earlier`.
    """
    if settled and by:
        by = by._replace(own=sight.NOBODYS)
    tries = 0
    while tries < _TRIES:
        async with lock:
            buffer = await live.loaded(path)
            live.recognise(path, looked, earlier)
            found = await _try(live, buffer, path, earlier, settled, by, echo, is_saved) if buffer else None
        if not isinstance(found, str):
            return found
        if found == "locked" and buffer:
            await live.until_free(buffer)
        tries += found == "stale"
    return _RESTLESS


async def _try(
    live: Live,
    buffer: Buffer,
    path: str,
    earlier: str | None,
    settled: Settled | None,
    by: Doer | None,
    echo: str | None,
    is_saved: bool,
) -> Apart | Missed | str | None:
    """A text says why it has to be tried again."""
    data, stamp = await _read(path, surely=len(buffer.rows) > _MANY and buffer.encoding == "utf-8")
    if data is None:
        return None
    is_echo = echo is not None and split(buffer.decode(data)).lines == split(echo).lines
    base = echo if is_echo else _base(buffer, live, path, data, earlier)
    changed = None if is_echo or is_saved else earlier
    plan = await to_thread.run_sync(_plan, buffer, data, base, changed, settled, is_echo)
    if not isinstance(plan, _Plan):
        if live.origin(path) == data:
            live.doubt(path)
        return plan
    seen = stamp if plan.disk.end == "\n" and b"\0" not in data else None
    changes, disk = plan.changes, plan.disk
    why = await live.reload(path, buffer, changes, disk, plan.after, by, plan.encoding, seen, plan.before)
    if why is None:
        live.in_step(path, data)
    elif why not in ("stale", "locked"):
        return Missed(why)
    return why


async def _read(path: str, surely: bool) -> tuple[bytes | None, sight.Stamp | None]:
    """The stamp, where it would tell of all that happens to the file from now on."""
    stamp = sight.stamp(path) if surely else None
    rest = sight.settles_in(stamp) if stamp else 0.0
    if 0 < rest <= _MOMENT:
        await anyio.sleep(rest)
    data = await to_thread.run_sync(sight.content, path)
    return data, stamp if rest <= _MOMENT and stamp == sight.stamp(path) else None


def _base(buffer: Buffer, live: Live, path: str, data: bytes, earlier: str | None) -> str | None:
    """What the buffer was last in step with; None: nobody can tell. The editor tells late of changes in buffers that
    are not current: an origin that is just what the disk holds now may be younger than the unsaved lines."""
    origin = live.origin(path)
    if live.is_behind(path):
        return None
    if origin is None or (origin == data and earlier is not None):
        return earlier
    return buffer.decode(origin)


def _plan(
    buffer: Buffer,
    data: bytes,
    base: str | None,
    changed: str | None,
    settled: Settled | None,
    is_echo: bool,
) -> _Plan | Apart | Missed:
    encoding = buffer.fitting(data)
    text = buffer.decode(data) if encoding == buffer.encoding else decoded(data, encoding)
    now = as_text(text, _end(buffer, text))
    if not now.is_utf8:
        return NO_TEXT
    wanted = now
    if buffer.modified or is_echo:
        ours = replace(buffer.text, end=now.end)
        if settled and settled.apart.disk == data:
            joined = join(_with_end(settled.apart.buffer, now.end), ours, _with_end(settled.text, now.end))
        else:
            known = None if base is None else replace(split(base.removeprefix("\ufeff")), end=now.end)
            joined = join(known.whole if known else None, ours, now.whole)
        if joined.overlaps:
            return Apart(joined.ours, joined.theirs, data, ours.whole)
        wanted = joined.ours
    rows = list(now.lines) or [""]
    after = edits(rows, list(wanted.lines) or [""])
    before = _before(buffer, base, changed, now, wanted)
    return _Plan(now, edits(buffer.rows, list(now.lines)), after, encoding, before)


def _before(
    buffer: Buffer, base: str | None, changed: str | None, now: Text, wanted: Text
) -> tuple[str, ...] | None:
    """The lines that the last change of the disk has made `wanted` of; None: those of the buffer, perhaps.

    The buffer may be behind the disk: it has `a b`, a formatter has made `A b` of the file, an agent makes `A B` of
    that. Then the buffer becomes `A B`, and the agent has changed `A b`.
    """
    if changed is None:
        return None
    if wanted is now:
        return as_text(changed, now.end if now.end == "\r" else split(changed).end).lines
    was = as_text(changed, now.end)
    ours = replace(buffer.text, end=now.end)
    known = None if base is None else _with_end(base, now.end)
    ahead = join(known, ours, was.whole)
    if not ahead.overlaps:
        return ahead.ours.lines
    back = join(now.whole, replace(wanted, end=now.end), was.whole)
    return None if back.overlaps else back.ours.lines


def _end(buffer: Buffer, text: str) -> str:
    """Of the disk's lines: one that the user has chosen stays."""
    chosen = buffer.text.end == "\r" or any(row.endswith("\r") for row in buffer.rows)
    return buffer.text.end if chosen or "\n" not in text else split(text).end


def _with_end(text: str, end: str) -> str:
    """The same lines, ended as those that they are compared with."""
    return replace(split(text.removeprefix("\ufeff")), end=end).whole
