"""Builds what we send: the params of initialize and of session/new, load, resume and fork; the blocks of prompts.

Blocks are made before it is known what the agent accepts; `fit` adapts them when they are sent.
"""

import base64
import os
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote

from acp_nvim.protocol.methods import VERSION
from acp_nvim.protocol.schema import Initialized

Block = dict[str, Any]


def initialize(version: str, capabilities: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": VERSION,
        "clientInfo": {"name": "acp_nvim", "title": "Neovim", "version": version},
        "clientCapabilities": capabilities,
    }


def session(
    cwd: str,
    mcp_servers: list[dict[str, Any]],
    roots: Sequence[str] = (),
    session_id: str = "",
    system_prompt: str = "",
) -> dict[str, Any]:
    """Return the params that create a session, or open the one with that id. `system_prompt` is appended to the
    agent's own."""
    params: dict[str, Any] = {"cwd": cwd, "mcpServers": mcp_servers}
    if roots:
        params["additionalDirectories"] = list(roots)
    if system_prompt:
        params["systemPrompt"] = {"mode": "append", "content": [text(system_prompt)]}
    return {**params, "sessionId": session_id} if session_id else params


def file_uri(path: str, first: int | None = None, last: int | None = None) -> str:
    """Return the percent-encoded URI of a file, byte for byte as the file system has the name, with lines from 1."""
    if not os.path.isabs(path):
        raise ValueError(f"not an absolute path: {path}")
    lines = "" if first is None else f"#L{first}" if last in (None, first) else f"#L{first}-{last}"
    return "file://" + quote(os.fsencode(path)) + lines


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def image(data: bytes, mime_type: str) -> Block:
    return {"type": "image", "mimeType": mime_type, "data": base64.b64encode(data).decode()}


def audio(data: bytes, mime_type: str) -> Block:
    return {"type": "audio", "mimeType": mime_type, "data": base64.b64encode(data).decode()}


def file(path: str, content: str, first: int | None = None, last: int | None = None) -> Block:
    """Embed a file, or some of its lines, with its text as the editor has it."""
    uri = file_uri(path, first, last)
    return {"type": "resource", "resource": {"uri": uri, "text": content, "mimeType": "text/plain"}}


def link(path: str) -> Block:
    return {"type": "resource_link", "uri": file_uri(path), "name": _name(path)}


def fit(blocks: Iterable[Block], agent: Initialized) -> tuple[list[Block], list[str]]:
    """Return the blocks in a form that this agent accepts, and the types of those that it does not accept."""
    sent: list[Block] = []
    refused: list[str] = []
    for block in blocks:
        kind = block["type"]
        if kind == "resource" and not agent.takes("embeddedContext"):
            sent += _linked(block["resource"])
        elif kind in ("image", "audio") and not agent.takes(kind):
            refused.append(kind)
        else:
            sent.append(block)
    return sent, refused


def _linked(resource: dict[str, Any]) -> list[Block]:
    """Replace an embedded file by a link. If it is some lines, their text goes along, since links have no lines."""
    uri, _, lines = resource["uri"].partition("#")
    made = {"type": "resource_link", "uri": resource["uri"], "name": _name(unquote(uri))}
    return [made, text(resource["text"])] if lines else [made]


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or path
