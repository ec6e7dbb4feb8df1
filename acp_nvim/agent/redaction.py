"""Removes configured secrets from what is written to disk or shown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

_HIDDEN = "***"
_SHORT = 4  # shorter values, such as "1" and "on", would be cut out of every text
_COUNTS = ("id", "t")  # numbers that a reader of a record needs


class Redaction:
    """A value, and each of its lines, is hidden wherever it occurs within a text; a very short one only as the whole
    text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        whole = {secret for secret in secrets if secret}
        # those of several lines may come one by one; what has no letter and no digit is hidden in no text
        lines = {line.strip() for secret in whole for line in secret.splitlines()}
        self._whole = whole | {line for line in lines if any(map(str.isalnum, line))}
        long = {secret for secret in self._whole if len(secret) >= _SHORT}
        quoted = {json.dumps(secret, ensure_ascii=ascii)[1:-1] for secret in long for ascii in (True, False)}
        self._parts = sorted(long | quoted, key=len, reverse=True)  # one secret may begin with another
        self.longest = max((len(part.encode(errors="replace")) for part in self._parts), default=0)  # bytes

    def text(self, text: str) -> str:
        for part in self._parts:
            text = text.replace(part, _HIDDEN)
        return text

    def head(self, text: str, most: int) -> str:
        """Return at most so many characters, and no part of a secret that would be cut there."""
        while cut := [at for part in self._parts if (at := _across(text, part, most)) >= 0]:
            most = min(cut)
        return self.text(text[:most])

    def value(self, value: Any) -> Any:
        """Hide secrets in any JSON. Keys stay: they are the protocol's words, which a short secret could equal."""
        if not self._whole:
            return value
        if isinstance(value, str):
            return _HIDDEN if value in self._whole else self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self._of(key, item) for key, item in value.items()}
        return _HIDDEN if self._is_number(value) else value

    def _of(self, key: str, value: Any) -> Any:
        return value if key in _COUNTS and isinstance(value, int | float) else self.value(value)

    def _is_number(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        written = json.dumps(value)
        return len(written) >= _SHORT and written in self._whole


def _across(text: str, part: str, most: int) -> int:
    """Return where a secret begins that spans this place; -1 if none does."""
    return text.find(part, max(0, most - len(part) + 1), most + len(part) - 1)
