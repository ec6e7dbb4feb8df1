"""Edits that would spoil what the user has just begun wait for as long as that takes: a pending operator, a prompt."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from acp_nvim.editor.interface import Editor

_FIRST, _MOST = (
    0.02,
    0.1,
)  # seconds until the editor is asked again; the longer it takes, the less it is hurried
_LATE = 2.0  # seconds; then the user is told what waits, once


async def until_free(editor: Editor, buffer: int, gives_up: Callable[[], bool] = lambda: False) -> bool:
    """False: it has been given up."""
    began, pace, told = anyio.current_time(), _FIRST, False
    while not gives_up():
        is_late = not told and anyio.current_time() - began > _LATE
        said = await editor.call("file_busy", buffer, is_late)
        if not said:
            return True
        told = told or bool(said["told"])
        await anyio.sleep(pace)
        pace = min(1.5 * pace, _MOST)
    return False
