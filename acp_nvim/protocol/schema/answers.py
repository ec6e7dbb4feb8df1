"""Models of the answers to our requests."""

from typing import Any

from pydantic import AliasChoices, Field

from acp_nvim.protocol.methods import offers
from acp_nvim.protocol.schema.lenient import Count, Items, Key, Lenient, named
from acp_nvim.protocol.schema.session_options import ConfigOption, ModeState
from acp_nvim.protocol.schema.tokens import Tokens


class AgentInfo(Lenient):
    name: str = ""
    title: str | None = None
    version: str | None = None


class AuthVariable(Lenient):
    """An environment variable that holds an agent's key."""

    name: str


class AuthMethod(Lenient):
    """A way to log in. `terminal` ones are run in a terminal, never asked for by `authenticate`."""

    id: str
    name: str
    type: str = "agent"
    description: str | None = None
    args: Items[str] = ()
    env: dict[str, str] = Field(default_factory=dict)
    vars: Items[AuthVariable] = ()
    meta: dict[str, Any] = Field(default_factory=dict, validation_alias="_meta")

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        return named(raw, "id")

    @property
    def in_terminal(self) -> bool:
        return self.type == "terminal" or isinstance(self.meta.get("terminal-auth"), dict)


class Initialized(Lenient):
    """`protocol_version` is 0 where the agent's is no number; `capabilities` are as it sent them."""

    protocol_version: Count = 0
    agent_info: AgentInfo | None = None
    capabilities: dict[str, Any] = Field(default_factory=dict, validation_alias="agentCapabilities")
    auth_methods: Items[AuthMethod] = ()
    meta: dict[str, Any] = Field(default_factory=dict, validation_alias="_meta")

    def offers(self, path: str) -> bool:
        return offers(self.capabilities, path)

    @property
    def can_load(self) -> bool:
        return self.offers("loadSession")

    @property
    def can_logout(self) -> bool:
        return self.offers("auth.logout")

    def takes(self, content: str) -> bool:
        """Whether prompts may hold "image", "audio" or "embeddedContext"."""
        return self.offers(f"promptCapabilities.{content}")

    def session(self, ability: str) -> bool:
        """Whether sessions offer "list", "resume", "close", "delete", "fork" or "additionalDirectories"."""
        return self.offers(f"sessionCapabilities.{ability}")

    def mcp(self, transport: str) -> bool:
        """Whether MCP servers over "http" or "sse" are accepted; stdio always is."""
        return self.offers(f"mcpCapabilities.{transport}")


class NewSession(Lenient):
    """Also the answer to load, resume, fork and set_config_option. None: not sent, the old value stays."""

    session_id: str | None = None
    modes: ModeState | None = None
    models: ModeState | None = None
    config_options: Items[ConfigOption] | None = None
    trust: str | None = None  # vibe: whether it trusts the folder
    ignored: Items[str] | None = None  # what it ignores there, because it does not

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        meta = raw.get("_meta")
        said = meta.get("workspace_trust") if isinstance(meta, dict) else None
        if not isinstance(said, dict):
            return raw
        details = said.get("details")
        ignored = details.get("ignoredFiles") if isinstance(details, dict) else None
        return {**raw, "trust": said.get("status"), "ignored": ignored}


class SavedSession(Lenient):
    """`updated_at` is a text in the standard, and a number of some agents. `roots`: its further folders."""

    session_id: Key = Field(validation_alias=AliasChoices("sessionId", "session_id", "id"))
    title: str | None = Field(None, validation_alias=AliasChoices("title", "name"))
    cwd: str | None = None
    updated_at: str | int | float | None = Field(
        None, validation_alias=AliasChoices("updatedAt", "updated_at", "lastModified")
    )
    roots: Items[str] = Field(
        (), validation_alias=AliasChoices("additionalDirectories", "additional_directories")
    )


class SavedSessions(Lenient):
    """One page of the list; only the agent understands the cursor."""

    sessions: Items[SavedSession] = ()
    next_cursor: str | None = None


class PromptAnswer(Lenient):
    """`content` is the whole message, from agents that answer with it instead of streaming chunks."""

    stop_reason: str = "end_turn"
    content: str | None = None
    tokens: Tokens | None = None
    branch_point: Key | None = None  # qwen: up to which the session can be copied

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        meta = raw.get("_meta")
        point = meta.get("qwen.branchPoint") if isinstance(meta, dict) else None
        return {**raw, "branchPoint": point.get("checkpointUuid") if isinstance(point, dict) else None}
