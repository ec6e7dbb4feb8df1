"""A permission request, as the normaliser hands it on."""

from dataclasses import dataclass
from typing import Any

from acp_nvim.protocol.schema.updates import ToolCallUpdate


@dataclass(frozen=True, slots=True)
class PermissionOption:
    """`id` is for comparing; `sent` is what the agent gave, and gets back."""

    id: str
    name: str
    kind: str
    sent: Any


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """The tool call's id is "" where the agent names none."""

    session_id: str | None
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]
    raw: Any
