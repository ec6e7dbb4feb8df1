"""Asks the editor, at once or with an answer that comes later."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.messages.editor_tools import AskEditor, EditorAnswered

_PATIENCE = 10  # seconds for Neovim, which answers nobody while it waits for a key
_SERVERS = 30  # for language servers, some of which read a whole project first
_WAITS = "Neovim waits for a key of the user: call again when the user has gone on"
_SLOW = f"the language server has not answered within {_SERVERS} s: call again later, or read the files"


class EditorQueries:
    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._tickets = count(1)
        self._later: dict[int, tuple[anyio.Event, dict[str, Any]]] = {}

    async def ask(self, subject: str, **arguments: Any) -> dict[str, Any]:
        """Return the editor's answer. Raise Failed if there is none in time."""
        ticket = next(self._tickets)
        come, answer = self._later[ticket] = anyio.Event(), {}
        try:
            async with patient():
                now = await self._editor.call(AskEditor(subject, ticket, arguments))
            if now is not None:
                return now
            with anyio.move_on_after(_SERVERS):
                await come.wait()
                return answer
            raise Failed(_SLOW)
        finally:
            del self._later[ticket]

    def answered(self, command: EditorAnswered) -> None:
        if command.ticket in self._later:
            come, answer = self._later[command.ticket]
            answer.update(command.answer)
            come.set()


@asynccontextmanager
async def patient() -> AsyncIterator[None]:
    """Raise Failed if the editor does not answer in time, because it waits for its user."""
    try:
        with anyio.fail_after(_PATIENCE):
            yield
    except TimeoutError as error:
        raise Failed(_WAITS) from error
