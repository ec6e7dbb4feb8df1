"""Decodes counts of tokens and limits of the account, wherever an agent puts them.

- the standard has `usage` in the answer to session/prompt
- claude, codex and gemini tell it as `_meta.quota.token_count`, iac-code as `_meta.usage`
- qwen sends `_meta.usage` with an empty piece of text for each request to its model
- claude tells of the account's limits in `_meta` of a usage update, others in the data of an error
"""

from typing import Any

from acp_nvim.protocol.decode.json_fields import as_object, seconds
from acp_nvim.protocol.schema import RateLimit, Tokens

_LONG = 1e11  # seconds: a number that is larger is no time to wait
_RESETS = ("resetsAt", "resets_at", "resetAt", "reset_at", "resetTime")
_RETRY = ("retryAfter", "retry_after", "retryAfterSeconds", "retry_after_seconds")


def of_prompt(answer: dict[str, Any]) -> Tokens | None:
    """Return what the turn took; None if its answer does not say."""
    meta = as_object(answer.get("_meta"))
    quota = as_object(meta.get("quota"))
    places = (
        answer.get("usage"),
        quota.get("token_count"),
        quota.get("tokenCount"),
        quota,
        meta.get("usage"),
    )
    return next((found for place in places if (found := tokens(place))), None)


def tokens(raw: Any) -> Tokens | None:
    found = Tokens.read(raw)
    return found if found and (found.input is not None or found.output is not None) else None


def rate_limit(meta: dict[str, Any]) -> RateLimit | None:
    """Return the limit in the `_meta` of an update, whatever the agent's prefix."""
    for name, value in meta.items():
        if name.lower().replace("_", "").endswith("ratelimit") and isinstance(value, dict):
            resets = next((found for key in _RESETS if (found := seconds(value.get(key))) is not None), None)
            return RateLimit.read({**value, "resets": resets})
    return None


def reset_time(data: Any, now: float) -> float | None:
    """Return when a limit resets, in seconds since 1970, as the data of an error says."""
    for place in (
        as_object(data),
        as_object(as_object(data).get("error")),
        as_object(as_object(data).get("details")),
    ):
        for name in _RESETS:
            if (found := seconds(place.get(name))) is not None:
                return found
        for name in _RETRY:
            if isinstance(after := place.get(name), int | float) and 0 < after < _LONG:
                return now + after
    return None
