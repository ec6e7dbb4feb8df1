r"""Converts the bytes of a file to lines and back, without loss.

    b"a\r\nb\r\n"   lines "a", "b"     end "\r\n"   every line ends in CRLF
    b"a\r\nb\n"     lines "a\r", "b"   end "\n"     mixed: a CR is part of its line
    b"a"            lines "a"          end "\n"     not final

Invariant: `encode(decode(data)) == data`, whatever the bytes are. Bytes that are not UTF-8 become surrogates. A BOM and
a missing final newline are remembered.
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
    # computed when first asked for
    _whole: list[str] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def whole(self) -> str:
        """Return the text as an agent sees it: with its own line ends, without the BOM."""
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
    """Split a text that is not read from a file: an agent's, for instance. `end`: the line end, if it is known."""
    if not text:
        return Text(end=end or "\n")
    end = end or _end(text)
    lines = text.split(end)
    final = lines[-1] == ""
    if final:
        del lines[-1]
    return Text(tuple(lines), end, final)


def in_format(text: str, end: str) -> Text:
    """Split an agent's text for a file whose lines end with `end`. Its LF line ends become that end."""
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
    """Return `limit` lines from `line` on, counted from 1, with their ends; None if there is no such line."""
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
    """Return the number of the first line, from 1, that differs."""
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
