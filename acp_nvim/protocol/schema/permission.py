"""A permission request, as the normaliser hands it on."""

from typing import Any, NamedTuple

from acp_nvim.protocol.schema.updates import ToolCallUpdate


class PermissionOption(NamedTuple):
    """`id` is for comparing; `sent` is what the agent gave, and gets back."""

    id: str
    name: str
    kind: str
    sent: Any


class PermissionRequest(NamedTuple):
    """The tool call's id is "" where the agent names none."""

    session_id: str | None
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]
    raw: Any
