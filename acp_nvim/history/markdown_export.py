"""Exports a conversation as Markdown: messages verbatim, and what was done in between."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from acp_nvim.chat.phrases import duration, placeholder, stopped
from acp_nvim.chat.tool_body import Terminal, context_text, pretty, terminal_text, unreferenced, words
from acp_nvim.chat.tool_lines import subject
from acp_nvim.protocol import schema
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.entries import AgentContext, Entry, Message, Note, Placeholder, Report, Thought
from acp_nvim.session.nested_calls import NestedCalls
from acp_nvim.session.plan import Plan
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.diff_view import too_large, unified
from acp_nvim.text.printable import one_line, visible

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_STEPS = {"completed": "[x]", "in_progress": "[ ] ▸", "pending": "[ ]"}


def export(session: Session, terminal: Terminal) -> Iterator[str]:
    """Yield the pieces of the file, each with its line end."""
    agent = one_line(session.agent_title)
    title = one_line(session.shown_title or f"A conversation with {agent}")
    yield f"# {title}\n\n{agent} in {_code(visible(session.cwd))}\n"
    speaker = None
    for entry in session.transcript.entries:
        if entry.speaker and entry.speaker != speaker:
            speaker = entry.speaker
            yield f"\n## {'You' if speaker == 'user' else agent}\n"
        text = "".join(_entry(entry, session, terminal))
        if text:
            yield f"\n{text}" if text.endswith("\n") else f"\n{text}\n"


def _entry(entry: Entry, session: Session, terminal: Terminal) -> Iterator[str]:
    match entry:
        case Report():
            yield _fenced("".join(entry.parts), "diff")
        case AgentContext():
            yield _fenced(context_text(entry))
        case Message():
            text = "".join(entry.parts)
            yield text
            yield _closing(text)
        case Thought():
            yield from _thought(entry)
        case Placeholder():
            yield placeholder(entry.block)
        case ToolCall():
            yield from _tool(entry, session.cwd, terminal)
            yield from _calls(entry.nested, session.cwd, terminal)
        case Subagent():
            yield f"- **agent** {_code(entry.name)} ({one_line(entry.state or 'ended')})\n"
            for text in (*entry.prompts, *entry.answers):
                yield _block(text)
            yield from _calls(entry.nested, session.cwd, terminal)
        case Plan():
            yield from (f"- {_STEPS[step.status]} {one_line(step.content)}\n" for step in entry.entries)
            if entry.words:
                yield _quoted(entry.words)
        case Compaction():
            yield f"*The agent has compacted this conversation: {entry.status}.*"
        case Note():
            text = stopped(entry.text) if entry.kind == "stop" else entry.text
            yield _quoted(f"**{entry.kind}** {visible(text)}")


def _fenced(text: str, language: str = "") -> str:
    marks = "`" * max(3, _longest_run(text) + 1)
    return f"{marks}{language}\n{text}\n{marks}\n"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks: what holds the text needs a longer one."""
    return max(map(len, re.findall("`+", text)), default=0)


def _closing(text: str) -> str:
    """Close a code block that the agent left open: all that follows would be part of it."""
    fence = ""
    for match in _FENCE.finditer(text):
        marks, rest = match.groups()
        if not fence:
            fence = marks if marks[0] == "~" or "`" not in rest else ""
        elif marks[0] == fence[0] and len(marks) >= len(fence) and not rest.strip():
            fence = ""
    gap = "" if text.endswith("\n") else "\n"
    return f"{gap}{fence}\n" if fence else ""


def _thought(thought: Thought) -> Iterator[str]:
    took = duration(thought.ended - thought.started) if thought.ended is not None else ""
    yield f"> *thought{f' for {took}' if took else ''}*\n>\n"
    yield _quoted("".join(thought.parts))


def _quoted(text: str) -> str:
    return "".join(f"> {line}".rstrip() + "\n" for line in text.rstrip("\n").split("\n"))


def _calls(nested: NestedCalls | None, cwd: str, terminal: Terminal) -> Iterator[str]:
    """Yield the calls of a subagent, one item each below its own."""
    for call in nested.calls if nested else ():
        yield textwrap.indent("".join(_tool(call, cwd, terminal)), "  ")


def _tool(call: ToolCall, cwd: str, terminal: Terminal) -> Iterator[str]:
    how = call.verdict or call.left or call.status.replace("_", " ")
    yield f"- **{one_line(call.kind)}** {_code(subject(call, cwd))} ({one_line(how)})\n"
    if call.command and one_line(call.command) not in one_line(call.title):
        yield _block(call.command, "sh")
    for item in call.content:
        match item:
            case schema.Diff():
                yield _block("\n".join(_diff(item)), "diff")
            case schema.TerminalRef():
                yield _block(terminal_text(call, item.terminal_id, terminal))
            case schema.ContentItem():
                yield _block(words(item.content))
    for name in unreferenced(call):
        yield _block("".join(call.terminals[name]))
    if not call.content and not call.terminals and call.raw_output is not None:
        raw = call.raw_output
        yield _block(raw if isinstance(raw, str) else "".join(pretty(raw)))


def _diff(diff: schema.Diff) -> Iterator[str]:
    path = visible(diff.path)
    yield "--- /dev/null" if diff.old_text is None else f"--- {path}"
    yield f"+++ {path}"
    old = diff.old_text or ""
    if too_large(old, diff.new_text):
        yield "too many lines to compare here"
        return
    for sign, text in unified(old, diff.new_text):
        yield "@@ @@" if sign == "⋯" else f"\\ {text}" if sign == "\\" else sign + text


def _block(text: str, language: str = "") -> str:
    """Return a code block below a list item. Its fence is longer than any in the text."""
    if not text.strip():
        return ""
    fence = "`" * max(3, _longest_run(text) + 1)
    lines = [f"{fence}{language}", *text.rstrip("\n").split("\n"), fence]
    return "\n" + "".join(f"  {line}".rstrip(" ") + "\n" for line in lines)


def _code(text: str) -> str:
    marks = "`" * (_longest_run(text) + 1)
    gap = " " if "`" in text[:1] + text[-1:] else ""
    return f"{marks}{gap}{text}{gap}{marks}" if text else ""
