"""Remembers what a file held when it was last read, and its stamp. Only regular text files up to a size are read."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, NamedTuple

from acp_nvim import limits
from acp_nvim.files import disk
from acp_nvim.files.call_run import LAG_NS, CallName
from acp_nvim.messages import review as messages
from acp_nvim.messages.review import AskedTexts, TypedLines
from acp_nvim.session.session import Session
from acp_nvim.text.text_file import split

Stamp = tuple[int, ...]
FileStamp = tuple[int, ...]  # as the editor sees a file: see `acp.Stamp`
UNSEEN: Stamp = (0,)  # the text is known, by git, and the file was not looked at
_MODE = 3  # where it stands in a stamp
_TRIES = 4  # to read a file that is being written

By = Literal["agent", "unknown", "one of two", "nobody"]  # nobody: it is no change of a session's


class Typed(NamedTuple):
    """What the user has typed where an agent's change was shown: it is no part of that change.

    left a b c, the agent proposes a B c, the user has made a B c U of that: mine is a b c U
    """

    left: str  # the text that was shown on the left
    mine: str

    @staticmethod
    def of(left: str | None, mine: str | None) -> Typed | None:
        """Return it; None: nothing was typed."""
        return None if mine is None or mine == left else Typed(left or "", mine)

    @property
    def shape(self) -> TypedLines:
        """Return it for a message to the editor."""
        return {"left": self.left, "mine": self.mine}


class Asked(NamedTuple):
    """What a question has shown, and the user has allowed: nobody has to decide on it again."""

    left: str  # the text that it was shown over, with what the user has typed
    decided: str
    option: str  # the name of the user's answer
    call: CallName  # the one that was asked about

    @property
    def shape(self) -> AskedTexts:
        """Return it for a message to the editor."""
        call: messages.CallName = {"id": self.call.id, "title": self.call.title}
        return {"left": self.left, "decided": self.decided, "option": self.option, "call": call}


class Ends(NamedTuple):
    """Line ends and last newline of a file, before and after a change: the lines of a buffer do not tell them."""

    given: str  # its path as it was named
    was_there: bool | None = None  # None: the editor will know
    was_final: bool = True  # its last line had a newline
    was_dos: bool = False  # its lines ended in CRLF
    is_final: bool | None = None  # its last line is the same, and has a newline now; None: it is another one

    @staticmethod
    def of(given: str, before: str | None, after: str) -> Ends:
        if before is None:
            return Ends(given, False)
        was, now = split(before), split(after)
        is_same = was.lines[-1:] == now.lines[-1:] != ()
        return Ends(given, True, was.final, was.end == "\r\n", now.final if is_same else None)


class ChangeAuthor(NamedTuple):
    """Who has changed a file, and in which turn: the session may be in its next one when that is found."""

    session: Session
    by: By
    turn: int
    typed: Typed | None = None  # what of the change is the user's
    ends: Ends | None = None  # of the file that is changed, where that is known
    call: CallName | None = None  # the command that has made the change
    other: tuple[Session, int] | None = None  # that turn may as well have made it
    mode: int | None = None  # of the file before
    # folders above it that were there before, with their modes, and those that the turn has made
    folders: tuple[tuple[str, int], ...] = ()
    made: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()  # what of it may be what the user has allowed

    @property
    def shape(self) -> dict[str, Any]:
        """Return it for a message to the editor, which keeps the changes under review."""
        by: dict[str, Any] = {"kind": self.by, "session": self.session.number, "turn": self.turn}
        if self.ends is not None:
            by |= self.ends._asdict()
        if self.call is not None:
            by["call"] = self.call._asdict()
        if self.other is not None:
            by["other"] = {"session": self.other[0].number, "turn": self.other[1]}
        if self.mode is not None:
            by["mode"] = self.mode
        if self.made:
            by["made"] = list(self.made)
        if self.asked:
            by["asked"] = [each.shape for each in self.asked]
        return by


class Unknown(Enum):
    TEXT = "there is a file, and nobody knows its text"


class Bytes(bytes):
    """What a file holds that is no text."""


class Link(NamedTuple):
    target: str


Held = str | Bytes | Link | Unknown | None  # None: nothing stands there
Content = tuple[Stamp | None, Held]


class DiskText(str):
    """The text of a file, without its byte order mark."""

    __slots__ = ("bom", "encoding")
    bom: bool
    encoding: Literal["utf-8", "latin1"]

    @classmethod
    def made(cls, text: str, bom: bool) -> DiskText:
        """Return the text of a file that we have written."""
        found = cls(text)
        found.bom, found.encoding = bom, "utf-8"
        return found

    @classmethod
    def of(cls, data: bytes) -> Held:
        """Decode bytes as Neovim does by default: what is not UTF-8 is latin1. What has a NUL then is no text, and
        remembered as it is up to a size."""
        try:
            text = cls(data.decode("utf-8-sig"))
            text.encoding = "utf-8"
        except UnicodeDecodeError:
            if b"\0" in data or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                return Bytes(data) if len(data) <= limits.WHOLE_FILE_BYTES else Unknown.TEXT
            text = cls(data.decode("latin1"))
            text.encoding = "latin1"
        text.bom = text.encoding == "utf-8" and data.startswith(codecs.BOM_UTF8)
        return text


@dataclass(slots=True)
class FileSnapshot:
    path: str  # as it was named, symlinks unresolved
    stamp: Stamp | None
    text: Held
    is_saved: bool = False  # the editor has written that text
    mode: int | None = None  # of the file when it was last there
    missed: str = ""  # why the buffer has not taken that text up
    shown: str | None = None  # if so, the disk's text that it was last in step with
    behind: tuple[Stamp | None, str] | None = (
        None  # what it held before a change that the buffer is about to take up
    )

    def begin(self, given: str, now: Stamp | None, text: Held) -> None:
        """Forget what an earlier turn knew of the file."""
        self.path, self.missed, self.shown, self.mode = given, "", None, None
        self.take(now, text)

    def take(self, now: Stamp | None, text: Held) -> None:
        self.mode = self.mode if mode(now) is None else mode(now)
        self.is_saved = False
        self.stamp, self.text, self.behind = now, text, None


def stamp(path: str) -> Stamp | None:
    """Return the stamp of a regular file or of a link, which differs after a change. The last part is the time of the
    change. The path is resolved but for its name: what a link leads to has a path of its own."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        return None
    place = status.st_dev, status.st_ino
    return *place, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns


