"""Decodes a tool call that is announced, updated, or part of a permission request."""

import re
from typing import Any

from acp_nvim.protocol.decode.content import tool_content
from acp_nvim.protocol.decode.json_fields import as_object, identifier, pick, read_all, text
from acp_nvim.protocol.schema import UNSET, Location, ToolCallUpdate

_STANDARD_KINDS = "read edit delete move search execute think fetch switch_mode other"
KINDS = {kind: kind for kind in _STANDARD_KINDS.split()} | {"command": "execute", "file": "other"}
STATUSES = frozenset({"pending", "in_progress", "completed", "failed", "cancelled"})
_OF_THE_STANDARD = "sessionUpdate toolCallId title kind status content locations rawInput rawOutput _meta"
_STANDARD = frozenset(_OF_THE_STANDARD.split())
_NAME = "name"
_RAW_ID = re.compile(r"(?=.*\d)[\w-]{8,}")


def tool_call(raw: dict[str, Any], *, known: bool) -> ToolCallUpdate:
    told = raw if raw.keys() <= _STANDARD else _renamed(raw)
    kind, status, content = text(told, "kind"), text(told, "status"), told.get("content")
    id, title = identifier(told, "toolCallId") or "", text(told, "title")
    meta = as_object(told.get("_meta"))
    return ToolCallUpdate(
        id,
        known,
        None if title == id and _RAW_ID.fullmatch(id) else title,  # replays of some agents know no title
        told.get(_NAME) or _tool_name(meta),
        None if kind is None else KINDS.get(kind, "other"),
        status if status in STATUSES else None,
        None if content is None else tool_content(content),
        _locations(told["locations"]) if "locations" in told else None,
        _given(told.get("rawInput")),
        _given(told.get("rawOutput")),
        meta,
        _own(meta, "parentToolUseId"),
    )


def _renamed(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the object with the standard's names. Only for objects that have others: calls come by the thousand, and
    most have none."""
    error = raw.get("error") or None
    return {
        "toolCallId": identifier(raw, "toolCallId", "id", "tool_call_id"),
        "title": text(raw, "title", "name", "toolName"),
        "kind": raw.get("kind"),
        "status": raw.get("status") if error is None else "failed",
        "content": pick(raw, "content", "text"),
        "locations": raw.get("locations"),
        "rawInput": pick(raw, "rawInput", "raw_input", "args", "input"),
        "rawOutput": pick(raw, "rawOutput", "raw_output", "result") if error is None else error,
        "_meta": raw.get("_meta"),
        _NAME: text(raw, "name", "toolName"),
    }


def _tool_name(meta: dict[str, Any]) -> str | None:
    """Return the tool's name: beside the objects of agents, in one of them, or in its `toolCall`."""
    own = [value for value in meta.values() if isinstance(value, dict)]
    told = (meta, *own, *(as_object(value.get("toolCall")) for value in own))
    return next(filter(None, (text(each, "toolName") for each in told)), None)


def _own(meta: dict[str, Any], name: str) -> str | None:
    """Return a text that some agents put into an object of their own in `_meta`."""
    for value in meta.values():
        if isinstance(value, dict) and (found := text(value, name)):
            return found
    return None


def _locations(raw: Any) -> tuple[Location, ...] | None:
    return read_all(Location, [raw] if isinstance(raw, dict) else raw)


def _given(value: Any) -> Any:
    return UNSET if value is None else value
