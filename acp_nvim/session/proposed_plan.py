"""Finds the plan that a tool call asks the user to agree to, before the agent leaves its plan mode."""

from __future__ import annotations

from acp_nvim.protocol import schema
from acp_nvim.session.tool_call import ToolCall

ARGUMENT = "plan"  # of the raw input: claude's ExitPlanMode


def plan_of(call: ToolCall) -> str | None:
    """Return the plan: that of the raw input, else the only text of the content. None: the call asks for something
    else."""
    if call.kind != "switch_mode":
        return None
    raw = call.raw_input.get(ARGUMENT) if isinstance(call.raw_input, dict) else None
    if isinstance(raw, str) and raw.strip():
        return raw
    texts = [
        item.content.text
        for item in call.content
        if isinstance(item, schema.ContentItem) and isinstance(item.content, schema.Text)
    ]
    return texts[0] if len(texts) == len(call.content) == 1 and texts[0].strip() else None
