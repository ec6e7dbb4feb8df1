"""Draws what a tool call was given and its results: its body in the chat, and all of it for the details."""

from __future__ import annotations

import json
import os.path
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from acp_nvim import limits
from acp_nvim.chat.diff_line import HIGHLIGHTS, draw
from acp_nvim.chat.folded_body import Body
from acp_nvim.chat.phrases import placeholder
from acp_nvim.chat.splice import Row
from acp_nvim.protocol import schema
from acp_nvim.session.change_preview import counts
from acp_nvim.session.entries import AgentContext
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.diff_view import too_large, unified
from acp_nvim.text.printable import one_line

Terminal = Callable[[str], str]

_CHANGES = {"edit", "delete", "move"}
_TOLD_IN_THE_HEADER = {"path", "file_path", "filePath", "abs_path", "filepath", "file", "filename"}


def body(call: ToolCall, terminal: Terminal) -> list[Row]:
    rows = Body(call.key)
    has_failed = call.status in ("failed", "cancelled") and call.kind in _CHANGES
    if not has_failed:
        _input(rows, call)
    diffs = [item for item in call.content if isinstance(item, schema.Diff)]
    is_previewed = counts(call.previews) is not None
    if is_previewed:
        _previews(rows, call)
    for item in call.content:
        match item:
            case schema.Diff() if is_previewed:
                pass
            case schema.Diff():
                _diff(rows, item, named=len(diffs) > 1)
            case schema.ContentItem():
                rows.text(words(item.content), file=_file_read(call))
            case schema.TerminalRef():
                _tail(rows, terminal_text(call, item.terminal_id, terminal))
    if not has_failed:
        _output(rows, call)
    elif not call.content and isinstance(call.raw_output, str):
        rows.text(call.raw_output)
    return rows.rows()


def _file_read(call: ToolCall) -> str:
    """Return the name of the file whose text a call returns, if it reads one."""
    return (
        os.path.basename(call.locations[0].path) if call.kind == "read" and len(call.locations) == 1 else ""
    )


def _previews(rows: Body, call: ToolCall) -> None:
    """Draw the change within its files: an agent may send a whole file for one changed line."""
    for each in call.previews:
        if len(call.previews) > 1:
            rows.line(each.path, "AcpPath")
        gutter = each.gutter()
        for row in each.rows:
            text, mark = draw(row, gutter, each.path)
            rows.line(text, HIGHLIGHTS.get(row.sign), mark)
            if row.more:
                rows.line(_more(row.more), "AcpNote")
        if more := each.changed - sum((row.sign in "-+") + row.more for row in each.rows):
            rows.line(_more(more), "AcpNote")


def _more(count: int) -> str:
    return f"… {count:,} more {'line' if count == 1 else 'lines'}: K shows all"


def pretty(value: Any) -> Iterator[str]:
    """Yield JSON in pieces, so that a caller can stop early."""
    try:
        yield from json.JSONEncoder(indent=2, ensure_ascii=False, default=str).iterencode(value)
    except RecursionError:
        yield "… nested too deeply to show"


def words(block: schema.ContentBlock) -> str:
    if isinstance(block, schema.Text):
        return block.text
    return block.text if isinstance(block, schema.Resource) and block.text else placeholder(block)


def context_text(context: AgentContext) -> str:
    parts = (part if isinstance(part, str) else words(part) for part in context.parts)
    return "\n".join(part.rstrip("\n") for part in parts)


def terminal_text(call: ToolCall, terminal_id: str, terminal: Terminal) -> str:
    """Return the output of a terminal, ours or the agent's own."""
    return "".join(call.terminals.get(terminal_id, ())) or terminal(terminal_id)


def unreferenced(call: ToolCall) -> Iterator[str]:
    """Return the agent's own terminals that the content does not name."""
    named = {item.terminal_id for item in call.content if isinstance(item, schema.TerminalRef)}
    return (name for name in call.terminals if name not in named)


def _input(rows: Body, call: ToolCall) -> None:
    """Draw what the header does not show, in the best form."""
    if call.command is not None:
        if call.command not in one_line(call.title):
            rows.text(f"$ {call.command}", "AcpCode")
    elif call.raw_input is not None and not _told(call):
        rows.text(_some(call.raw_input), "AcpCode")


def _told(call: ToolCall) -> bool:
    if any(isinstance(item, schema.Diff) for item in call.content) or counts(call.previews) is not None:
        return True
    return isinstance(call.raw_input, dict) and call.raw_input.keys() <= _TOLD_IN_THE_HEADER


def _output(rows: Body, call: ToolCall) -> None:
    for name in unreferenced(call):
        _tail(rows, "".join(call.terminals[name]))
    if not call.content and not call.terminals and call.raw_output is not None:
        rows.text(call.raw_output if isinstance(call.raw_output, str) else _some(call.raw_output))


def _some(value: Any) -> str:
    """Return a little more JSON than a body may hold, so that the cut shows."""
    return "".join(islice(pretty(value), limits.SHOWN_CHARS // 4))


def _diff(rows: Body, diff: schema.Diff, named: bool) -> None:
    if named:
        rows.line(diff.path, "AcpPath")
    old = diff.old_text or ""
    if too_large(old, diff.new_text):
        rows.line("too many lines to compare here: K shows them", "AcpNote")
        return
    for sign, text in unified(old, diff.new_text):
        rows.line(f"{sign} {text}".rstrip(" "), HIGHLIGHTS.get(sign))  # as beside the numbers of a file


def _tail(rows: Body, text: str) -> None:
    """Add the end of a terminal's output."""
    tail = text.rstrip("\n")[-limits.UNFOLDED_OUTPUT_CHARS :].split("\n")[-limits.UNFOLDED_OUTPUT_LINES :]
    shown = "\n".join(tail)
    if earlier := text.rstrip("\n").count("\n") - shown.count("\n"):
        rows.line(f"… {earlier:,} earlier {'line' if earlier == 1 else 'lines'}", "AcpNote")
    rows.text(shown)
