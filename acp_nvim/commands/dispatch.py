"""Maps commands to the functions that serve them. Each command module has such a table, `app` joins them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from acp_nvim.messages.base_classes import Command

M = TypeVar("M", bound=Command)
_UPDATED = "restart Neovim after an update"


class Refused(Exception):
    """Why a command is not carried out: a warning to the user."""


class Handler(NamedTuple):
    model: type[Command]
    function: Callable[[Any], None]


Table = dict[str, Handler]


def handle(model: type[M], function: Callable[[M], None]) -> Handler:
    """Return the entry of a table. The types of message and function must agree, which mypy checks."""
    return Handler(model, function)


def joined(*tables: Table) -> Table:
    """Return one table of all commands; each is served once."""
    all_of_them: Table = {}
    for table in tables:
        if twice := all_of_them.keys() & table.keys():
            raise ValueError(f"served twice: {', '.join(sorted(twice))}")
        all_of_them |= table
    return all_of_them


def dispatch(table: Table, name: str, payload: dict[str, Any]) -> None:
    """Serve a command of the editor. A ValueError says in one line what does not fit."""
    if name not in table:
        raise ValueError(f"the backend has no '{name}': {_UPDATED}")
    model, function = table[name]
    try:
        command = model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg'].lower()}; {_UPDATED}") from error
    function(command)
