"""Decodes content blocks and the content of tool calls: one or many, bare or wrapped, under any of their names."""

import json
from typing import Any

from acp_nvim.protocol.decode.json_fields import snake, text
from acp_nvim.protocol.schema import (
    Audio,
    ContentBlock,
    ContentItem,
    Diff,
    Image,
    Resource,
    ResourceLink,
    TerminalRef,
    Text,
    ToolContent,
    Unknown,
)

_BLOCKS: dict[str, type[Text | Image | Audio | ResourceLink | Resource]] = {
    "text": Text,
    "image": Image,
    "audio": Audio,
    "resource_link": ResourceLink,
    "resource": Resource,
    "text_content_block": Text,
    "image_content_block": Image,
    "audio_content_block": Audio,
    "resource_content_block": ResourceLink,
    "embedded_resource_content_block": Resource,
    "embedded_resource": Resource,
}


def block(raw: Any) -> ContentBlock:
    if isinstance(raw, str):
        return Text(text=raw)
    if not isinstance(raw, dict):
        return Unknown("", raw)
    words = raw.get("text")
    if words.__class__ is str and raw.get("type") == "text":
        return Text(text=words)
    tag = text(raw, "type") or ("text" if "text" in raw else "")
    model = _BLOCKS.get(snake(tag))
    if tag == "data" and "data" in raw:
        return _data(raw)
    inner = raw.get("resource") if model is Resource else None
    found = model.read({**raw, **inner} if isinstance(inner, dict) else raw) if model else None
    return found or Unknown(tag, raw)


def _data(raw: dict[str, Any]) -> ContentBlock:
    """Decode a block of type "data", which is not in the standard: any JSON."""
    data, mime = raw["data"], text(raw, "mimeType")
    if not isinstance(data, str):
        return Text(text=json.dumps(data, ensure_ascii=False, indent=2))
    return Text(text=data) if mime is None or mime.startswith("text/") else Unknown(f"data {mime}", raw)


def blocks(raw: Any) -> list[ContentBlock]:
    """Decode the content of a message. The standard has one block; a text and a list are accepted as well."""
    if raw is None:
        return []
    return [block(item) for item in raw] if isinstance(raw, list) else [block(raw)]


def is_context(raw: Any) -> bool:
    """Whether a block names an audience without the user: it is context for the model."""
    annotations = raw.get("annotations") if isinstance(raw, dict) else None
    audience = annotations.get("audience") if isinstance(annotations, dict) else None
    return isinstance(audience, list) and "assistant" in audience and "user" not in audience


def joined(raw: Any) -> str | None:
    """Join the texts of a content; None if it has none."""
    texts = [part.text for part in blocks(raw) if isinstance(part, Text)]
    return "".join(texts) if texts else None


def tool_content(raw: Any) -> tuple[ToolContent, ...] | None:
    """Decode the content of a tool call. The standard has a list; one item and a text are accepted as well. None: no
    content."""
    if isinstance(raw, str):
        return (ContentItem(Text(text=raw)),)
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list):
        return None
    found: list[ToolContent] = []
    for item in raw:
        if isinstance(item, dict):
            found += _tool_items(item)
    return tuple(found)


def _tool_items(raw: dict[str, Any]) -> list[ToolContent]:
    inner = raw.get("content")
    if inner.__class__ is dict and raw.get("type") == "content":
        return [ContentItem(block(inner))]
    match text(raw, "type"):
        case "diff":
            found: ToolContent | None = Diff.read(raw)
        case "terminal":
            found = TerminalRef.read(raw)
        case "content":
            return [ContentItem(each) for each in blocks(raw.get("content"))]
        case _:
            found = ContentItem(block(raw))
    return [] if found is None else [found]
