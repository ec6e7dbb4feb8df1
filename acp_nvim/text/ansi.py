"""Output of programs as text: colours, titles and cursor movements go, everything else is made visible."""

from __future__ import annotations

import re

from acp_nvim.text.printable import visible

_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor, erasing
    "|\\][^\x07\x1b]*+(?:\x07|\x1b\\\\)"  # OSC: titles, links
    "|[PX^_][^\x1b]*+\x1b\\\\"  # DCS, SOS, PM, APC
    "|[ -/]++[0-~]|[0-Z\\\\`-~]"  # character sets, keypad, save and restore
    ")"
)


def plain(text: str) -> str:
    """Lines of output without the sequences that a terminal would obey."""
    return _SEQUENCE.sub("", text).replace("\r\n", "\n") if "\x1b" in text or "\r" in text else text


def shown(line: str) -> str:
    """One line of a body: tabs stay, controls and bidirectional characters become visible."""
    return "\t".join(map(visible, line.split("\t"))) if "\t" in line else visible(line)
