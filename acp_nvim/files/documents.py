"""Reads, writes and syncs files that the editor has loaded.

The editor owns their texts. It merges, applies and saves a write in one call, and takes up a change of the disk in
another: no copy of a buffer is kept here that could be stale.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.files import disk
from acp_nvim.files.file_snapshot import ChangeAuthor, DiskText, FileStamp, Typed, as_utf8
from acp_nvim.messages.documents import DocumentMerge, DocumentRead, DocumentSync, DocumentWrite
from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from acp_nvim.text.text_file import Text, split

log = logging.getLogger(__name__)
_PATIENCE = 0.3  # seconds in which an editor that is not waiting for its user has answered
# Seconds from one look of the editor at a file that was emptied to the next. Whoever writes a file empties it first.
_PAUSES = (0.01, 0.02, 0.04, 0.08, 0.16)
_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


class Document(NamedTuple):
    """A loaded file as the user sees it."""

    text: Text
    modified: bool
    encoding: str
    ahead: bool  # the disk holds something else than the buffer builds on

    def is_on_disk(self, text: object) -> bool:
        """Whether the disk holds what the buffer builds on; `text`: what it holds, if that is known.

        The stamp alone may be that of a file which an agent has written while the editor saved it.
        """
        is_other = isinstance(text, str) and not self.modified and text != self.text.whole
        return not self.ahead and not is_other

    def decode(self, data: bytes) -> str:
        """Decode bytes of the file. Bytes that its encoding does not have are decoded as UTF-8."""
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            return data.decode(self.encoding)
        return as_utf8(data)


class Known(NamedTuple):
    """What the disk held when it was last read. What it holds beyond that is the agent's, or all `others`'."""

    text: str | None  # None: it is as it was, and the stamp tells
    stamp: FileStamp | None = None
    # of the file that an open question is about: what was saved since is the user's
    asked: FileStamp | None = None
    others: bool = False  # no call of an agent can have changed it since

    @property
    def shape(self) -> dict[str, Any]:
        stamps = {"stamp": self.stamp, "asked": self.asked}
        shape: dict[str, Any] = {name: list(stamp) for name, stamp in stamps.items() if stamp}
        text = {} if self.text is None else {"text": self.text}
        return text | shape | ({"others": True} if self.others else {})


class DecidedBase(NamedTuple):
    """The base of a write on which the user has decided: some agents write the disk as well, at the same time.

    Whether the disk has the proposal already is looked at when the text is merged, not before.
    """

    left: str  # the text that the decision is about
    right: str  # that with the whole proposal: the base where the agent has written it before us
    proposed: frozenset[str]  # what the disk may hold then

    def on(self, disk: str) -> str:
        return self.right if disk in self.proposed else self.left


# What a write builds on: a text, bytes in the encoding of the file, or what the user has decided; None: unknown.
Base = str | bytes | DecidedBase | None


class Overlap(NamedTuple):
    """Both sides have changed the same lines: `mine` and `agents` are the merge, each with one side's lines there."""

    mine: str
    agents: str
    live: str  # what the decision is about
    disk: FileStamp | None = None  # of the file that was looked at
    disk_text: str = ""
    apart: bool = False  # unsaved lines and the disk overlap
    coarse: bool = False  # a side has changed too much to be compared line by line


class Settled(NamedTuple):
    """The user's decision about an overlap."""

    overlap: Overlap
    text: str
    typed: Typed | None = None


class Written(NamedTuple):
    text: DiskText  # as it was saved
    before: DiskText | None  # as the user saw it; None: there was no file


class Locked(NamedTuple):
    """The buffer cannot be changed until the user has finished a command. `over` is set then."""

    why: str
    over: anyio.Event


class Missed(NamedTuple):
    """The buffer was not written, or has not taken up the disk's text."""

    why: str
    broken: bool = False  # the file was touched, and does not hold the text


class NotLoaded:
    """No buffer holds the file."""


class Gone(NotLoaded):
    """A buffer holds the file, which was deleted in the meantime."""


