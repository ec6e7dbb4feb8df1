"""Decodes what agents say of sessions that they have begun by themselves, and what these say to each other."""

import os
from typing import Any

from acp_nvim.protocol.decode.content import joined
from acp_nvim.protocol.decode.json_fields import clearable, identifier, text
from acp_nvim.protocol.methods import offers
from acp_nvim.protocol.schema import UNSET, SessionMessageUpdate, SubagentUpdate, Unset, Update


def subagent(raw: dict[str, Any]) -> list[Update]:
    # with older names, `sessionId` is that of its parent, if it is there at all
    id = identifier(raw, "subagentSessionId", "sessionId", "session_id")
    if not id:
        return []
    state, stop_reason = _state(raw)
    return [
        SubagentUpdate(
            id,
            clearable(raw, "title" if "title" in raw else "name"),
            clearable(raw, "description" if "description" in raw else "task"),
            state,
            stop_reason,
            _cwd(raw),
            offers(raw, "capabilities.cancel") if "capabilities" in raw else None,
        )
    ]


def _state(raw: dict[str, Any]) -> tuple[str | Unset | None, str | None]:
    """Return the state and why the work has stopped. A state is an object, of some agents a bare text."""
    said = raw.get("state", UNSET)
    if isinstance(said, dict):
        return text(said, "state") or UNSET, text(said, "stopReason")
    return (said, None) if said is None or (said and isinstance(said, str)) else (UNSET, None)


def _cwd(raw: dict[str, Any]) -> str | Unset | None:
    cwd = clearable(raw, "cwd")
    return UNSET if isinstance(cwd, str) and not os.path.isabs(cwd) else cwd


def message(raw: dict[str, Any]) -> list[Update]:
    id = identifier(raw, "messageId", "message_id")
    if not id:
        return []
    sender, recipient = clearable(raw, "senderSessionId"), clearable(raw, "recipientSessionId")
    content = joined(raw["content"]) if "content" in raw else UNSET
    return [SessionMessageUpdate(id, sender, recipient, content)]


def message_chunk(raw: dict[str, Any]) -> list[Update]:
    id = identifier(raw, "messageId", "message_id")
    content = joined(raw.get("content"))
    return [SessionMessageUpdate(id, text=content, grows=True)] if id and content else []
