"""Says in one line which limit of the account is near or reached, and when it resets."""

from __future__ import annotations

import time

from acp_nvim.protocol.schema import RateLimit
from acp_nvim.text.printable import one_line

_FINE = {"", "allowed", "ok"}
_KIND = 40  # characters


def describe(limit: RateLimit, now: float) -> str:
    """Return the line; empty if there is nothing to say."""
    if limit.status in _FINE:
        return ""
    kind = one_line(limit.kind[:_KIND].replace("_", " "))
    what = f"rate limit ({kind})" if kind else "rate limit"
    state = "reached" if limit.status == "rejected" else _used(limit)
    resets = until(limit.resets, now)
    return f"{what} {state}{f': it resets {resets}' if resets else ''}"


def _used(limit: RateLimit) -> str:
    if limit.used is None:
        return "is almost reached"
    percent = limit.used * 100 if limit.used <= 1 else limit.used
    return f"is {min(percent, 100):.0f} % used"


def until(when: float | None, now: float) -> str:
    """Return `at 14:30`, with the day if it is another one; empty if it is not known or over."""
    if when is None or not now < when < now + 400 * 86400:
        return ""
    there = time.localtime(when)
    is_today = time.strftime("%F", there) == time.strftime("%F", time.localtime(now))
    return time.strftime("at %H:%M" if is_today else "on %a %d %b at %H:%M", there)
