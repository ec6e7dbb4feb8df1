"""Draws a run of finished calls: one line that says what they did, and where it is unfolded theirs below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from acp_nvim.chat.icon_mark import icon_mark, indented
from acp_nvim.chat.phrases import long_duration
from acp_nvim.chat.splice import Row
from acp_nvim.session.entries import Entry, Thought
from acp_nvim.session.tool_call import ToolCall

_INDENT = 2  # columns


def row(entries: Sequence[Entry], is_open: bool) -> Row:
    """Return the line of a run, such as `read 6 files · searched 2×`."""
    calls = [entry for entry in entries if isinstance(entry, ToolCall)]
    mark = icon_mark("run", entries[0].key, "▾ ✓ " if is_open else "▸ ✓ ", "AcpDone")
    mark["line_hl"] = "AcpNote"
    thought = sum((each.ended or 0) - each.started for each in entries if isinstance(each, Thought))
    took = sum(call.took or 0.0 for call in calls)
    said = [f"thought for {long_duration(thought)}"] if long_duration(thought) else []
    if told := long_duration(took):
        mark["eol"] = [[told, "AcpTime"]]
    return " · ".join([*_deeds(calls), *said]), mark


def _deeds(calls: Iterable[ToolCall]) -> Iterable[str]:
    kinds = Counter(call.kind for call in calls)
    files = {call.locations[0].path if call.locations else call.id for call in calls if call.kind == "read"}
    for kind, count in kinds.items():
        match kind:
            case "read":
                yield f"read {_counted(len(files), 'file')}"
            case "search":
                yield f"searched {count}×"
            case "fetch":
                yield f"fetched {_counted(count, 'page')}"
            case _:
                yield f"ran {_counted(count, 'command')}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def below(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a call below the line of its run."""
    return [(text, indented(mark, _INDENT) if mark and "icon" in mark else mark) for text, mark in rows]
