"""Between a file's bytes and an editor's lines, byte for byte in both directions.

Whatever the bytes are, `encode(decode(data)) == data`: line ends are kept per line where they are mixed, bytes that
are no UTF-8 travel as surrogates, a BOM and a missing final newline are remembered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Text:
    """A file as lines without their ends, and how to put it together again."""

    lines: tuple[str, ...] = ()
    end: str = "\n"  # "\r\n" only if every line ends so
    final: bool = True  # the last line has its end
    bom: bool = False

    @property
    def whole(self) -> str:
        """The text as an agent sees it: with its own line ends, without the BOM."""
        return self.end.join(self.lines) + (self.end if self.final and self.lines else "")

    @property
    def is_utf8(self) -> bool:
        return not any(
            "\udc80" <= char <= "\udcff" for line in self.lines if not line.isascii() for char in line
        )


def decode(data: bytes) -> Text:
    bom = data.startswith(_BOM)
    text = data[len(_BOM) if bom else 0 :].decode("utf-8", "surrogateescape")
    return replace(split(text), bom=bom)


def split(text: str) -> Text:
    """Lines of a text that came as such, from an agent for instance."""
    if not text:
        return Text()
    newlines = text.count("\n")
    end = "\r\n" if newlines and text.count("\r\n") == newlines else "\n"
    lines = text.split(end)
    final = lines[-1] == ""
    return Text(tuple(lines[:-1] if final else lines), end, final)


def encode(text: Text) -> bytes:
    return (_BOM if text.bom else b"") + text.whole.encode("utf-8", "surrogateescape")
