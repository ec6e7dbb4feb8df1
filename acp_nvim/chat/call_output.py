"""Finds in the output of a call what its line shows: why it failed, and the last lines of a command.

    tests/test_a.py .          execute pytest -q  ImportError: no module named orders
    ImportError: no …            │ tests/test_b.py F
    tests/test_b.py F            │ 1 failed, 1 passed
    1 failed, 1 passed

Tags, code fences and JSON are left to `K`: of JSON the message is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from acp_nvim import limits
from acp_nvim.chat.tool_body import Terminal, terminal_text, unreferenced, words
from acp_nvim.protocol import schema
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.ansi import plain
from acp_nvim.text.json_words import MESSAGES, message

_TAIL_LINES = 3
_TAGS = re.compile(r"</?[a-z][\w-]*>")
_SAYS_WHY = re.compile(
    r"error|exception|\bfatal|\bfail|panic|denied|not found|no such|cannot|can't|refused|timed? ?out", re.I
)
_OUTPUTS = ("formatted_output", "aggregated_output", "output", "stdout", "stderr", "text", "content")


def reason(call: ToolCall, terminal: Terminal) -> str:
    """Return the first line that says why a call failed, of a command the first that sounds like it."""
    texts = _texts(call, terminal, MESSAGES)
    lines = [line for text in texts for line in _spoken(text[: limits.SHOWN_CHARS])]
    told = (line for line in lines if call.kind == "execute" and _SAYS_WHY.search(line))
    return next(told, lines[0] if lines else "")


def has_output(call: ToolCall) -> bool:
    """Whether the call is a command that has put out what it holds. The content of one that does not run yet, or never
    ran, may be words about it; a terminal is there only for output."""
    if call.kind != "execute":
        return False
    is_content_output = call.status in ("in_progress", "completed", "failed")
    return is_content_output or bool(
        call.terminals or any(isinstance(item, schema.TerminalRef) for item in call.content)
    )


def last_lines(call: ToolCall, terminal: Terminal) -> list[str]:
    """Return the last lines of a command's output that say something."""
    text = "".join(list(_texts(call, terminal, _OUTPUTS))[-1:])
    lines = [line.rstrip() for line in plain(text[-limits.UNFOLDED_OUTPUT_CHARS :]).split("\n")]
    return [line for line in lines if line and not line.startswith("```")][-_TAIL_LINES:]


def _texts(call: ToolCall, terminal: Terminal, names: Sequence[str]) -> Iterator[str]:
    """Yield what the call has put out. `names`: where in raw output it stands, the best first."""
    for item in call.content:
        if isinstance(item, schema.ContentItem):
            yield words(item.content)
        elif isinstance(item, schema.TerminalRef):
            yield terminal_text(call, item.terminal_id, terminal)
    for name in unreferenced(call):
        yield "".join(call.terminals[name])
    if not call.content and not call.terminals:
        yield message(call.raw_output, names)


def _spoken(text: str) -> Iterator[str]:
    """Yield the lines of a text that are words."""
    text = plain(text).strip()
    if text.startswith(("{", "[")):
        text = message(_parsed(text)) or text
    for line in text.split("\n"):
        bare = _TAGS.sub("", line).strip()
        if bare and not bare.startswith("```"):
            yield bare


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
