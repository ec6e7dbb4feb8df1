"""Makes an agent's text safe to show: characters that could deceive or disturb the reader become visible."""

from __future__ import annotations

import re

from acp_nvim import limits
from acp_nvim.text.bounded import short

# C0 and C1 controls; bidirectional marks and overrides; separators, fillers and tags that nobody sees.
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)

_BREAKS = re.compile(r"\r\n|[\r\n\t]")


def _show(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return "^" + chr(code + 0x40)
    return "^?" if code == 0x7F else f"<{code:02x}>" if code < 0xA0 else f"<{code:04X}>"


def visible(text: str) -> str:
    """Show control and bidirectional characters as Vim does: `^[`, `<202E>`."""
    return HIDDEN.sub(_show, text)


def name_of(text: str) -> str:
    """Return an agent's name on one line, cut to what a bar or a menu has room for."""
    return short(one_line(text[: 2 * limits.NAME_CHARS]), limits.NAME_CHARS)


def one_line(text: str) -> str:
    """Return `visible` text with line breaks and tabs as spaces."""
    if text.isascii() and text.isprintable():
        return text.strip()
    return visible(_BREAKS.sub(" ", text).strip())
