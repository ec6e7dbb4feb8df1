"""Decodes `session/request_permission`: the offered options, and a tool call even if none was sent."""

from collections.abc import Iterator
from typing import Any

from acp_nvim.protocol.decode.json_fields import as_object, identifier, pick, text
from acp_nvim.protocol.decode.tool_call import tool_call
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.schema import PermissionOption, PermissionRequest, ToolCallUpdate

# The kind of options that do not name it, by their id.
_KINDS = {
    "allow": "allow_once",
    "reject": "reject_once",
    **{kind: kind for kind in ("allow_once", "allow_always", "reject_once", "reject_always")},
}
_NAMES = {
    "allow_once": "Allow once",
    "allow_always": "Always allow",
    "reject_once": "Reject once",
    "reject_always": "Always reject",
}


def permission(params: Any, dialect: Dialect) -> PermissionRequest:
    params = dialect.permission(params)
    raw = as_object(params)
    session = identifier(raw, "sessionId", "session_id")
    return PermissionRequest(session, _tool_call(raw), _options(raw), params)


def _tool_call(raw: dict[str, Any]) -> ToolCallUpdate:
    call = pick(raw, "toolCall", "tool_call")
    if isinstance(call, dict):
        return tool_call(call, known=True)
    if isinstance(call, str):
        return tool_call({"id": call}, known=True)
    # Some agents send the fields of the tool call beside the session's id, with only a description to show.
    beside = {"id": identifier(raw, "permissionId"), "content": raw.get("description"), **raw}
    return tool_call(beside, known=True)


def _options(raw: dict[str, Any]) -> tuple[PermissionOption, ...]:
    offered = raw.get("options")
    if offered is None and text(raw, "toolName", "permissionId") is not None:
        return tuple(PermissionOption(kind, name, kind, kind) for kind, name in _NAMES.items())
    options: list[PermissionOption] = []
    taken: set[str] = set()
    for position, item in enumerate(offered if isinstance(offered, list) else (), start=1):
        option = _option(item, f"option-{position}", taken)
        if option is not None:
            options.append(option)
            taken.add(option.id)
    return tuple(options)


def _option(raw: Any, by_position: str, taken: set[str]) -> PermissionOption | None:
    raw = {"optionId": raw} if isinstance(raw, str) else raw
    if not isinstance(raw, dict):
        return None
    name, kind = text(raw, "name", "label"), text(raw, "kind")
    given = next(
        (raw[key] for key in ("optionId", "id", "option_id") if isinstance(raw.get(key), str | int)), None
    )
    if given is None:
        given = next((made for made in (kind, name) if made and made not in taken), by_position)
    id = str(given)
    # some agents name an option by its kind alone
    name = _NAMES.get(name, name) if name else _NAMES.get(kind or id, id)
    return PermissionOption(
        id, name, kind or _KINDS.get(id, ""), given, tuple(_covered(raw.get("_meta"))) or None
    )


def _covered(meta: Any) -> Iterator[str]:
    """Yield what an option would cover from then on, which vibe says in `required_permissions`."""
    said = meta.get("required_permissions") if isinstance(meta, dict) else None
    for each in said if isinstance(said, list) else ():
        if isinstance(each, dict):
            scope, label = text(each, "scope"), text(each, "label")
            pattern = text(each, "session_pattern", "invocation_pattern")
            if found := " ".join(dict.fromkeys(part for part in (label or scope, pattern) if part)):
                yield found
