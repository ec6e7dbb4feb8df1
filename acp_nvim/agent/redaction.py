r"""Removes configured secrets from what is written to disk or shown.

A secret is also found as texts within texts hold it. Of `s/k-1` these are hidden, in any mixture:

    s%2Fk-1    s%252fk-1    s\/k-1    s\\\/k-1    \u0073\u002fk-1    cy9rLTE (base64)
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

_HIDDEN = "***"
_SHORT = 4  # shorter values, such as "1" and "on", would be cut out of every text
_SHORT_ENCODED = 8  # for base64: of a shorter one too few letters would be left to be sure
_COUNTS = ("id", "t")  # numbers that a reader of a record needs
_WIDTH = 8  # a character of a secret may take as many: \\u0073
_CODE = re.compile(r"\\u([0-9a-f]{4})|%(?:25)*([0-9a-f]{2})", re.I)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_BACKSLASHES = r"(?:\\++(?i:u005c)?|(?i:%(?:25)*5c))++"  # any number: escapes double them


class Redaction:
    """A value, and each of its lines, is hidden wherever it occurs within a text; a very short one only as the whole
    text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Hide further secrets from now on."""
        whole = self._whole | {secret for secret in secrets if secret}
        # those of several lines may come one by one; what has no letter and no digit is hidden in no text
        lines = {line.strip() for secret in whole for line in secret.splitlines()}
        self._whole = whole | {line for line in lines if any(map(str.isalnum, line))}
        long = sorted((each for each in self._whole if len(each) >= _SHORT), key=len, reverse=True)
        parts = {part for secret in long for part in (secret, *_encoded(secret))}
        self._parts = sorted(parts, key=len, reverse=True)  # one secret may begin with another
        readings = (form for secret in long for form in (secret, _as_bytes(secret)))
        self._bare = {form.replace("\\", "") for form in readings}
        self._escaped = re.compile("|".join(map(_escaped, long)) or r"(?!)")
        self.longest = _WIDTH * max((len(part.encode(errors="replace")) for part in long), default=0)  # bytes

    def text(self, text: str) -> str:
        for part in self._parts:
            text = text.replace(part, _HIDDEN)
        return self._escaped.sub(_HIDDEN, text) if self._is_escaped_in(text) else text

    def head(self, text: str, most: int) -> str:
        """Return at most so many characters, and no part of a secret that would be cut there."""
        while (cut := min(self._cut(text, most), default=most)) < most:
            most = cut
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

    def _is_escaped_in(self, text: str) -> bool:
        """Whether a secret may stand in the text with escapes. This is quick, where looking for each form is not."""
        if "\\" not in text and "%" not in text:
            return False
        bare = _PAIR.sub(_joined, _CODE.sub(_character, text).replace("\\", ""))
        return any(secret in bare for secret in self._bare)

    def _cut(self, text: str, most: int) -> Iterator[int]:
        """Yield where each secret begins that spans this place."""
        for part in self._parts:
            at = text.find(part, max(0, most - len(part) + 1), most + len(part) - 1)
            if at >= 0:
                yield at
        around = slice(max(0, most - self.longest), most + self.longest)
        if self._is_escaped_in(text[around]):
            for found in self._escaped.finditer(text, around.start, around.stop):
                if found.start() < most < found.end():
                    yield found.start()


def _encoded(secret: str) -> Iterator[str]:
    """Yield the forms in which programs write it, as far as they are one text each."""
    yield from (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
    yield from (quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace"))
    data = secret.encode(errors="replace")
    for before in range(3) if len(data) >= _SHORT_ENCODED else ():  # it may stand behind a user's name
        # letters that hold bits of what stands before or behind it differ
        start, end = -(-8 * before // 6), 8 * (before + len(data)) // 6
        for letters in (b"+/", b"-_"):
            yield base64.b64encode(bytes(before) + data, letters).decode()[start:end]


def _escaped(secret: str) -> str:
    """Return an expression for a secret with any character escaped, once or within other escapes."""
    pieces = re.findall(r"\\+|.", secret, re.S)
    return r"(?<!\\)" + "".join(_BACKSLASHES if piece[0] == "\\" else _one(piece) for piece in pieces)


def _one(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    code = r"\\++u".join(units[at : at + 2].hex() for at in range(0, len(units), 2))
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode(errors="replace"))
    return rf"\\*+(?:{re.escape(char)}|(?i:u{code}|{percent}))"


def _as_bytes(text: str) -> str:
    """Return a text with a character for each byte, as percent signs write it."""
    return text.encode(errors="replace").decode("latin-1")


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1] or found[2], 16))
