"""What the user makes of changes that have happened: the verbs of the review."""

from __future__ import annotations

from typing import Any

from acp_nvim.chat.phrases import cut
from acp_nvim.commands.application import Application, Table

_FEW = 24  # characters of a prompt in a message


class ReviewCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self._review = app.services.review
        self.table: Table = {
            "edited": self._edited,
            "keep": self._keep,
            "undo": self._start_undo,
        }

    def _edited(self, payload: dict[str, Any]) -> None:
        self._review.edited(payload)

    def _keep(self, payload: dict[str, Any]) -> None:
        kept = self._review.keep(map(int, payload["ids"]), payload.get("all"), payload.get("turn"))
        self._tell("kept", kept, payload, [])

    def _start_undo(self, payload: dict[str, Any]) -> None:
        self._app.spawn(self._undo, payload)

    async def _undo(self, payload: dict[str, Any]) -> None:
        undone, problems = await self._review.undo(map(int, payload["ids"]))
        self._tell("undone", undone, payload, problems)

    def _tell(self, what: str, count: int, payload: dict[str, Any], problems: list[str]) -> None:
        """Of one hunk the text itself tells; of many, and of what could not be done, a line."""
        left = [*problems, *map(str, payload.get("left") or ())]
        done = f"{self._turn(payload)}{count} change{'' if count == 1 else 's'} {what}"
        if problems and not count:
            self._app.say("warn", "; ".join(left))
        elif left or payload.get("aloud"):
            self._app.say("warn" if left else "info", "; ".join([done, *left]))

    def _turn(self, payload: dict[str, Any]) -> str:
        """The turn's name, where one was meant: `turn 2 (Rename parse): `."""
        turn, session = payload.get("turn"), self._app.sessions.get(payload.get("session") or 0)
        if not turn or session is None:
            return ""
        known = session.changed.get(turn)
        prompt = f" ({cut(known.prompt, _FEW)})" if known and known.prompt else ""
        return f"turn {turn}{prompt}: "
