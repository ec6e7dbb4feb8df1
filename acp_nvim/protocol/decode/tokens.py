"""Decodes counts of tokens and limits of the account, wherever an agent puts them.

- the standard has `usage` in the answer to session/prompt
- claude, codex and gemini tell it as `_meta.quota.token_count`, iac-code as `_meta.usage`
- qwen sends `_meta.usage` with an empty piece of text for each request to its model
- claude tells of the account's limits in `_meta` of a usage update, others in the data of an error
"""

from datetime import UTC, datetime
from typing import Any

from acp_nvim.protocol.schema import RateLimit, Tokens

_MILLISECONDS = 1e11  # a time that is larger is not in seconds
_RESETS = ("resetsAt", "resets_at", "resetAt", "reset_at", "resetTime")
_RETRY = ("retryAfter", "retry_after", "retryAfterSeconds", "retry_after_seconds")


def of_prompt(answer: dict[str, Any]) -> Tokens | None:
    """Return what the turn took; None if its answer does not say."""
    meta = _object(answer.get("_meta"))
    quota = _object(meta.get("quota"))
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
    for place in (_object(data), _object(_object(data).get("error")), _object(_object(data).get("details"))):
        for name in _RESETS:
            if (found := seconds(place.get(name))) is not None:
                return found
        for name in _RETRY:
            if isinstance(after := place.get(name), int | float) and 0 < after < _MILLISECONDS:
                return now + after
    return None


def seconds(when: Any) -> float | None:
    """Return seconds since 1970; agents send a date, seconds or milliseconds."""
    try:
        if isinstance(when, str):
            date = datetime.fromisoformat(when)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        if isinstance(when, bool) or not isinstance(when, int | float):
            return None
        return when / 1000 if when > _MILLISECONDS else float(when)
    except (ValueError, OverflowError):
        return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
