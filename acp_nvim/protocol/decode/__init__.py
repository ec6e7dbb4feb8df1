"""Converts what agents really send to the models of `schema`. No JSON makes it raise."""

from acp_nvim.protocol.decode.answers import (
    initialized,
    new_session,
    prompt_answer,
    saved_sessions,
    version_said,
)
from acp_nvim.protocol.decode.content import blocks
from acp_nvim.protocol.decode.elicitation import ask, elicitation
from acp_nvim.protocol.decode.json_fields import identifier, seconds
from acp_nvim.protocol.decode.notifications import notice
from acp_nvim.protocol.decode.permission import permission
from acp_nvim.protocol.decode.tokens import reset_time
from acp_nvim.protocol.decode.updates import update

__all__ = [
    "ask",
    "blocks",
    "elicitation",
    "identifier",
    "initialized",
    "new_session",
    "notice",
    "permission",
    "prompt_answer",
    "reset_time",
    "saved_sessions",
    "seconds",
    "update",
    "version_said",
]
