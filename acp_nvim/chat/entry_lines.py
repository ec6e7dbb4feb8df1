"""Draws the entries of a transcript, except messages, whose text is streamed as it came."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from acp_nvim import limits
from acp_nvim.chat import call_output, plan_lines, question_lines
from acp_nvim.chat.call_runs import ERROR
from acp_nvim.chat.change_lines import Room
from acp_nvim.chat.diff_line import HIGHLIGHTS
from acp_nvim.chat.folded_body import INDENT, Body
from acp_nvim.chat.icon_mark import icon_mark, indented
from acp_nvim.chat.phrases import cut, long_duration, placeholder, stopped
from acp_nvim.chat.prompt_lines import by, is_long, prompt_rows
from acp_nvim.chat.report_line import summary
from acp_nvim.chat.splice import Row
from acp_nvim.chat.tool_body import Terminal, body, context_text
from acp_nvim.chat.tool_lines import changed_lines, header, relative, subagent_header
from acp_nvim.protocol import schema
from acp_nvim.session.change_preview import counts as counted
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.entries import (
    AgentContext,
    AnswerBegins,
    ChangedFile,
    Changes,
    Entry,
    Message,
    Note,
    Placeholder,
    Report,
    Thought,
)
from acp_nvim.session.plan import Plan
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.diff_view import counts
from acp_nvim.text.printable import one_line

_NOTES = {
    "stop": ("⊘ ", "AcpNote"),
    "interrupted": ("⊘ ", "AcpCancelled"),
    "error": ("✗ ", "AcpError"),
    "warning": ("! ", "AcpWarning"),
    "info": ("· ", "AcpNote"),
}
_COMPACTIONS = {
    "in_progress": ("◌ ", "AcpPending", "the agent is compacting this conversation …"),
    "completed": ("· ", "AcpNote", "the agent has compacted this conversation"),
    "failed": ("! ", "AcpWarning", "compacting the conversation failed"),
    "cancelled": ("⊘ ", "AcpCancelled", "compacting the conversation was cancelled"),
}
_COUNT = re.compile(r"(?<= )[+−]\d+(?= −| ·|$)")
_COUNT_COLOURS = {"+": "AcpAdded", "−": "AcpRemoved"}
_HANGING = "  "  # before an error: its icon stands over these blanks, and wrapped rows begin below its words
_SHORT_PLAN = 8
_LEAST_OUTPUT = 20  # characters


@dataclass(slots=True)
class Look:
    """What drawing needs beside the entry itself."""

    cwd: str
    terminal: Terminal
    title: Callable[[], str] = str  # the agent's
    room: Room = None  # that the chat has on the screen
    _counts: dict[int, tuple[object, tuple[int, int] | None]] = field(default_factory=dict)

    def counts(self, call: ToolCall) -> tuple[int, int] | None:
        """Count the lines added and removed, as the user has decided, else in the files if they are known, else in the
        diffs. The result is cached."""
        if call.allowed_lines is not None:
            return call.allowed_lines
        if (known := counted(call.offered)) is not None:
            return known
        content, known = self._counts.get(call.key, (None, None))
        if content is not call.content and content != call.content:
            diffs = [item for item in call.content if isinstance(item, schema.Diff)]
            each = [counts(diff.old_text or "", diff.new_text) for diff in diffs]
            known = (sum(plus for plus, _ in each), sum(minus for _, minus in each)) if each else None
            self._counts[call.key] = (call.content, known)
        return known


def folds(entry: Entry | None) -> bool:
    is_block = isinstance(entry, ToolCall | Subagent | Thought | Plan | Compaction | Report | AgentContext)
    return is_block or is_long(entry) or (isinstance(entry, Changes) and bool(entry.files))


def opens_itself(entry: Entry) -> bool:
    """Whether an entry is unfolded by itself, as a short plan is."""
    if isinstance(entry, ToolCall):
        return entry.waits_for_form
    return isinstance(entry, Plan) and len(entry.entries) <= _SHORT_PLAN and not entry.words


def is_empty(entry: Entry) -> bool:
    """Whether the entry has nothing to show yet, and so takes no line."""
    return isinstance(entry, Changes) and not entry.text


def rows(entry: Entry, is_open: Callable[[Entry], bool], look: Look) -> list[Row]:
    """Return the rows of an entry; of a message only the row at which its text begins."""
    if isinstance(entry, Subagent):
        return _subagent(entry, is_open, look)
    if isinstance(entry, ToolCall):
        nested = (entry.nested.shown if is_open(entry) else entry.nested.asking) if entry.nested else []
        return [*_tool(entry, is_open(entry), look), *_nested(nested, is_open, look)]
    return _others(entry, is_open(entry), look)


def _others(entry: Entry, is_open: bool, look: Look) -> list[Row]:
    match entry:
        case Thought():
            return _thought(entry, is_open)
        case Plan():
            return plan_lines.rows(entry, is_open)
        case Compaction():
            return _compaction(entry, is_open)
        case Note():
            return _note(entry)
        case Changes():
            return _changes(entry, is_open, look.cwd)
        case AnswerBegins():
            return []  # its heading is all
        case Placeholder():
            mark = {"kind": "note", "key": entry.key, "line_hl": "AcpLink"}
            return [(placeholder(entry.block), mark | by(entry))]
        case Message() if is_long(entry):
            return prompt_rows(entry, is_open)
        case Report():
            return _report(entry, is_open, look.title())
        case AgentContext():
            return _context(entry, is_open)
        case _:
            return [("", {"kind": "text", "key": entry.key} | by(entry))]


def _nested(calls: list[ToolCall], is_open: Callable[[Entry], bool], look: Look) -> Iterator[Row]:
    """Yield the rows of calls of a subagent, indented."""
    for call in calls:
        (text, mark), *rest = _tool(call, is_open(call), look)
        yield text, indented(mark or {}, 2 * max(1, call.depth))
        yield from rest


def _subagent(child: Subagent, is_open: Callable[[Entry], bool], look: Look) -> list[Row]:
    """Draw a subagent: unfolded, what it was told, its calls, and what it has answered."""
    top = subagent_header(child, look.cwd)
    if not is_open(child):
        return [top]
    told, answered = Body(child.key), Body(child.key)
    if child.description and child.title:
        told.text(child.description, "AcpNote")
    for lines, name, texts in ((told, "prompt:", child.prompts), (answered, "answer:", child.answers)):
        for text in texts:
            lines.line(name, "AcpNote")
            lines.text(text)
    return [top, *told.rows(), *_nested(child.nested.shown, is_open, look), *answered.rows()]


def _tool(call: ToolCall, is_open: bool, look: Look) -> list[Row]:
    has_failed = call.status == "failed" and not (call.left or call.verdict.startswith("rejected"))
    has_output = call_output.has_output(call)
    reason = call_output.reason(call, look.terminal) if has_failed and not is_open else ""
    top = header(
        call,
        look.counts(call),
        look.cwd,
        "" if has_output else reason,
        look.room[1] if look.room else None,
    )
    asked = question_lines.rows(call, look.cwd, top, look.room)
    if is_open:
        return [top, *asked, *body(call, look.terminal)]
    return [top, *asked, *(_last_lines(call, look, reason) if has_output else ())]


def _last_lines(call: ToolCall, look: Look, reason: str) -> list[Row]:
    """Return the end of a command's output, each line in one row. Of one that has failed, the reason stands there, too,
    in the colour of errors, and the number of lines that are not shown."""
    lines, hidden = call_output.last_lines(call, look.terminal, reason)
    rows = Body(call.key)
    columns = look.room[1] if look.room else limits.REMARK_CHARS
    for line in lines:
        shown = cut(line, max(_LEAST_OUTPUT, columns - len(INDENT) - 1))
        rows.line(shown, "AcpFailed" if line.strip() == reason else None)
    if hidden and call.status == "failed":
        rows.line(f"… {hidden:,} more, za", "AcpNote")
    return rows.rows()


def _thought(thought: Thought, is_open: bool) -> list[Row]:
    text, mark = "thinking …", icon_mark("thought", thought.key, "▾ " if is_open else "▸ ", "AcpThought")
    if thought.ended is not None:
        took = long_duration(thought.ended - thought.started)
        text = f"thought for {took}" if took else "thought"
        if found := ERROR.search("".join(thought.parts)):
            text, mark = (
                cut(one_line(found.group()), limits.REMARK_CHARS),
                icon_mark("thought", thought.key, "✗ ", "AcpError"),
            )
            return [(text, mark | {"line_hl": "AcpError"}), *_thoughts(thought, is_open)]
    return [(text, mark | {"line_hl": "AcpThought"}), *_thoughts(thought, is_open)]


def _report(report: Report, is_open: bool, agent: str) -> list[Row]:
    text = "".join(report.parts)
    mark = icon_mark("report", report.key, "▾ " if is_open else "▸ ", "AcpNote") | by(report)
    lines = Body(report.key)
    for line in text.split("\n") if is_open else ():
        lines.line(line, HIGHLIGHTS.get(line[:1]), by(report))
    return [(f"reported to {one_line(agent)}: {summary(text)}", mark | {"line_hl": "AcpNote"}), *lines.rows()]


def _context(context: AgentContext, is_open: bool) -> list[Row]:
    text = context_text(context)
    count = text.count("\n") + 1
    top = f"context for the agent ({count} line{'' if count == 1 else 's'})"
    lines = Body(context.key)
    if is_open:
        lines.text(text)
    mark = icon_mark("context", context.key, "▾ " if is_open else "▸ ", "AcpNote")
    return [(top, mark | {"line_hl": "AcpNote"}), *lines.rows()]


def _thoughts(thought: Thought, is_open: bool) -> list[Row]:
    lines = Body(thought.key)
    if is_open:
        lines.text("".join(thought.parts))
    return lines.rows()


def _compaction(compaction: Compaction, is_open: bool) -> list[Row]:
    look = _COMPACTIONS.get(compaction.status, _COMPACTIONS["in_progress"])
    icon, highlight, text = look
    if compaction.error:
        text += f": {cut(one_line(compaction.error), limits.REMARK_CHARS)}"
    lines = Body(compaction.key)
    if is_open:
        lines.text(compaction.summary or "(no summary)")
    mark = icon_mark("note", compaction.key, icon, highlight)
    if look is _COMPACTIONS["in_progress"]:
        mark["open"] = True
    return [(text, mark | {"line_hl": highlight}), *lines.rows()]


def _note(note: Note) -> list[Row]:
    icon, highlight = _NOTES.get(note.kind, _NOTES["info"])
    if note.text == "cancelled" and note.kind == "stop":
        highlight = "AcpCancelled"
    lines = Body(note.key, "note", _HANGING if note.kind == "error" else "")
    lines.text((stopped(note.text) if note.kind == "stop" else note.text).strip() or "(no words)", highlight)
    (text, mark), *rest = lines.rows()
    mark = {**(mark or {}), "icon": {"text": icon, "hl": highlight}}
    return [(text, mark | ({"kind": "error"} if note.kind == "error" else {})), *rest]


def _changes(changes: Changes, is_open: bool, cwd: str) -> list[Row]:
    """Return one line such as "2 files +5 −4 · …", and unfolded a line for each file; none if no file has changed."""
    text = changes.text
    if not text:
        return []
    ends, colours = [0], ["AcpNote"]
    for count in _COUNT.finditer(text):
        ends += count.span()
        colours += [_COUNT_COLOURS[count[0][0]], "AcpNote"]
    ends.append(len(text))
    at = [len(text[:end].encode()) for end in ends]
    spans = [[*ends, colour] for *ends, colour in zip(at, at[1:], colours, strict=False)]
    top = icon_mark("changes", changes.key, "± ", "AcpNote") | {"turn": changes.turn, "spans": spans}
    lines = Body(changes.key)
    for file in changes.files if is_open else ():
        parts = _changed_file(file, cwd)
        lines.line("".join(part for part, _ in parts), parts=parts)
    if is_open and changes.more:
        lines.line(f"… {changes.more:,} more: :Acp review", "AcpNote")
    return [(text, top), *lines.rows()]


def _changed_file(file: ChangedFile, cwd: str) -> list[tuple[str, str]]:
    """Return "price.py +2 −1  kept 1, undone 1" in parts with their colours."""
    parts = [(one_line(relative(file.path, cwd)), "AcpPath")]
    if file.plus or file.minus:
        parts += [(text, colour) for text, colour in changed_lines(file.plus, file.minus)]
    if file.note:
        parts.append((f"{', ' if len(parts) > 1 else ' '}{one_line(file.note)}", "AcpNote"))
    decided = [f"{verb} {n:,}" for verb, n in (("kept", file.kept), ("undone", file.undone)) if n]
    if len(parts) == 1 and not decided:
        decided = ["earlier text unknown"]
    return [*parts, ("  " + ", ".join(decided), "AcpNote")] if decided else parts
