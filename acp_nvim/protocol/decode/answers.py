"""The answers to our requests; null and `{}` where a set was due mean that nothing was said."""

import json
from typing import Any

from acp_nvim.protocol.decode.content import joined
from acp_nvim.protocol.decode.json_fields import identifier
from acp_nvim.protocol.schema import Initialized, NewSession, PromptAnswer, SavedSessions

_VERSION = 40  # characters


def initialized(result: Any) -> Initialized:
    """An agent that names no version speaks the first; one that names an odd one is version 0."""
    raw = _object(result)
    version = raw.get("protocolVersion")
    return Initialized.read({**raw, "protocolVersion": 1 if version is None else version}) or Initialized()


def version_said(result: Any) -> str:
    """The version as the agent wrote it, as much of it as can be told."""
    return json.dumps(_object(result).get("protocolVersion"))[:_VERSION]


def new_session(result: Any) -> NewSession:
    """Also for session/load, resume, fork and set_config_option."""
    raw = _object(result)
    session = identifier(raw, "sessionId", "session_id")
    return NewSession.read({**raw, "sessionId": session}) or NewSession(session_id=session)


def saved_sessions(result: Any) -> SavedSessions:
    """A page of session/list."""
    raw = {"sessions": result} if isinstance(result, list) else _object(result)
    return SavedSessions.read(raw) or SavedSessions()


def prompt_answer(result: Any) -> PromptAnswer:
    raw = _object(result)
    usage = raw.get("usage") or _object(raw.get("metadata")).get("usage")
    content = joined(raw.get("content"))
    return PromptAnswer.read({**raw, "usage": usage, "content": content}) or PromptAnswer(content=content)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
