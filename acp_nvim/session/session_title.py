"""Tells titles of a session that say nothing from those that do: of the former the first prompt takes the place."""

from __future__ import annotations

import os
import re

_WHEN = (
    r"[\d\s:.,/+#()\[\]…\u2013—-]|t|z|utc|gmt|am|pm|at|on|of|from"
    r"|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri"
    r"|sat(?:ur)?|sun)(?:day)?"
)
# "New session - 2026-11-20T10:00:00Z", "untitled chat 3", "Session"
_EMPTY = re.compile(
    r"\s*(?:(?:new|untitled|unnamed|empty|acp)\s*)*(?:session|chat|conversation|thread)?(?:" + _WHEN + ")*",
    re.IGNORECASE,
)


def telling(title: str | None, id: str | None, cwd: str | None) -> str | None:
    """Return a title if it says what the session is about: more than its id, its folder or when it began."""
    if title is None:
        return None
    words = title.replace(id, "") if id else title
    folder = (cwd or "").rstrip("/")
    if _EMPTY.fullmatch(words) or os.path.expanduser(title.strip()).rstrip("/") in (
        folder,
        os.path.basename(folder),
    ):
        return None
    return title
