"""Models a decoded permission request."""

from typing import Any, NamedTuple

from acp_nvim.protocol.schema.updates import ToolCallUpdate


class PermissionOption(NamedTuple):
    """`id` is for comparing; `sent` is the id as the agent sent it and gets it back. `covers`: what choosing it would
    allow from then on, where the agent says so."""

    id: str
    name: str
    kind: str
    sent: Any
    covers: tuple[str, ...] | None = None


class PermissionRequest(NamedTuple):
    """The tool call's id is "" if the agent names none."""

    session_id: str | None
    tool_call: ToolCallUpdate
    options: tuple[PermissionOption, ...]
    raw: Any
