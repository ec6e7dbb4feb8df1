"""Encodes entries of a transcript as the wire has them, cut to what is worth keeping."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.plan import Plan
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.bounded import abridged

Terminal = Callable[[str], str]


def call(call: ToolCall, terminal: Terminal) -> dict[str, Any]:
    content = [_item(item, call, terminal) for item in call.content]
    told: dict[str, Any] = {
        "toolCallId": call.id or f"entry-{call.key}",
        "title": call.title,
        "kind": call.kind,
        "status": call.status if call.is_open else "in_progress",
    }
    if call.root:
        told["_meta"] = {"acp_nvim": {"parentToolUseId": call.root.id}}
    locations = [_place(location) for location in call.locations]
    raw = {"rawInput": short(call.raw_input), "rawOutput": short(call.raw_output)}
    more = {"content": content, "locations": locations, **raw}
    return told | {name: value for name, value in more.items() if value not in (None, [])}


def _place(location: schema.Location) -> dict[str, Any]:
    return {"path": location.path} | ({} if location.line is None else {"line": location.line})


def _item(item: schema.ToolContent, call: ToolCall, terminal: Terminal) -> dict[str, Any]:
    match item:
        case schema.Diff():
            return {"type": "diff", "path": item.path, "oldText": item.old_text, "newText": item.new_text}
        case schema.TerminalRef(terminal_id=id) if id in call.terminals:
            return {"type": "terminal", "terminalId": id}
        case schema.TerminalRef():  # ours, which will be gone: its text
            return {"type": "content", "content": {"type": "text", "text": terminal(item.terminal_id)}}
        case _:
            return {"type": "content", "content": block(item.content)}


def block(block: schema.ContentBlock) -> Any:
    """Encode a block. Pictures and sounds go without their data, which is large and only shown by name."""
    match block:
        case schema.Text():
            return {"type": "text", "text": block.text}
        case schema.Image():
            return {"type": "image", "mimeType": block.mime_type, "uri": block.uri, "data": ""}
        case schema.Audio():
            return {"type": "audio", "mimeType": block.mime_type, "data": ""}
        case schema.ResourceLink():
            return {"type": "resource_link", "uri": block.uri, "name": block.name, "title": block.title}
        case schema.Resource():
            return {"type": "resource", "resource": {"uri": block.uri, "text": block.text}}
        case _:
            return short(block.raw)


def allowed_part(question: Question) -> dict[str, Any]:
    """Return which part of a proposal the user has allowed, where it is not all."""
    if question.allowed_lines is None:
        return {}
    return {"_meta": {"acp_nvim": {"partly": question.partly, "lines": list(question.allowed_lines)}}}


def further_folders(session: Session) -> dict[str, Any]:
    """Return the further folders of a session: the user's, where they lead, and those that its agent has named."""
    own = [os.path.realpath(root) for root in session.roots]
    known = {"additionalDirectories": own} if own else {}
    return {**known, "_meta": {"acp_nvim": {"saved": session.saved_roots}}} if session.saved_roots else known


def plan(entry: Plan) -> Iterator[dict[str, Any]]:
    """Yield the updates of a plan. That of the turn has no id, others keep theirs: several are open at once."""
    id = {"planId": entry.id} if entry.id else {}
    steps = [{"content": step.content, "status": step.status} for step in entry.entries]
    if entry.words:
        told = {"planId": entry.id or str(entry.key), "type": "markdown", "content": entry.words}
        yield {"sessionUpdate": "plan_update", "plan": told}
    elif id:
        yield {"sessionUpdate": "plan_update", "plan": {**id, "type": "items", "entries": steps}}
    else:
        yield {"sessionUpdate": "plan", "entries": steps}
    if entry.is_removed:
        yield {"sessionUpdate": "plan_removed", **id}


def compaction(entry: Compaction) -> dict[str, Any]:
    told = {"sessionUpdate": "compaction_update", "compactionId": str(entry.key), "status": entry.status}
    summary = {"summary": [{"type": "text", "text": entry.summary}]} if entry.summary else {}
    return {**told, **summary, **({"error": entry.error} if entry.error else {})}


def short(value: Any) -> Any:
    """Cut what a tool was given, or gave, to what is worth keeping."""
    return abridged(value, limits.KEPT_TEXT_CHARS, limits.KEPT_ITEMS, limits.KEPT_DEPTH)
