"""Reading one field of hostile JSON: by several names, of one type, or not at all."""

import re
from typing import Any, TypeVar

from acp_nvim.protocol.schema.lenient import Lenient

M = TypeVar("M", bound=Lenient)

_IDS = (str, int)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def pick(raw: dict[str, Any], *names: str) -> Any:
    """The first of these fields that is there and not null."""
    for name in names:
        if (found := raw.get(name)) is not None:
            return found
    return None


def text(raw: dict[str, Any], *names: str) -> str | None:
    """The first of these fields that holds a text, and not an empty one."""
    for name in names:  # this is called a dozen times for each update: a generator took three times as long
        found = raw.get(name)
        if found and isinstance(found, str):
            return found
    return None


def identifier(raw: dict[str, Any], *names: str) -> str | None:
    """The first of these fields that can be an id: a text, or a number as text."""
    for name in names:
        if isinstance(found := raw.get(name), _IDS):
            return str(found)
    return None


def snake(name: str) -> str:
    """AgentMessageChunk, agentMessageChunk: agent_message_chunk."""
    return name if name.islower() else _HUMP.sub("_", name).lower()


def read_all(model: type[M], raw: Any) -> tuple[M, ...] | None:
    """The good items; None where there is no list at all, so that what was there can stay."""
    if not isinstance(raw, list):
        return None
    return tuple(item for each in raw if (item := model.read(each)) is not None)
