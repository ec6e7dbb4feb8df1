"""Converts the user's prompt to the blocks of session/prompt."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from acp_nvim import limits
from acp_nvim.host.attachments import Attachments, LeftOut, clean
from acp_nvim.protocol import encode
from acp_nvim.protocol.encode import Block
from acp_nvim.protocol.schema import Initialized
from acp_nvim.session.queue import Prompt


@dataclass(slots=True)
class PromptBlocks:
    """A prompt in the form that this agent accepts."""

    blocks: list[Block]
    went: list[dict[str, Any]] = field(default_factory=list)  # the context that was sent
    trouble: list[str] = field(default_factory=list)  # complaints about other context

    def told(self) -> str:
        """Return the complaints in one line."""
        if len(self.trouble) == 1:
            return self.trouble[0]
        return f"{len(self.trouble)} attachments were changed or left out: the chat says why"


def make(prompt: Prompt, agent: Initialized, cwd: str) -> PromptBlocks:
    made = PromptBlocks([encode.text(clean(prompt.text))])
    attachments = Attachments(agent, cwd)
    room = limits.PROMPT_CHARS
    made.went += [item for item in prompt.context if item.get("comment")]
    for item in prompt.attachments:
        try:
            new, _ = encode.fit(attachments.blocks(item), agent)
            weight = sum(map(_weight, new))
            if weight > room:
                raise LeftOut(f"the prompt is full: {_name(item)}")
        except (LeftOut, OSError, UnicodeError, ValueError) as error:
            made.trouble.append(f"left out of the prompt: {_why(error, item)}")
        else:
            room -= weight
            made.blocks += new
            made.went.append(item)
    made.trouble += attachments.words
    return made


def _weight(block: Block) -> int:
    return len(block.get("data") or block.get("text") or block.get("resource", {}).get("text") or "")


def _name(item: dict[str, Any]) -> str:
    return os.path.basename(str(item.get("file") or item.get("image") or item.get("title") or ""))


def _why(error: Exception, item: dict[str, Any]) -> str:
    if isinstance(error, OSError):
        return f"{_name(item)}: {error.strerror or error}"
    return str(error)
