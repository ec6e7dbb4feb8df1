"""Reads how much of the agent's context window is used, and what the session has cost."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol import schema

_FULL = 0.8  # of the context window, from which on the user is warned


def after(known: dict[str, Any] | None, said: schema.Usage) -> dict[str, Any]:
    """Return the usage as the agent says it now. A cost that it does not repeat stays."""
    cost = {"amount": said.cost_amount, "currency": said.cost_currency}
    return {
        "used": said.used,
        "size": said.size,
        "cost": (known or {}).get("cost") if said.cost_amount is None else cost,
    }


def is_full(usage: dict[str, Any] | None) -> bool:
    return bool(usage and usage["used"] and usage["size"] and usage["used"] >= _FULL * usage["size"])


def percent(usage: dict[str, Any]) -> int:
    return min(100, int(100 * usage["used"] / usage["size"] + 0.5))
