"""Draws a long prompt of the user: its first lines, and how many more there are."""

from __future__ import annotations

from acp_nvim.chat.splice import Mark, Row
from acp_nvim.session.entries import Entry, Message

_SHORT = 12  # lines


def is_long(entry: Entry | None) -> bool:
    """Whether an entry is a prompt that folds. One that the agent tells piece by piece may still grow, and does not."""
    return isinstance(entry, Message) and entry.is_whole and _lines(entry) > _SHORT


def _lines(prompt: Message) -> int:
    text = prompt.parts[0]
    return text.count("\n", 0, len(text.rstrip("\n"))) + 1


def by(entry: Entry) -> Mark:
    """Return the part of a mark that says whose words an entry is."""
    return {"by": "user"} if entry.speaker == "user" else {}


def prompt_rows(prompt: Message, is_open: bool) -> list[Row]:
    lines = prompt.parts[0].rstrip("\n").split("\n")
    mark = {"kind": "text", "key": prompt.key} | by(prompt)
    shown: list[Row] = [(line, None) for line in (lines if is_open else lines[: _SHORT - 1])]
    shown[0] = (shown[0][0], mark)
    if is_open:
        return shown
    more = len(lines) - len(shown)
    return [*shown, (f"… {more:,} more lines: za shows them", {**mark, "line_hl": "AcpNote"})]
