"""Describes how many tokens a turn took, and the limits of an account, in one form for all agents."""

from pydantic import AliasChoices, Field

from acp_nvim.protocol.schema.lenient import Count, Lenient, Number


def _named(*names: str) -> AliasChoices:
    return AliasChoices(*names)


class Tokens(Lenient):
    """A count of tokens. None: the agent does not say. Whether `input` holds the cached ones is up to the agent."""

    input: Count | None = Field(None, validation_alias=_named("inputTokens", "input_tokens", "promptTokens"))
    output: Count | None = Field(None, validation_alias=_named("outputTokens", "output_tokens"))
    thought: Count | None = Field(
        None, validation_alias=_named("thoughtTokens", "thought_tokens", "reasoningOutputTokens")
    )
    cached_read: Count | None = Field(
        None,
        validation_alias=_named(
            "cachedReadTokens", "cached_read_tokens", "cachedInputTokens", "cache_read_input_tokens"
        ),
    )
    cached_write: Count | None = Field(
        None,
        validation_alias=_named(
            "cachedWriteTokens",
            "cached_write_tokens",
            "cacheWriteInputTokens",
            "cache_creation_input_tokens",
        ),
    )
    total: Count | None = Field(None, validation_alias=_named("totalTokens", "total_tokens"))


class RateLimit(Lenient):
    """A limit of the account. `resets` is in seconds since 1970, `used` a share or a percentage."""

    status: str = ""
    kind: str = Field("", validation_alias=_named("rateLimitType", "type", "limitName"))
    resets: Number | None = None
    used: Number | None = Field(None, validation_alias=_named("utilization", "usedPercent"))
