"""Filters a program's output for a terminal buffer: colours and cursor movements pass, other sequences do not.

The output is a stranger's. Other sequences could write the clipboard, set titles and modes, or ask for answers.
"""

from __future__ import annotations

import re

from acp_nvim import limits

_OBEYED = re.compile(r"\x1b\[[0-9;:]{0,64}[ABCDEFGHJKPXm]")
_SEQUENCE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*+[ -/]*+(?:[@-~]|(?P<open>\Z))?"  # CSI
    r"|[]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\|(?P<untold>\x1b?\Z))?"  # OSC, DCS, SOS, PM, APC
    r"|[ -/]*+(?:[0-Z\\`-~]|(?P<begun>\Z))?"  # character sets, keypad, save and restore
    ")"
    "|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)


class Colours:
    """Filters text as it comes. An unfinished sequence waits for its end."""

    def __init__(self) -> None:
        self._begun = ""

    def feed(self, text: str) -> str:
        text, self._begun = self._begun + text, ""
        return _SEQUENCE.sub(self._judge, text).replace("\r\n", "\n").replace("\n", "\r\n")

    def _judge(self, match: re.Match[str]) -> str:
        sequence = match.group()
        if match.lastgroup and len(sequence) <= limits.ESCAPE_SEQUENCE_BYTES:
            self._begun = sequence
        return sequence if _OBEYED.fullmatch(sequence) else ""
