"""Where a file stands: its buffer as the editor has told it, what is on disk, and what both have made of it."""

from __future__ import annotations

import codecs
import contextlib
from typing import Any, NamedTuple, Self

from acp_nvim.review.codec import Text
from acp_nvim.serves import disk, sight
from acp_nvim.serves.sight import Stamp

_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}
_FORMATS = {end: name for name, end in _ENDS.items()}
# the editor's names of encodings that are others in Python, or mean something else there
_CODECS = {
    "utf-16": "utf-16-be",
    "utf-16le": "utf-16-le",
    "ucs-2": "utf-16-be",
    "ucs-2le": "utf-16-le",
    "ucs-4": "utf-32-be",
    "ucs-4le": "utf-32-le",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "ucs-4le"),
    (codecs.BOM_UTF32_BE, "ucs-4"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Buffer(NamedTuple):
    """A loaded buffer as the editor has told it."""

    look: dict[str, Any]  # what the editor has said of it, but the lines
    rows: list[str]  # as the editor counts them: an empty buffer has one
    text: Text
    is_left: bool = False  # by our own write, and nobody has looked since

    @classmethod
    def of(cls, look: dict[str, Any], rows: list[str]) -> Self:
        final = bool(look["final"])
        is_void = rows in ([], [""]) and not final
        shape = _ENDS[look["ff"]], final or is_void, bool(look["bomb"])
        return cls(look, rows, Text(() if is_void else tuple(rows), *shape))

    @property
    def number(self) -> int:
        return int(self.look["buf"])

    @property
    def tick(self) -> int:
        return int(self.look["tick"])

    @property
    def modified(self) -> bool:
        return bool(self.look["modified"])

    def is_saved_since(self, seen: Stamp | None) -> bool:
        """The user has written it after the file was looked at."""
        seconds, nanoseconds = self.look.get("written") or (0, 0)
        return seen is not None and seconds * 10**9 + nanoseconds > sight.changed(seen)

    @property
    def plain(self) -> bool:
        """Unmodified, in the encoding of the wire: the disk says the same."""
        return bool(self.look["plain"])

    @property
    def encoding(self) -> str:
        return self.look["fenc"] or "utf-8"

    @property
    def encodings(self) -> list[str]:
        """In which the editor would try to read the file anew."""
        return str(self.look.get("fencs") or "").split(",")

    def fitting(self, data: bytes) -> str:
        """The encoding of bytes that somebody else has written: of several that fit the first, as in the editor."""
        if self.encoding == "utf-8" or data.isascii():
            return self.encoding
        for name in self.encodings:
            if name == self.encoding:
                break
            if name == "ucs-bom":
                if marked := next((marked for bom, marked in _BOMS if data.startswith(bom)), None):
                    return marked
                continue
            with contextlib.suppress(LookupError, UnicodeDecodeError):
                decoded(data, name)
                return name
        return self.encoding

    def decode(self, data: bytes) -> str:
        """Bytes of its file; what has no meaning in its encoding is taken for UTF-8."""
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            return decoded(data, self.encoding)
        return as_utf8(data)

    @property
    def is_like_disk(self) -> bool:
        """Or older than it: without changes of its own."""
        return self.plain or not (self.modified or self.encoding == "utf-8" or not self._is_readable)

    @property
    def _is_readable(self) -> bool:
        """Its bytes tell us its text."""
        with contextlib.suppress(LookupError):
            return bool(codecs.lookup(_codec(self.encoding)))
        return False


class Standing(NamedTuple):
    """Where a file stands when a write comes: `text` is what both, the user and the disk, have made of it."""

    path: str
    text: Text
    buffer: Buffer | None = None
    disk: bytes | None = None
    apart: bool = False  # the user's unsaved lines and the disk overlap

    @property
    def shown(self) -> str | None:
        """What the user saw; None: there was no such file."""
        return self.buffer.text.whole if self.buffer else None if self.disk is None else self.text.whole

    def decode(self, data: bytes) -> str:
        """In the file's encoding, as far as there is one for it; else what is no UTF-8 comes as surrogates."""
        return self.buffer.decode(data) if self.buffer else as_utf8(data)


def shape(text: Text) -> dict[str, Any]:
    """How the editor is to put its lines together."""
    final = text.final and bool(text.lines)  # no line, no end
    return {"final": final, "bomb": text.bom, "ff": _FORMATS[text.end]}


def decoded(data: bytes, encoding: str) -> str:
    """`encoding` as the editor calls it."""
    return data.decode(_codec(encoding))


def _codec(encoding: str) -> str:
    return _CODECS.get(encoding, encoding)


def as_utf8(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def on_disk(path: str) -> bytes | None:
    try:
        return disk.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
