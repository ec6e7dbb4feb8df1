"""Handles what gemini does differently:

- it reads a file before it creates it, and gives up where the read fails: a missing one reads as empty
- it replays as words of the user what it has told the model by itself: the context of the session or of a hook, and
  `[Function Response: read_file]` in the place of what a tool has answered

What needs no dialect: a replay after the answer to session/load, permissions before their tool calls, text as
the answer to session/set_mode, 400 as the code of an error.
"""

import re
from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import NOT_FOUND, RpcError

_FOR_THE_MODEL = re.compile(
    r"\s*(?:<(?:session|hook)_context>.*|(?:\[Function Response: [^]]*\]\s*)+)", re.DOTALL
)


class Gemini(Dialect):
    name: ClassVar[str] = "gemini"
    agents: ClassVar[frozenset[str]] = frozenset({"gemini", "gemini-cli"})

    def update(self, params: Any) -> Any:
        update = params.get("update") if isinstance(params, dict) else None
        if not isinstance(update, dict) or update.get("sessionUpdate") != "user_message_chunk":
            return params
        block = update.get("content")
        if not isinstance(block, dict) or not _FOR_THE_MODEL.fullmatch(str(block.get("text"))):
            return params
        return {**params, "update": {**update, "content": {**block, "text": ""}}}

    def instead(self, method: str, error: RpcError) -> dict[str, Any] | None:
        missing = method == "fs/read_text_file" and error.code == NOT_FOUND
        return {"content": ""} if missing else None
