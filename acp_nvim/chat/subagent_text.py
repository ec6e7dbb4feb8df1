"""Writes the conversation of a subagent as lines: what it was told, what it has done and said."""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.chat.chat_view import ChatView
from acp_nvim.chat.tool_body import Terminal
from acp_nvim.session.subagent import Subagent

_TOLD = "Told"  # the header of what its parent says to it


def lines(child: Subagent, cwd: str, terminal: Terminal) -> list[str]:
    """Return all lines, or the last ones of very many."""
    view = ChatView(child.transcript, lambda: child.name, child.cwd or cwd, terminal, user=_TOLD)
    parts: list[str] = []
    more = True
    while more:
        ops, more = view.flush()
        parts += [op[1] for op in ops if op[0] == "append"]
    found = "".join(parts).split("\n")
    if not child.transcript.entries:
        return [f"{child.name} has not said anything yet"]
    hidden = len(found) - limits.SUBAGENT_LINES
    return found if hidden <= 0 else [f"… {hidden:,} lines before", *found[hidden:]]
