"""Words durations, sizes, content that is no text, and why a turn stopped."""

from __future__ import annotations

from unicodedata import east_asian_width

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.text.printable import one_line

_STOPS = {
    "": "stopped without giving a reason",
    "cancelled": "cancelled",
    "max_tokens": "stopped at the token limit: send another prompt to go on",
    "max_turn_requests": "stopped at the limit of requests per turn: send another prompt to go on",
    "refusal": "refused: the agent will not continue, and forgets this prompt and what followed",
}


_LONG = 3  # seconds


def stopped(reason: str) -> str:
    return _STOPS.get(reason, f"stopped: {reason}")


def duration(seconds: float) -> str:
    """Return a duration such as `4 s`, `2 min 5 s`, `1 h 10 min`; empty under a second."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s" if whole > 0 else ""
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def long_duration(seconds: float | None) -> str:
    """Return a duration; empty under three seconds, since a short one is no news."""
    return duration(seconds) if seconds is not None and seconds >= _LONG else ""


def size(count: int) -> str:
    if count < 1024:
        return f"{count} B"
    return f"{(count + 512) // 1024} KiB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MiB"


def placeholder(block: schema.ContentBlock) -> str:
    """Return one line for content that cannot be shown as text."""
    match block:
        case schema.Image():
            inside = _media("image", block.mime_type, block.data or block.uri or "", not block.data)
        case schema.Audio():
            inside = _media("audio", block.mime_type, block.data, False)
        case schema.ResourceLink():
            inside = f"link {block.title or block.name}: {block.uri}" if block.name else f"link {block.uri}"
        case schema.Resource():
            inside = f"resource {block.uri}"
        case schema.Text():
            inside = block.text
        case _:
            inside = f"unknown content {block.type}"
    return f"[{cut(one_line(inside[: 2 * limits.CONTENT_CHARS]), limits.CONTENT_CHARS)}]"


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def cells(text: str) -> int:
    """Return how many cells of the screen a text takes."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(char) in "WF") for char in text)


def middle_cut(text: str, width: int) -> str:
    """Cut the middle out of a long text: of paths and commands the beginning and the end say most."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def _media(what: str, mime: str, data: str, is_uri: bool) -> str:
    kind = mime or what
    return (
        f"{what} {kind} {data[: 2 * limits.CONTENT_CHARS]}"
        if is_uri
        else f"{what} {kind}, {size(len(data) * 3 // 4)}"
    )