def is_young(now: Stamp | None, since: int) -> bool:
    """Whether the file has changed since that time: it may change again and keep its stamp, so its bytes are read."""
    return now is not None and now[-1] + LAG_NS >= since


def changed(now: Stamp) -> int:
    """Return when the text last changed, in nanoseconds; 0 for UNSEEN."""
    return now[4] if now != UNSEEN else 0


def file_stamp(now: Stamp | None) -> FileStamp | None:
    """Return the stamp as the editor makes it of that file."""
    if not now or now == UNSEEN:
        return None
    return *divmod(changed(now), 10**9), size(now), now[1], *divmod(now[-1], 10**9)


def is_of_same_text(one: FileStamp | None, other: FileStamp) -> bool:
    """Whether the text was last written at the same time. The mode may have changed since."""
    return one is not None and one[:4] == other[:4]


def is_same_file(was: Stamp | None, now: Stamp | None) -> bool:
    """Whether the file holds what it held: it has its inode, its size and its time."""
    return was is not None and now is not None and was[:3] == now[:3] and changed(was) == changed(now)


def size(now: Stamp | None) -> int:
    return now[2] if now else 0


def is_link(now: Stamp | None) -> bool:
    return now is not None and now != UNSEEN and stat.S_ISLNK(now[_MODE])


def mode(now: Stamp | None) -> int | None:
    """Return the mode of a file; None where there is none."""
    return stat.S_IMODE(now[_MODE]) if now and now != UNSEEN and not is_link(now) else None


def text(path: str, most: int = limits.COMPARED_FILE_BYTES) -> Held:
    if is_link(now := stamp(path)):
        try:
            return Link(os.readlink(path))
        except OSError:
            return text(path, most)  # it is a link no longer
    data = content(path, most)
    return decoded(data) if data is not None or now is None else Unknown.TEXT


def look(path: str) -> Content:
    """Return a stamp and the text that the file had with it, where it is not written all the time. A file that is
    deleted meanwhile has neither.

    A newer text with the stamp of before would be taken for a change of that time, and for its author's.
    """
    for _ in range(_TRIES):
        now, found = stamp(path), text(path)
        if stamp(path) == now:
            break
    return None if found is None else now, found


def content(path: str, most: int = limits.COMPARED_FILE_BYTES) -> bytes | None:
    if size(now := stamp(path)) > most or now is None or is_link(now):
        return None
    try:
        return disk.look(path)
    except OSError:
        return None


def decoded(data: bytes | None) -> Held:
    return None if data is None else DiskText.of(data)


def raw(held: str | Bytes) -> bytes:
    """Return the bytes of a file."""
    if not isinstance(held, DiskText):
        return held if isinstance(held, Bytes) else held.encode()
    return codecs.BOM_UTF8 * held.bom + held.encode(held.encoding)


def as_utf8(data: bytes) -> str:
    """Decode bytes, those that are not UTF-8 to surrogates."""
    return data.decode("utf-8", "surrogateescape")


def as_text(data: bytes | None) -> str | None:
    return None if data is None else as_utf8(data).removeprefix("\ufeff")


def on_disk(path: str) -> bytes | None:
    """Return the bytes of a file; None if there is none."""
    try:
        return disk.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
