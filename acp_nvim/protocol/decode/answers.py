"""Decodes the answers to our requests. For `null` or `{}` in place of a set of options, the old set stays."""

import json
from typing import Any

from acp_nvim.protocol.decode import tokens
from acp_nvim.protocol.decode.content import joined
from acp_nvim.protocol.decode.json_fields import as_object, identifier
from acp_nvim.protocol.schema import Initialized, NewSession, PromptAnswer, SavedSessions

_VERSION = 40  # characters


def initialized(result: Any) -> Initialized:
    """Decode initialize. Without a version it is taken for 1, and an odd version becomes 0."""
    raw = as_object(result)
    version = raw.get("protocolVersion")
    return Initialized.read({**raw, "protocolVersion": 1 if version is None else version}) or Initialized()


def version_said(result: Any) -> str:
    """Return the protocol version as the agent wrote it, cut for a message."""
    return json.dumps(as_object(result).get("protocolVersion"))[:_VERSION]


def new_session(result: Any) -> NewSession:
    """Decode session/new, load, resume, fork and set_config_option."""
    raw = as_object(result)
    session = identifier(raw, "sessionId", "session_id")
    return NewSession.read({**raw, "sessionId": session}) or NewSession(session_id=session)


def saved_sessions(result: Any) -> SavedSessions:
    """Decode a page of session/list."""
    raw = {"sessions": result} if isinstance(result, list) else as_object(result)
    return SavedSessions.read(raw) or SavedSessions()


def prompt_answer(result: Any) -> PromptAnswer:
    raw = as_object(result)
    content, took = joined(raw.get("content")), tokens.of_prompt(raw)
    told = {**raw, "content": content, "tokens": took}
    return PromptAnswer.read(told) or PromptAnswer(content=content, tokens=took)
