"""Writes everything that is known of an entry, uncut, for the K key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_nvim.chat.phrases import duration, placeholder
from acp_nvim.chat.tool_body import Terminal, context_text, pretty, terminal_text, unreferenced, words
from acp_nvim.protocol import schema
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.entries import AgentContext, Changes, Entry, Message, Note, Placeholder, Report, Thought
from acp_nvim.session.plan import Plan
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.ansi import plain, shown
from acp_nvim.text.diff_view import unified

FILETYPE = "acp_details"


def lines(entry: Entry | None, terminal: Terminal) -> list[str]:
    match entry:
        case ToolCall():
            return list(_call(entry, terminal))
        case Thought() | Message() | Report():
            return _lines("".join(entry.parts))
        case AgentContext():
            return _lines(context_text(entry))
        case Subagent():
            return _lines("\n\n".join(filter(None, (entry.name, entry.description))))
        case Plan():
            steps = ((f"{step.status:<12} {step.priority:<7} ", step.content) for step in entry.entries)
            return [head + line for head, content in steps for line in _lines(content)] + _lines(entry.words)
        case Compaction():
            return _lines("\n\n".join(filter(None, (entry.error, entry.summary))))
        case Note() | Changes():
            return _lines(entry.text)
        case Placeholder():
            return [placeholder(entry.block)]
    return ["there is nothing here"]


def _call(call: ToolCall, terminal: Terminal) -> Iterator[str]:
    yield from _lines(call.title or call.kind)
    yield ""
    yield f"kind    {shown(call.kind)}"
    yield f"status  {', '.join(filter(None, dict.fromkeys([call.status, call.left, shown(call.verdict)])))}"
    if call.ended is not None:
        yield f"took    {duration(call.took or 0.0) or 'less than a second'}"
    yield from _section("locations", (_place(location) for location in call.locations))
    yield from _section("command", _lines(call.command or ""))
    yield from _section("input", () if call.raw_input is None else _lines("".join(pretty(call.raw_input))))
    for item in call.content:
        yield from _content(item, call, terminal)
    for name in unreferenced(call):
        yield from _section(f"terminal {shown(name)}", _lines("".join(call.terminals[name])))
    yield from _section("raw output", _raw(call.raw_output))


def _content(item: schema.ToolContent, call: ToolCall, terminal: Terminal) -> Iterator[str]:
    match item:
        case schema.Diff():
            changed = unified(item.old_text or "", item.new_text)
            yield from _section(f"diff of {shown(item.path)}", (sign + shown(text) for sign, text in changed))
        case schema.TerminalRef():
            output = terminal_text(call, item.terminal_id, terminal)
            yield from _section(f"terminal {shown(item.terminal_id)}", _lines(output))
        case schema.ContentItem():
            yield from _section("output", _lines(words(item.content)))


def _section(name: str, content: Iterable[str]) -> Iterator[str]:
    """Yield a heading and its lines, unless there are none."""
    for number, line in enumerate(content):
        if number == 0:
            yield ""
            yield f"{name}:".replace("\n", " ")
        yield f"  {line}".rstrip(" ")


def _place(location: schema.Location) -> str:
    path = shown(location.path)
    return path if location.line is None else f"{path}:{location.line}"


def _raw(value: object) -> list[str]:
    if value is None:
        return []
    return _lines(value if isinstance(value, str) else "".join(pretty(value)))


def _lines(text: str) -> list[str]:
    return [shown(line) for line in plain(text).rstrip("\n").split("\n")] if text else []
