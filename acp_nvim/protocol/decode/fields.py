"""Reading one field of hostile JSON: by several names, of one type, or not at all."""

import re
from typing import Any, TypeVar

from acp_nvim.protocol.schema.lenient import Lenient

M = TypeVar("M", bound=Lenient)

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def pick(raw: dict[str, Any], *names: str) -> Any:
    """The first of these fields that is there and not null."""
    return next((raw[name] for name in names if raw.get(name) is not None), None)


def text(raw: dict[str, Any], *names: str) -> str | None:
    """The first of these fields that holds a text, and not an empty one."""
    return next((found for name in names if isinstance(found := raw.get(name), str) and found), None)


def identifier(raw: dict[str, Any], *names: str) -> str | None:
    """The first of these fields that can be an id: a text, or a number as text."""
    found = next((raw[name] for name in names if isinstance(raw.get(name), str | int)), None)
    return None if found is None else str(found)


def snake(name: str) -> str:
    """AgentMessageChunk, agentMessageChunk: agent_message_chunk."""
    return _HUMP.sub("_", name).lower()


def read_all(model: type[M], raw: Any) -> tuple[M, ...] | None:
    """The good items; None where there is no list at all, so that what was there can stay."""
    if not isinstance(raw, list):
        return None
    return tuple(item for each in raw if (item := model.read(each)) is not None)
