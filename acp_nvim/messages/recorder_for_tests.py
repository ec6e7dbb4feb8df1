"""Writes calls, their answers and refused commands to the file that ACP_NVIM_MESSAGES names, a JSON list a line.

Only the tests name one: they hold what was written against the classes (tests/message_check.py). Commands are always
checked, since they are read by their classes.
"""

import json
import os
from typing import Any, Literal

_FILE = os.environ.get("ACP_NVIM_MESSAGES")


def record(kind: Literal["call", "answer", "refused"], name: str, what: Any) -> None:
    if _FILE:
        line = json.dumps([kind, name, what], default=_text)
        with open(_FILE, "a", encoding="ascii") as file:
            file.write(f"{line}\n")


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else repr(value)
