"""Models of what messages and tool calls contain: content blocks, diffs, terminals, places in files."""

from dataclasses import dataclass
from typing import Any

from acp_nvim.protocol.schema.lenient import Count, Lenient


class Text(Lenient):
    text: str


class Image(Lenient):
    mime_type: str = ""
    data: str = ""
    uri: str | None = None


class Audio(Lenient):
    mime_type: str = ""
    data: str = ""


class ResourceLink(Lenient):
    uri: str
    name: str = ""
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: Count | None = None


class Resource(Lenient):
    """An embedded resource, without the wrapper that the wire has: a `text`, or a `blob` in base64."""

    uri: str = ""
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block of a type we do not know, or that lacks what its type needs."""

    type: str
    raw: Any


ContentBlock = Text | Image | Audio | ResourceLink | Resource | Unknown


@dataclass(slots=True)
class ContentItem:
    content: ContentBlock


class Diff(Lenient):
    """`old_text` is None for a new file (and from agents that overwrite one unread); "" is an empty file."""

    path: str
    new_text: str
    old_text: str | None = None


class TerminalRef(Lenient):
    terminal_id: str


ToolContent = ContentItem | Diff | TerminalRef


class Location(Lenient):
    path: str
    line: Count | None = None
