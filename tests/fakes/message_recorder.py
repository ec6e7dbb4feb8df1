"""Writes the messages between the halves to a file, a JSON list a line: calls, their answers and refused commands.

`install` puts it around the two doors of a backend, for the tests alone: they hold what was written against the classes
(tests/message_check.py). Commands that fit need no record, since they are read by their classes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from pydantic import ValidationError

from acp_nvim import app
from acp_nvim.commands.dispatch import Table
from acp_nvim.editor import neovim
from acp_nvim.editor.neovim import Neovim

Record = Callable[[Literal["call", "answer", "refused"], str, Any], None]


def install(path: str) -> None:
    record = partial(_record, path)
    Neovim._request = _recorded_request(Neovim._request, record)  # type: ignore[method-assign]
    app.dispatch = _recorded_dispatch(app.dispatch, record)


def _record(path: str, kind: str, name: str, what: Any) -> None:
    line = json.dumps([kind, name, what], default=_text)
    with open(path, "a", encoding="ascii") as file:
        file.write(f"{line}\n")


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else repr(value)


def _recorded_request(request: Any, record: Record) -> Any:
    def recorded(editor: Neovim, code: str, arguments: list[Any]) -> asyncio.Future[Any]:
        for name, *given in arguments[0] if code == neovim._FRAME else [arguments]:
            record("call", name, given)
        future: asyncio.Future[Any] = request(editor, code, arguments)
        if code == neovim._CALL:
            future.add_done_callback(partial(_record_answer, record, arguments[0]))
        return future

    return recorded


def _record_answer(record: Record, name: str, future: asyncio.Future[Any]) -> None:
    if not future.cancelled() and not future.exception():
        record("answer", name, future.result())


def _recorded_dispatch(dispatch: Any, record: Record) -> Any:
    def recorded(table: Table, name: str, payload: dict[str, Any]) -> None:
        try:
            dispatch(table, name, payload)
        except ValueError as error:
            if isinstance(error.__cause__, ValidationError):
                record("refused", name, str(error).rpartition("; ")[0])
            raise

    return recorded
