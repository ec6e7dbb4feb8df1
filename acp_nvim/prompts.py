"""From what the user sends to the blocks of session/prompt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from acp_nvim.protocol import encode
from acp_nvim.protocol.encode import Block
from acp_nvim.protocol.schema import Initialized
from acp_nvim.session.queue import Prompt


def blocks(prompt: Prompt, agent: Initialized, cwd: str) -> tuple[list[Block], list[str]]:
    """The blocks as this agent takes them, and a word on each thing that could not go along."""
    made: list[Block] = [encode.text(prompt.text)]
    trouble: list[str] = []
    for item in prompt.context:
        try:
            made.append(_block(item, cwd))
        except (OSError, UnicodeError, ValueError) as error:
            trouble.append(f"left out of the prompt: {error}")
    sent, refused = encode.fit(made, agent)
    return sent, trouble + [f"this agent takes no {kind}: left out of the prompt" for kind in refused]


def _block(item: dict[str, Any], cwd: str) -> Block:
    """Lines come along from the editor, unsaved ones included; without them the file is read."""
    path = os.path.join(cwd, os.path.expanduser(str(item["file"] if item.get("file") else cwd)))
    lines = item.get("lines")
    if lines is None:
        return encode.file(path, Path(path).read_text(encoding="utf-8"))
    first, last = item.get("first"), item.get("last")
    return encode.file(path, "\n".join(map(str, lines)) + "\n", first and int(first), last and int(last))
