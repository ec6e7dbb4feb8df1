"""Converts program output to text: escape sequences are removed, other control characters made visible."""

from __future__ import annotations

import re

from acp_nvim.text.printable import prose

_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor, erasing
    "|\\][^\x07\x1b]*+(?:\x07|\x1b\\\\)"  # OSC: titles, links
    "|[PX^_][^\x1b]*+\x1b\\\\"  # DCS, SOS, PM, APC
    "|[ -/]++[0-~]|[0-Z\\\\`-~]"  # character sets, keypad, save and restore
    ")"
)


def plain(text: str) -> str:
    """Return the lines of output without escape sequences."""
    return _SEQUENCE.sub("", text).replace("\r\n", "\n") if "\x1b" in text or "\r" in text else text


def shown(line: str) -> str:
    """Return one line of a body: tabs stay, control and bidirectional characters become visible."""
    return "\t".join(map(prose, line.split("\t"))) if "\t" in line else prose(line)
