"""What the user makes of changes that have happened: the verbs of the review."""

from __future__ import annotations

from acp_nvim.chat.phrases import cut
from acp_nvim.commands.application import Application
from acp_nvim.commands.table import Table, handle
from acp_nvim.messages import commands

_FEW = 24  # characters of a prompt in a message


class ReviewCommands:
    def __init__(self, app: Application) -> None:
        self._app = app
        self._review = app.services.review
        self.table: Table = {
            "edited": handle(commands.Edited, self._edited),
            "keep": handle(commands.Keep, self._keep),
            "undo": handle(commands.Undo, self._start_undo),
        }

    def _edited(self, command: commands.Edited) -> None:
        self._review.edited(command.model_dump(exclude_unset=True))

    def _keep(self, command: commands.Keep) -> None:
        kept = self._review.keep(command.ids, command.all, command.turn)
        self._tell("kept", kept, command, [])

    def _start_undo(self, command: commands.Undo) -> None:
        self._app.spawn(self._undo, command)

    async def _undo(self, command: commands.Undo) -> None:
        undone, problems = await self._review.undo(command.ids)
        self._tell("undone", undone, command, problems)

    def _tell(self, what: str, count: int, command: commands.Decided, problems: list[str]) -> None:
        """Of one hunk the text itself tells; of many, and of what could not be done, a line."""
        left = [*problems, *(command.left or ())]
        done = f"{self._turn(command)}{count} change{'' if count == 1 else 's'} {what}"
        if problems and not count:
            self._app.say("warn", "; ".join(left))
        elif left or command.aloud:
            self._app.say("warn" if left else "info", "; ".join([done, *left]))

    def _turn(self, command: commands.Decided) -> str:
        """The turn's name, where one was meant: `turn 2 (Rename parse): `."""
        turn, session = command.turn, self._app.sessions.get(command.session or 0)
        if not turn or session is None:
            return ""
        known = session.changed.get(turn)
        prompt = f" ({cut(known.prompt, _FEW)})" if known and known.prompt else ""
        return f"turn {turn}{prompt}: "
