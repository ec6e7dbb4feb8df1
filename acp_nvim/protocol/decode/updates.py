"""Decodes `session/update`, with the leniency that the standard asks for and that known agents need.

The standard is `{sessionId, update: {sessionUpdate: tag, …}}`; there are agents that put the update's fields
beside the sessionId, call the tag `type`, or write it as the name of a class. Nothing makes it raise.
"""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol.decode import subagents
from acp_nvim.protocol.decode.content import blocks, is_context, joined
from acp_nvim.protocol.decode.json_fields import clearable, identifier, pick, read_all, snake, text
from acp_nvim.protocol.decode.notifications import first_suggestion, suggested
from acp_nvim.protocol.decode.tokens import rate_limit, tokens
from acp_nvim.protocol.decode.tool_call import tool_call
from acp_nvim.protocol.decode.user_text import user_text
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.schema import (
    UNSET,
    Chunk,
    Command,
    CommandsUpdate,
    CompactionUpdate,
    ConfigOption,
    ContextChunk,
    InfoUpdate,
    Level,
    LimitUpdate,
    ModeUpdate,
    NoticeUpdate,
    OptionsUpdate,
    PlanEntry,
    PlanUpdate,
    Role,
    Text,
    TokensUpdate,
    ToolCallGrowth,
    ToolCallUpdate,
    UnknownUpdate,
    Update,
    Usage,
    UsageUpdate,
)

_ROLES: dict[str, Role] = {
    "agent_message_chunk": "agent",
    "agent_thought_chunk": "thought",
    "user_message_chunk": "user",
}
_POINT = re.compile(r"^[ \t]*(?:[-*]|\d{1,4}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)$", re.MULTILINE)
_LEVELS: dict[str, Level] = {"info": "info", "warning": "warning", "error": "error"}


def update(params: Any, dialect: Dialect) -> tuple[str | None, list[Update]]:
    """Return the session's id and its updates: mostly one, several if a chunk holds several blocks."""
    params = dialect.update(params)
    # Chunks of text are nearly all of the traffic, and nearly all of them are well formed.
    try:
        told = params["update"]
        role = _ROLES.get(told["sessionUpdate"])
        if role and role != "user":
            session, content, message = params["sessionId"], told["content"], told.get("messageId")
            words = content["text"]
            if (
                content["type"] == "text"
                and words.__class__ is session.__class__ is str
                and (message is None or message.__class__ is str)
                and content.get("annotations") is None
                and words  # else it is there for what goes along with it
            ):
                return session, [Chunk(role, words, None, message)]
    except (KeyError, TypeError, AttributeError):
        pass  # read below, where any shape is accepted
    session, updates = _patiently(params)
    return session, [_growth(each) for each in updates] if dialect.appends else updates


def _patiently(params: Any) -> tuple[str | None, list[Update]]:
    if not isinstance(params, dict):
        return None, [UnknownUpdate("", params)]
    told = params["update"] if isinstance(params.get("update"), dict) else params
    tag = _tag(told)
    if not tag and (other := _tag(params)):
        told, tag = params, other
    reader = _READERS.get(tag)
    found = reader(told) if reader else _chunks(_ROLES[tag], told) if tag in _ROLES else None
    found = [*(found or [UnknownUpdate(tag, told)]), *_beside(told.get("_meta"))]
    return identifier(params, "sessionId", "session_id"), found


def _beside(meta: Any) -> list[Update]:
    """Decode what agents tell of tokens and limits beside an update."""
    if not isinstance(meta, dict):
        return []
    took, limit = tokens(meta.get("usage")), rate_limit(meta)
    return [*([TokensUpdate(took)] if took else []), *([LimitUpdate(limit)] if limit else [])]


def _growth(update: Update) -> Update:
    if not isinstance(update, ToolCallUpdate) or not update.known or not update.content:
        return update
    # the same fields in a class that says so: no list of them that could lag behind
    return ToolCallGrowth(**{each.name: getattr(update, each.name) for each in fields(update)})


def _tag(raw: dict[str, Any]) -> str:
    tag = text(raw, "sessionUpdate", "type")
    return snake(tag) if tag else ""


