"""Kimi Code. The title of a call of an MCP tool is the tool's name, and nothing else says it."""

import re
from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect, with_call

_MCP = re.compile(r"mcp__[\w.-]+")


class Kimi(Dialect):
    name: ClassVar[str] = "kimi"
    agents: ClassVar[frozenset[str]] = frozenset({"kimi code cli"})

    def update(self, params: Any) -> Any:
        return with_call(params, "update", _call)

    def permission(self, params: Any) -> Any:
        return with_call(params, "toolCall", _call)


def _call(call: dict[str, Any]) -> dict[str, Any]:
    title = call.get("title")
    return {**call, "name": title} if isinstance(title, str) and _MCP.fullmatch(title) else call
