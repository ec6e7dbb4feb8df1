"""Inputs that no agent should send: messages as agents do send them, bent; by a seed, so that each can be had again."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "golden"
MESSAGES: list[dict[str, Any]] = [
    message
    for file in sorted(GOLDEN.rglob("*.json"))
    if isinstance(message := json.loads(file.read_text()).get("wire"), dict)
]
FORM = {
    "type": "object",
    "required": ["a"],
    "properties": {
        "a": {"type": "string", "title": "A", "minLength": 1, "pattern": "a+", "default": "a"},
        "b": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
        "c": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}]}, "minItems": 0},
    },
}
RAW = {"path": "/w/f", "line": 3, "command": "ls", "args": ["-l"], "old_string": "a", "new_string": "b"}
MESSAGES += [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "elicitation/create",
        "params": {"sessionId": "s", "mode": "form", "message": "?", "requestedSchema": FORM},
    },
    {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "s",
            "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "kind": "edit", "rawInput": RAW},
        },
    },
]
ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2**63, -(2**70), 10**400, 1e308, float("inf"), float("nan"), 0.5, "", " ", "\n",
    "x" * 300, "\x1b[31m", "\u202e", "\ud800", "\0", "/\0", "../..", "/etc/passwd", [], {}, [[]], [None], {"": None},
    {"type": "text"}, [{"type": "text", "text": "x"}], "```", "completed", "tool_call", "agent_message_chunk", "%{x}",
    "\r", "\t", "漢", "😀",
]  # fmt: skip
WORDS = [
    "a",
    "b",
    "x",
    "",
    " ",
    "\t",
    "é",
    "漢",
    "same",
    "```",
    "~~~",
    "# h",
    "- i",
    "\x1b[1m",
    "+",
    "-",
    "@@ -1 +1 @@",
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key in the message."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        items = inner.items() if isinstance(inner, dict) else enumerate(inner)
        for key, item in items:
            found.append((inner, key))
            if isinstance(item, dict | list):
                waiting.append(item)
    return found


def bent(rng: random.Random) -> dict[str, Any]:
    """A message with some of its places changed, taken away, doubled or exchanged."""
    message = copy.deepcopy(rng.choice(MESSAGES))
    for _ in range(rng.randint(0, 4)):
        holder, key = rng.choice(places(message) or [(message, "")])
        match rng.randrange(5):
            case 0 | 1:
                holder[key] = copy.deepcopy(rng.choice(ODD))
            case 2 if isinstance(holder, dict):
                holder.pop(key, None)
            case 3:
                other, name = rng.choice(places(rng.choice(MESSAGES)) or [(message, "")])
                holder[key] = copy.deepcopy(other[name])
            case _ if isinstance(holder, dict):
                holder[rng.choice(WORDS) or "sessionUpdate"] = holder.get(key)
    return message


def encoded(message: Any) -> bytes:
    return json.dumps(message).encode(errors="replace") + b"\n"


def data(rng: random.Random) -> bytes:
    """Some lines, perhaps with a few bytes of them spoilt."""
    lines = bytearray(b"".join(encoded(bent(rng)) for _ in range(rng.randint(1, 3))))
    for _ in range(rng.choice((0, 0, 1, 3))):
        at = rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                lines[at] = rng.randrange(256)
            case 1:
                del lines[at : at + rng.randint(1, 9)]
            case _:
                lines[at:at] = rng.choice((b"\n", b"\r\n", b"\0", b"\xff", b"{", b'"', b"\xe2\x80\xa8"))
        lines = lines or bytearray(b"\n")
    return bytes(lines)


def pieces(rng: random.Random, whole: bytes) -> list[bytes]:
    cuts = sorted(rng.randint(0, len(whole)) for _ in range(rng.randint(0, 6)))
    return [whole[first:last] for first, last in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def text(rng: random.Random, most: int = 12) -> str:
    return "\n".join("".join(rng.choices(WORDS, k=rng.randint(0, 3))) for _ in range(rng.randint(0, most)))


def nearby(rng: random.Random, lines: list[str]) -> list[str]:
    """The lines with some changes."""
    lines = list(lines)
    for _ in range(rng.randint(0, 5)):
        at = rng.randint(0, len(lines))
        lines[at : at + rng.randint(0, 3)] = rng.choices(WORDS, k=rng.randint(0, 3))
    return lines