def _chunks(role: Role, raw: dict[str, Any]) -> list[Update]:
    message = text(raw, "messageId", "message_id")
    content = pick(raw, "content", "text")
    chunks: list[Update] = []
    for each in content if isinstance(content, list) else [content]:
        is_users = role == "user" and not is_context(each)
        for part in blocks(each):
            words, other = (part.text, None) if isinstance(part, Text) else (None, part)
            if words is not None and is_users:
                chunks.append(user_text(words, message))
            else:
                chunks.append((ContextChunk if is_context(each) else Chunk)(role, words, other, message))
    return chunks


def _announced(raw: dict[str, Any]) -> list[Update]:
    return [tool_call(raw, known=False)]


def _changed(raw: dict[str, Any]) -> list[Update]:
    return [tool_call(raw, known=True)]


def _plan(raw: dict[str, Any]) -> list[Update]:
    entries = read_all(PlanEntry, raw.get("entries"))
    return [] if entries is None else [PlanUpdate(entries)]


def _plan_by_id(raw: dict[str, Any]) -> list[Update]:
    """Decode `plan_update`, which is not in the standard yet: a plan in steps, in words, or in a file."""
    plan = raw["plan"] if isinstance(raw.get("plan"), dict) else {}
    id = identifier(plan, "planId", "plan_id") or ""
    match text(plan, "type"):
        case "items":
            entries = read_all(PlanEntry, plan.get("entries"))
            return [] if entries is None else [PlanUpdate(entries, id)]
        case "markdown" if words := text(plan, "content"):
            points = [
                PlanEntry(content=step, status="completed" if done.strip() else "pending")
                for done, step in _POINT.findall(words[: limits.PLAN_CHARS])
            ]
            return [PlanUpdate(tuple(points), id, "" if points else words[: limits.PLAN_CHARS])]
        case "file" if uri := text(plan, "uri"):
            return [PlanUpdate((), id, uri[: limits.PLAN_CHARS])]
    return []


def _plan_removed(raw: dict[str, Any]) -> list[Update]:
    return [PlanUpdate((), identifier(raw, "planId", "plan_id") or "", is_removed=True)]


def _commands(raw: dict[str, Any]) -> list[Update]:
    commands = read_all(Command, raw.get("availableCommands"))
    return [] if commands is None else [CommandsUpdate(commands)]


def _options(raw: dict[str, Any]) -> list[Update]:
    options = read_all(ConfigOption, raw.get("configOptions"))
    return [] if options is None else [OptionsUpdate(options)]


def _mode(raw: dict[str, Any]) -> list[Update]:
    mode = text(raw, "currentModeId", "modeId")
    return [] if mode is None else [ModeUpdate(mode)]


def _info(raw: dict[str, Any]) -> list[Update]:
    return [InfoUpdate(clearable(raw, "title"), clearable(raw, "updatedAt"), suggested(raw))]


def _suggestions(raw: dict[str, Any]) -> list[Update]:
    found = first_suggestion(raw)
    return [] if found is None else [InfoUpdate(suggestion=found)]


def _usage(raw: dict[str, Any]) -> list[Update]:
    usage = Usage.read(raw)
    return [] if usage is None else [UsageUpdate(usage)]


def _notice(raw: dict[str, Any]) -> list[Update]:
    words = [part for part in (text(raw, "title"), text(raw, "description")) if part]
    level = _LEVELS.get(text(raw, "severity") or "", "info")
    return [NoticeUpdate(level, "\n".join(words))] if words else []


def _compaction(raw: dict[str, Any]) -> list[Update]:
    id, status = identifier(raw, "compactionId") or "", text(raw, "status") or "in_progress"
    summary = joined(raw["summary"]) if "summary" in raw else UNSET
    return [CompactionUpdate(id, status, summary, clearable(raw, "error"))]


def _compaction_chunk(raw: dict[str, Any]) -> list[Update]:
    return [CompactionUpdate(identifier(raw, "compactionId") or "", summary=joined(raw.get("content")))]


_READERS: dict[str, Callable[[dict[str, Any]], list[Update]]] = {
    "tool_call": _announced,
    "tool_call_start": _announced,
    "tool_call_update": _changed,
    "tool_call_progress": _changed,
    "plan": _plan,
    "plan_update": _plan_by_id,
    "plan_removed": _plan_removed,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _options,
    "session_info_update": _info,
    "prompt_suggestions_update": _suggestions,
    "usage_update": _usage,
    "notice": _notice,
    "compaction_update": _compaction,
    "compaction_summary_chunk": _compaction_chunk,
    "subagent_update": subagents.subagent,
    "session_message": subagents.message,
    "session_message_chunk": subagents.message_chunk,
}
