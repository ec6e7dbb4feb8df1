"""Handles what gemini does differently:

- it reads a file before it creates it, and gives up where the read fails: a missing one reads as empty

What needs no dialect: a replay after the answer to session/load, permissions before their tool calls, text as
the answer to session/set_mode, 400 as the code of an error.
"""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.errors import NOT_FOUND, RpcError


class Gemini(Dialect):
    name: ClassVar[str] = "gemini"
    agents: ClassVar[frozenset[str]] = frozenset({"gemini", "gemini-cli"})

    def instead(self, method: str, error: RpcError) -> dict[str, Any] | None:
        missing = method == "fs/read_text_file" and error.code == NOT_FOUND
        return {"content": ""} if missing else None
