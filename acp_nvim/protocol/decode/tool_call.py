"""A tool call, announced, updated, or inside a permission request: one reader for all three."""

from typing import Any

from acp_nvim.protocol.decode.content import tool_content
from acp_nvim.protocol.decode.fields import identifier, pick, read_all, text
from acp_nvim.protocol.schema import UNSET, Location, ToolCallUpdate

_STANDARD_KINDS = "read edit delete move search execute think fetch switch_mode other"
KINDS = {kind: kind for kind in _STANDARD_KINDS.split()} | {"command": "execute", "file": "other"}
STATUSES = frozenset({"pending", "in_progress", "completed", "failed", "cancelled"})


def tool_call(raw: dict[str, Any], *, known: bool) -> ToolCallUpdate:
    kind, status, error = text(raw, "kind"), text(raw, "status"), raw.get("error") or None
    return ToolCallUpdate(
        id=identifier(raw, "toolCallId", "id", "tool_call_id") or "",
        known=known,
        title=text(raw, "title", "name", "toolName"),
        name=_name(raw),
        kind=None if kind is None else KINDS.get(kind, "other"),
        status="failed" if error is not None else status if status in STATUSES else None,
        content=tool_content(pick(raw, "content", "text")),
        locations=_locations(raw.get("locations")),
        raw_input=_given(pick(raw, "rawInput", "raw_input", "args", "input")),
        raw_output=_given(error if error is not None else pick(raw, "rawOutput", "raw_output", "result")),
        meta=raw["_meta"] if isinstance(raw.get("_meta"), dict) else {},
    )


def _name(raw: dict[str, Any]) -> str | None:
    """Where the standard has no place for it, some put it into an object of their own in `_meta`."""
    meta = raw["_meta"] if isinstance(raw.get("_meta"), dict) else {}
    own = (text(value, "toolName") for value in meta.values() if isinstance(value, dict))
    return text(raw, "name", "toolName") or next(filter(None, own), None)


def _locations(raw: Any) -> tuple[Location, ...] | None:
    return read_all(Location, [raw] if isinstance(raw, dict) else raw)


def _given(value: Any) -> Any:
    return UNSET if value is None else value
