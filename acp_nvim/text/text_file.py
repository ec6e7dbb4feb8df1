"""Converts a file's bytes to an editor's lines and back, byte for byte.

Whatever the bytes are, `encode(decode(data)) == data`: line ends are kept per line where they are mixed, bytes that
are no UTF-8 travel as surrogates, a BOM and a missing final newline are remembered.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Text:
    """A file as lines without their ends, and how to put it together again."""

    lines: tuple[str, ...] = ()
    end: str = "\n"  # "\r\n" only if every line ends so
    final: bool = True  # the last line has its end
    bom: bool = False
    # once it was asked for
    _whole: list[str] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def whole(self) -> str:
        """The text as an agent sees it: with its own line ends, without the BOM."""
        if not self._whole:
            last = ("",) if self.final and self.lines else ()
            self._whole.append(self.end.join((*self.lines, *last)))
        return self._whole[0]

    @property
    def is_utf8(self) -> bool:
        return not any(
            "\udc80" <= char <= "\udcff" for line in self.lines if not line.isascii() for char in line
        )


def decode(data: bytes) -> Text:
    bom = data.startswith(_BOM)
    text = data[len(_BOM) if bom else 0 :].decode("utf-8", "surrogateescape")
    return replace(split(text), bom=bom)


def split(text: str, end: str = "") -> Text:
    """Lines of a text that came as such, from an agent for instance. `end`: of the lines, if it is known."""
    if not text:
        return Text(end=end or "\n")
    end = end or _end(text)
    lines = text.split(end)
    final = lines[-1] == ""
    if final:
        del lines[-1]
    return Text(tuple(lines), end, final)


def in_format(text: str, end: str) -> Text:
    """A text as lines, in a file whose lines end with `end`: lines that end in LF are meant alike."""
    bom = text.startswith("\ufeff")
    body = text[1:] if bom else text
    if end != "\n":
        body = body.replace("\r\n", "\n")
    if end == "\r":
        body = body.replace("\r", "\n")
    lines = body.split("\n") if body else []
    final = not lines or lines[-1] == ""
    return Text(tuple(lines[:-1] if final else lines), end, final, bom)


def section(text: str, end: str, line: int | None, limit: int | None) -> str | None:
    """`limit` lines from `line` on, counted from 1, with their ends; None if there is no such line."""
    first = max(line or 1, 1)
    if first == 1 and limit is None:
        return text
    lines = text.split(end)
    total = max(1, len(lines) - (lines[-1] == ""))
    if first > total:
        return None
    last = total if limit is None else min(total, first - 1 + limit)
    picked = lines[first - 1 : last]
    return end.join(picked) + (end if picked and last < len(lines) else "")


def first_change(before: str, after: str) -> int:
    """The first line, from 1, that is not as it was."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return 1 + before.count("\n", 0, low)


def _end(text: str) -> str:
    if "\r" not in text:
        return "\n"
    newlines = text.count("\n")
    return "\r\n" if newlines and text.count("\r\n") == newlines else "\n"


def encode(text: Text) -> bytes:
    return (_BOM if text.bom else b"") + text.whole.encode("utf-8", "surrogateescape")
