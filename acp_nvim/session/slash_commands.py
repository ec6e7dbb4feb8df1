"""Keeps the slash commands that an agent offers in a session, as the editor shows them."""

from __future__ import annotations

from acp_nvim.protocol import schema
from acp_nvim.session.offer_limits import OfferLimits
from acp_nvim.text.printable import one_line


class SlashCommands:
    def __init__(self, offer_limits: OfferLimits) -> None:
        self._offer_limits = offer_limits
        # another list after each update; None before the first
        self.shapes: list[dict[str, str]] | None = None

    def apply(self, update: schema.CommandsUpdate) -> None:
        self.shapes = list(map(_shape, self._offer_limits.first("commands", update.commands)))


def _shape(command: schema.Command) -> dict[str, str]:
    return {
        "name": one_line(command.name),
        "description": one_line(command.description),
        "hint": one_line(command.hint or ""),
    }
