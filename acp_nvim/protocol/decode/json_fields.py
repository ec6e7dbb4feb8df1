"""Reads one field of hostile JSON by several names: a value of the wanted type, or None."""

import math
import re
from datetime import UTC, datetime
from typing import Any, TypeVar

from acp_nvim.protocol.schema import UNSET, Unset
from acp_nvim.protocol.schema.lenient import Lenient

M = TypeVar("M", bound=Lenient)

_IDS = (str, int)
_MILLISECONDS = 1e11  # a time that is larger is not in seconds
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def as_object(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def pick(raw: dict[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not null."""
    for name in names:
        if (found := raw.get(name)) is not None:
            return found
    return None


def text(raw: dict[str, Any], *names: str) -> str | None:
    """Return the first of these fields that holds a text that is not empty."""
    for name in names:  # this is called a dozen times for each update: a generator took three times as long
        found = raw.get(name)
        if found and isinstance(found, str):
            return found
    return None


def identifier(raw: dict[str, Any], *names: str) -> str | None:
    """Return the first of these fields that can be an id: a text, or a number as text."""
    for name in names:
        if isinstance(found := raw.get(name), _IDS):
            return str(found)
    return None


def clearable(raw: dict[str, Any], name: str) -> str | Unset | None:
    """Return a field in which null clears the value and an absent or odd value leaves it."""
    value = raw.get(name, UNSET)
    return value if value is None or isinstance(value, str) else UNSET


def seconds(when: Any) -> float | None:
    """Return seconds since 1970; agents send a date, seconds or milliseconds."""
    try:
        if isinstance(when, str):
            date = datetime.fromisoformat(when)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        if isinstance(when, bool) or not isinstance(when, int | float) or not math.isfinite(when):
            return None
        return when / 1000 if when > _MILLISECONDS else float(when)
    except (ValueError, OverflowError):
        return None


def snake(name: str) -> str:
    """Convert AgentMessageChunk and agentMessageChunk to agent_message_chunk."""
    return name if name.islower() else _HUMP.sub("_", name).lower()


def read_all(model: type[M], raw: Any) -> tuple[M, ...] | None:
    """Return the valid items; None if there is no list, so that the caller keeps the old one."""
    if not isinstance(raw, list):
        return None
    return tuple(item for each in raw if (item := model.read(each)) is not None)
