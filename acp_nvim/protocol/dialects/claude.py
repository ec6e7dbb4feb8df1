"""Claude Code, by its adapter. A fork ends at a message of the agent that `_meta` names."""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect


class Claude(Dialect):
    name: ClassVar[str] = "claude"
    agents: ClassVar[frozenset[str]] = frozenset({"@agentclientprotocol/claude-agent-acp"})
    forks_at_messages: ClassVar[bool] = True

    def fork_at(self, message_id: str) -> dict[str, Any]:
        point = {"version": 1, "messageId": message_id}
        return {"_meta": {"jetbrains": {"air": {"fork": point}}}}
