"""Finds words for a user in the JSON that agents put into their errors and output.

API Error: 529 {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
API Error: 529 Overloaded
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

MESSAGES = ("message", "error", "detail", "reason", "stderr", "output", "stdout", "text", "content")
_DEPTH, _FEW = 4, 10  # of values within values, and of a list


def message(value: Any, names: Sequence[str] = MESSAGES, depth: int = _DEPTH) -> str:
    """Return the first text of a JSON value that stands under one of the names, at whatever depth."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return next(filter(None, (message(each, names, depth - 1) for each in value[:_FEW])), "")
    if depth and isinstance(value, dict):
        return next(filter(None, (message(value.get(name), names, depth - 1) for name in names)), "")
    return ""


def without_json(text: str) -> str:
    """Return the text with its first JSON object replaced by the message in it. One without a message stays."""
    at = text.find("{")
    if at < 0:
        return text
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return text
    found = message(value)
    return f"{text[:at]}{found}{text[end:]}" if found else text
