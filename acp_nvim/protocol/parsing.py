"""From a line to JSON: by a quick parser, which takes a thirtieth of a second to load, or until then by a plain one.

Both read the same: what they could see differently, and what the plain one refuses, is the quick one's.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

_WORTH_IT = 400  # messages: an agent that sends as many may send thousands
_SHORT = 16 * 1024
_DEEPEST = 100  # what walks the result later relies on a bound, which the plain parser does not have
_plain = json.JSONDecoder().decode
_SURROGATE = re.compile("[\ud800-\udfff]")


class Parser:
    def __init__(self, worth_it: int = _WORTH_IT) -> None:
        self._left = worth_it

    def read(self, line: bytes) -> Any:
        """None for what is hopeless."""
        if self._left > 0 and _is_simple(line):
            self._left -= 1
            try:
                return _plain(line.decode())
            except ValueError:
                pass  # the patient reading below takes whatever it is
        try:
            return _quick()(line, cache_strings="keys")
        except ValueError:
            return _repaired(line)


@cache
def _quick() -> Callable[..., Any]:
    from pydantic_core import from_json

    return from_json


def _is_simple(line: bytes) -> bool:
    """It is not deep, and has no halves of surrogate pairs, which the plain parser would let pass."""
    return (
        len(line) < _SHORT
        and b"\\ud" not in line
        and b"\\uD" not in line
        and line.count(b"{") + line.count(b"[") < _DEEPEST
    )


def _repaired(line: bytes) -> Any:
    """Without invalid UTF-8, raw control characters in texts, and half surrogate pairs; None if hopeless.

    The quick parser judges what comes out, since it bounds the depth, for all who walk the result later.
    """
    try:
        value = json.loads(line.decode("utf-8-sig", errors="replace"), strict=False)
        return _quick()(whole(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None


def whole(text: str) -> str:
    """Without halves of surrogate pairs, which are no Unicode."""
    return _SURROGATE.sub("\ufffd", text)
