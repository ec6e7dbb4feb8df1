"""Finds in the output of a call what the chat shows: why it failed, and the last lines of a command.

    tests/test_a.py .          execute pytest -q  exit 1
    ImportError: no …            │ ImportError: no module named orders
    tests/test_b.py F            │ tests/test_b.py F
                                 │ 1 failed, 1 passed
    1 failed, 1 passed           │ … 1 more, za

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
_OUTPUTS = (
    "formatted_output",
    "aggregated_output",
    "output",
    "stdout",
    "stderr",
    "text",
    "content",
    "error",
    "message",
)


def reason(call: ToolCall, terminal: Terminal) -> str:
    """Return the first line that says why a call failed. Of a command that has put out several it sounds like an
    error; without such a one the reason is empty."""
    texts = _texts(call, terminal, MESSAGES)
    lines = [line for text in texts for line in _spoken(text[: limits.SHOWN_CHARS])]
    if call.kind != "execute":
        return lines[0] if lines else ""
    return next(filter(_SAYS_WHY.search, lines), lines[0] if len(lines) == 1 else "")


def has_output(call: ToolCall) -> bool:
    """Whether the call is a command that has put out what it holds. The content of one that does not run yet, or never
    ran, may be words about it; a terminal is there only for output."""
    if call.kind != "execute":
        return False
    is_content_output = call.status in ("in_progress", "completed", "failed")
    return is_content_output or bool(
        call.terminals or any(isinstance(item, schema.TerminalRef) for item in call.content)
    )


def last_lines(call: ToolCall, terminal: Terminal, reason: str = "") -> tuple[list[str], int]:
    """Return the last lines of a command's output that say something, and how many others do. `reason`: a line that is
    among them wherever it stands."""
    text = "".join(list(_texts(call, terminal, _OUTPUTS))[-1:])
    earlier = max(0, len(text) - limits.UNFOLDED_OUTPUT_CHARS)
    lines = [line.rstrip() for line in plain(text[earlier:]).split("\n")]
    lines = [line for line in lines if line and not line.startswith("```")]
    if call.exit_code and f"Exit code {call.exit_code}" in lines[:1]:  # the line of the call says it
        del lines[0]
    last = [reason if reason and _bare(line) == reason else line for line in lines[-_TAIL_LINES:]]
    if reason and reason not in last:
        last.insert(0, reason)
    return last, text.count("\n", 0, earlier) + max(0, len(lines) - len(last))


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
        bare = _bare(line)
        if bare and not bare.startswith("```"):
            yield bare


def _bare(line: str) -> str:
    return _TAGS.sub("", line).strip()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
