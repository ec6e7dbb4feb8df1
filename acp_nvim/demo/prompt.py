"""Reads a prompt: slash commands, a few plain words, attached context."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from urllib.parse import unquote

from .wire import BadShape, Json, field

# Plain words near the beginning of a prompt that ask for a scene.
KEYWORDS = {
    "help": "help",
    "tour": "tour",
    "plan": "plan",
    "think": "think",
    "read": "read",
    "edit": "edit",
    "run": "run",
    "slow": "slow",
    "slowly": "slow",
    "markdown": "markdown",
    "image": "image",
    "picture": "image",
}
WITHIN = 8  # words; further on, a word is more likely to be part of a story


class Prompt:
    def __init__(self, blocks: list[Json]) -> None:
        for block in blocks:
            if not isinstance(block, dict):
                raise BadShape("`prompt` must be a list of content blocks")
            if field(block, "type", str) == "text":
                field(block, "text", str)
        self.blocks = blocks
        self.texts = [block["text"] for block in blocks if block["type"] == "text"]
        self.text = "\n".join(self.texts).strip()

    def understand(self, commands: Collection[str], cwd: str) -> tuple[str, str]:
        """The command that is meant and its argument; ("", "") if none is."""
        for text in self.texts:
            command = re.match(r"/(\w+)(?!\S)\s*(.*)", text.strip(), re.DOTALL)
            if command and command[1] in commands:
                return command[1], command[2].strip()
        # Text blocks before the last one are what a client had to say.
        words = re.findall(r"\w+", self.texts[-1].lower())[:WITHIN] if self.texts else []
        name = next((KEYWORDS[word] for word in words if word in KEYWORDS), "")
        if name in ("read", "edit"):
            return name, self._named_file(cwd)
        return name, self._quoted() if name == "run" else ""

    def attachments(self) -> list[str]:
        """A name for everything but text."""
        return [_describe(block) for block in self.blocks if block["type"] != "text"]

    def attached_file(self) -> str:
        """The path of the first file that came along, or an empty string."""
        uris = [_uri(block) for block in self.blocks]
        return next((unquote(uri[7:].partition("#")[0]) for uri in uris if uri.startswith("file://")), "")

    def _named_file(self, cwd: str) -> str:
        words = [word.strip("`'\"?!,;()") for word in self.texts[-1].split()]
        candidates = [name for word in words for name in (word, word.rstrip("."), word.removeprefix("@"))]
        return next((name for name in candidates if name and os.path.isfile(os.path.join(cwd, name))), "")

    def _quoted(self) -> str:
        quoted = re.search(r"`([^`]+)`", self.texts[-1])
        return quoted[1] if quoted else ""


def lines(text: str) -> list[str]:
    """Not by splitlines: that knows more ends of lines than files and editors do."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _uri(block: Json) -> str:
    resource = block.get("resource")
    uri = (resource if isinstance(resource, dict) else block).get("uri")
    return uri if isinstance(uri, str) else ""


def _describe(block: Json) -> str:
    uri = _uri(block)
    name = f"`{unquote(uri.rpartition('/')[2]) or uri}`"
    if block["type"] == "resource":
        resource = block.get("resource")
        text = resource.get("text") if isinstance(resource, dict) else None
        size = f"{len(lines(text))} lines" if isinstance(text, str) else "binary"
        return f"{name}, embedded ({size})"
    if block["type"] == "resource_link":
        return f"{name}, as a link"
    return f"a block of type `{block['type']}` ({block.get('mimeType', 'unknown')})"
