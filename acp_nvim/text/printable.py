"""Makes an agent's text safe to show: characters that could deceive or disturb the reader become visible."""

from __future__ import annotations

import re

from acp_nvim import limits
from acp_nvim.text.bounded import short

# Nobody sees these, or they reorder others: controls and separators of lines (Unicode's Cc, Zl, Zp), format characters
# (Cf), all but the variation selectors that Unicode calls default-ignorable, and letters and symbols without ink.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # Zs, but for the space
_VARIANTS = "\ufe00-\ufe0f"  # behind an emoji they say how it is drawn
HIDDEN = re.compile(f"[{_UNSEEN}{_BLANKS}{_VARIANTS}]")
_HIDDEN_IN_PROSE = re.compile(f"[{_UNSEEN}]")
_GAP = re.compile(f"[ \t\r\n{_BLANKS}]+")


def _show(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return "^" + chr(code + 0x40)
    return "^?" if code == 0x7F else f"<{code:02x}>" if code < 0xA0 else f"<{code:04X}>"


def visible(text: str) -> str:
    """Show all characters that nobody sees as Vim shows controls: `^[`, `<202E>`. Two paths or commands never look the
    same because of one."""
    return HIDDEN.sub(_show, text)


def prose(text: str) -> str:
    """Return `visible` text whose blanks and emoji stay as they are written. For sentences, output and diffs."""
    return _HIDDEN_IN_PROSE.sub(_show, text)


def name_of(text: str) -> str:
    """Return an agent's name on one line, cut to what a bar or a menu has room for."""
    return short(one_line(text[: 2 * limits.NAME_CHARS]), limits.NAME_CHARS)


def one_line(text: str) -> str:
    """Return a name or a title for a line of ours: `visible`, and each gap is one blank. What we put between two names
    stands in none.

    "Later   2 ✗ No"  ->  "Later 2 ✗ No"
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return visible(_GAP.sub(" ", text).strip())
