"""Keeps what a session has taken: the share of the agent's context window, the cost, tokens, limits of the account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session import rate_limit
from acp_nvim.session.token_count import TokenCount
from acp_nvim.text.bounded import short
from acp_nvim.text.printable import one_line

_FULL = 0.8  # of the context window, from which on the user is warned


def after(known: dict[str, Any] | None, said: schema.Usage) -> dict[str, Any]:
    """Return the usage as the agent says it now. A cost that it does not repeat stays, as where its amount is none."""
    cost = (known or {}).get("cost")
    if said.cost_amount is not None and abs(said.cost_amount) < limits.COST:  # false for NaN
        currency = said.cost_currency and _code_of(said.cost_currency)
        cost = {"amount": said.cost_amount, "currency": currency}
    return {"used": said.used, "size": said.size, "cost": cost}


def _code_of(currency: str) -> str:
    """Return a currency, such as EUR, as a bar can show it."""
    return short(one_line(currency[: 2 * limits.CURRENCY_CHARS]), limits.CURRENCY_CHARS)


def is_full(usage: dict[str, Any] | None) -> bool:
    return bool(usage and usage["used"] and usage["size"] and usage["used"] >= _FULL * usage["size"])


def percent(usage: dict[str, Any]) -> int:
    return min(100, int(100 * usage["used"] / usage["size"] + 0.5))


class SessionUsage:
    """`warn` tells the user that the context window or a limit of the account is nearly used up, once each."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.context: dict[str, Any] | None = None  # the window, and the cost
        self.tokens = TokenCount()
        self.limit = ""  # of the account: the line that was told last
        self._warn = warn
        self._has_warned_of_context = False

    @property
    def is_full(self) -> bool:
        return is_full(self.context)

    def apply(
        self, update: schema.UsageUpdate | schema.TokensUpdate | schema.LimitUpdate, now: float
    ) -> None:
        """Take what the agent says. `now` is in seconds since 1970."""
        match update:
            case schema.UsageUpdate():
                self._apply_context(update.usage)
            case schema.TokensUpdate():
                self.tokens.add(update.tokens)
            case schema.LimitUpdate():
                self._apply_limit(rate_limit.describe(update.limit, now))

    def _apply_context(self, said: schema.Usage) -> None:
        self.context = after(self.context, said)
        if self.is_full and not self._has_warned_of_context:
            self._has_warned_of_context = True
            share = percent(self.context or {})
            self._warn(f"{share} % of the context window is used: :Acp new starts a fresh session")

    def _apply_limit(self, told: str) -> None:
        if told and told != self.limit:
            self._warn(told)
        self.limit = told