class Documents:
    """Calls the editor. `unsaved`: files with unsaved changes in a buffer, as the editor has told."""

    def __init__(self, editor: Editor) -> None:
        self.autocmds = True
        self.unsaved: set[str] = set()
        self.open: set[str] = set()  # files that were loaded when the editor was last asked about them
        self._editor = editor
        self._locked: dict[str, anyio.Event] = {}

    def modified(self, path: str, is_modified: bool) -> None:
        """Note whether a loaded buffer has unsaved changes."""
        (self.unsaved.add if is_modified else self.unsaved.discard)(disk.resolve(path))

    def unlocked(self, path: str) -> None:
        """Wake the writes that waited for the user to finish a command in the file."""
        if event := self._locked.pop(path, None):
            event.set()

    def wake(self) -> None:
        """Wake all waiting writes, so that each sees whether its turn is over."""
        for path in list(self._locked):
            self.unlocked(path)

    # --- reading

    async def loaded(self, path: str) -> Document | None:
        """Return the loaded file with its text; None if no buffer holds it."""
        said = await self._editor.call(DocumentRead(path, True))
        self._seen(path, said)
        return _document(said) if said else None

    async def read(self, path: str) -> tuple[str, str]:
        """Return the text and its line end. If the editor is busy, a file without unsaved changes is read from disk."""
        if path not in self.unsaved:
            with anyio.move_on_after(_PATIENCE):
                return await self._read(path)
            with contextlib.suppress(UnicodeDecodeError):
                return _from_disk(path)
        return await self._read(path)

    async def _read(self, path: str) -> tuple[str, str]:
        said = await self._editor.call(DocumentRead(path, False))
        self._seen(path, said)
        if said and not said.get("plain"):
            return sendable(said["text"], path), _ENDS[said["ff"]]
        try:
            return _from_disk(path)
        except UnicodeDecodeError as error:
            raise not_text(path) from error

    def _seen(self, path: str, is_loaded: object) -> None:
        (self.open.add if is_loaded else self.open.discard)(path)

    # --- writing

    async def write(
        self,
        path: str,
        base: Base,
        text: str,
        by: ChangeAuthor,
        known: Known | None = None,
        settled: FileStamp | None = None,
    ) -> Written | Overlap | Locked | Missed | NotLoaded:
        """Merge `text` into the buffer and save it. `base`: what the agent believes the file to hold, or the bytes
        that it builds on. `settled`: the file that the user was asked about."""
        request: dict[str, Any] = {"path": path, "text": text, "by": by.shape, "autocmds": self.autocmds}
        if isinstance(base, DecidedBase):
            request["proposed"] = {"texts": sorted(base.proposed), "right": base.right}
            base = base.left
        if base is not None:
            request["base" if isinstance(base, str) else "base_bytes"] = _chars(base)
        if known:
            request["known"] = known.shape
        if settled:
            request["settled"] = list(settled)
        if by.typed:
            request["typed"] = by.typed.shape
        over = self._about_to_ask(path)
        said = await self._editor.call(DocumentWrite(request))
        if said.get("no_folder"):
            disk.make_parents(path)
            said = await self._editor.call(DocumentWrite(request))
        found = self._answer(path, said, over)
        if found is not None:
            return found
        if "warning" in said:
            log.warning("%s was written, but: %s", path, said["warning"])
        saved, before = str(said.get("text", text)), str(said.get("before", base))
        had_bom, has_bom = bool(said.get("had_bom")), bool(said.get("has_bom"))
        return Written(DiskText.made(saved, has_bom), DiskText.made(before, had_bom))

    async def sync(
        self,
        path: str,
        by: ChangeAuthor,
        known: Known | None,
        settled: Settled | None = None,
        echoes: tuple[str, ...] = (),
        is_over: Callable[[], bool] = bool,
    ) -> Overlap | Locked | Missed | NotLoaded | None:
        """Let the buffer take up what the disk holds. None: both agree. `echoes`: what an agent's write through us may
        have made of the disk as well; the buffer has it already. A file that was emptied has a third of a second to be
        written, or until it `is_over` with those who write."""
        request: dict[str, Any] = {"path": path}
        if by.by != "nobody":
            request["by"] = by.shape
        if known:
            request["known"] = known.shape
        if echoes:
            request["echoes"] = list(echoes)
        if by.typed:
            request["typed"] = by.typed.shape
        if settled:
            about = settled.overlap
            request["settled"] = {"live": about.live, "text": settled.text, "disk": list(about.disk or ())}
        over = self._about_to_ask(path)
        for pause in (*_PAUSES, 0):
            request["waits"] = pause > 0 and not is_over()
            said = await self._editor.call(DocumentSync(request))
            if "emptied" not in said:
                break
            await anyio.sleep(pause)
        return self._answer(path, said, over)

    def _about_to_ask(self, path: str) -> anyio.Event:
        """Return the event for "unlocked", made before the call: that message may come before the answer is read."""
        return self._locked.setdefault(path, anyio.Event())

    async def merge(self, base: str | None, mine: str, theirs: str) -> str | Overlap:
        """Merge the texts of a file that is not loaded."""
        said = await self._editor.call(DocumentMerge(base, mine, theirs))
        if "text" in said:
            return str(said["text"])
        return Overlap(said["mine"], said["agents"], mine, coarse=bool(said.get("coarse")))

    def _answer(
        self, path: str, said: dict[str, Any], over: anyio.Event
    ) -> Overlap | Locked | Missed | NotLoaded | None:
        self._seen(path, not said.get("not_loaded"))
        if said.get("not_loaded"):
            return NotLoaded()
        if said.get("gone"):
            self.unlocked(path)
            return Gone()
        if "locked" in said:
            return Locked(said["locked"], over)
        self.unlocked(path)
        if "refused" in said or "missed" in said:
            return Missed(said.get("refused") or said["missed"], bool(said.get("broken")))
        if about := said.get("overlap"):
            stamp = tuple(about["disk"]) if about.get("disk") else None
            mine, agents, live = (sendable(about[side], path) for side in ("mine", "agents", "live"))
            is_apart, is_coarse = bool(about.get("apart")), bool(about.get("coarse"))
            return Overlap(mine, agents, live, stamp, about.get("disk_text", ""), is_apart, is_coarse)
        return None


def _document(said: dict[str, Any]) -> Document:
    text = split(said["text"], _ENDS[said["ff"]])
    return Document(text, bool(said["modified"]), said["fenc"] or "utf-8", bool(said["ahead"]))


def _chars(data: str | bytes) -> str:
    """Return bytes as UTF-8 text for a message, invalid ones as surrogates."""
    return data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")


def _from_disk(path: str) -> tuple[str, str]:
    return disk.read(path).decode("utf-8").removeprefix("\ufeff"), "\n"


def sendable(text: str, path: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise not_text(path) from error
    return text


def not_text(path: str) -> RpcError:
    return RpcError(INTERNAL_ERROR, f"{path} is not UTF-8 text")
