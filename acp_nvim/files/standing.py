"""Tells what has changed at a path where lines do not tell it: a mode, line ends, a byte order mark, a link, bytes that
are no text, an empty file.

before          after             lines       without lines
a text          another text      a diff
a text          the same text                 mode 644 → 755
a text          the same lines                line ends LF → CRLF, BOM added
nothing         an empty file                 new, empty
bytes           other bytes                   binary, 12 → 9 KB
link to a.txt   link to b.txt                 link a.txt → b.txt

What has no lines is decided as a whole. So is a text in the place of a link, or one that is a text no longer. What is
too large to be put back is left to those who say that its earlier text is unknown.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.files.file_snapshot import Bytes, DiskText, Held, Link, Unknown, as_utf8, raw
from acp_nvim.messages.review import Format, Standing
from acp_nvim.text.text_file import split


class FormatChange(NamedTuple):
    """A text has other line ends, or a byte order mark came or went."""

    before: Format
    after: Format
    has_lines: bool  # lines have changed, too

    @staticmethod
    def of(before: Held, after: Held) -> FormatChange | None:
        """Return it; None: there is none. A text without a line end may be of either kind."""
        if not (isinstance(before, DiskText) and isinstance(after, DiskText)):
            return None
        if before.bom == after.bom and "\r" not in before and "\r" not in after:
            return None
        was, now = split(before), split(after)
        was_end = was.end if "\n" in before else now.end
        now_end = now.end if "\n" in after else was_end
        if (was_end, before.bom) == (now_end, after.bom):
            return None
        has_lines = (was.lines, was.final) != (now.lines, now.final)
        return FormatChange(_format(was_end, before.bom), _format(now_end, after.bom), has_lines)


def _format(end: str, bom: bool) -> Format:
    if end == "\r\n":
        return "CRLF BOM" if bom else "CRLF"
    return "LF BOM" if bom else "LF"


def is_whole(before: Held, after: Held) -> bool:
    """Whether the change of what stands there has no lines."""
    is_large = any(isinstance(held, str) and len(held) > limits.WHOLE_FILE_BYTES for held in (before, after))
    if before == after or is_large or Unknown.TEXT in (before, after):
        return False
    if isinstance(before, str) and before:
        return isinstance(after, Bytes)
    if isinstance(after, str) and after:
        return isinstance(before, Bytes | Link)
    return True


def shape_of(held: Held, mode: int | None, format: Format | None = None) -> Standing:
    """Return it for a message to the editor."""
    if held is None:
        return {"kind": "nothing", "mode": None}
    if isinstance(held, Link):
        return {"kind": "link", "mode": None, "target": held.target}
    if isinstance(held, Unknown):
        return {"kind": "file", "mode": mode, "format": format} if format else {"kind": "file", "mode": mode}
    return {
        "kind": "binary" if isinstance(held, Bytes) else "text",
        "mode": mode,
        "data": as_utf8(raw(held)),
    }
