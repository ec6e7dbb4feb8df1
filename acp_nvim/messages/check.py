"""Holds the messages against their classes while tests run; a misfit goes to the file that ACP_NVIM_MISFITS names.

Commands are checked always, since they are read by their classes; calls only here.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from acp_nvim.messages import calls

_FILE = os.environ.get("ACP_NVIM_MISFITS")


def look(call: list[Any]) -> None:
    """Look at a call before it goes out."""
    if _FILE and (found := misfit(call)):
        record(found)


def record(text: str) -> None:
    if _FILE:
        with open(_FILE, "a", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")


def misfit(call: list[Any]) -> str | None:
    """Return what does not fit in a call as it goes over the channel, in one line."""
    name, *arguments = call
    known = by_name().get(name)
    if known is None:
        return f"{name}: there is no such class"
    model, fields = _model(name), known.arguments
    if len(arguments) > len(fields):
        return f"{name}: {len(arguments)} arguments, {len(fields)} are known"
    given = dict(zip(fields, arguments, strict=False))
    try:
        model.model_validate_json(
            json.dumps(given, default=_text, ensure_ascii=False).encode(errors="replace")
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}: {str(first['input'])[:200]}"
    return None


@cache
def by_name() -> dict[str, type[calls.Call]]:
    """Return the classes of all calls, by the functions that they call."""
    kinds = (each for each in vars(calls).values() if isinstance(each, type) and issubclass(each, calls.Call))
    return {each.function: each for each in kinds if each not in (calls.Call, calls.Question)}


@cache
def _model(name: str) -> type[BaseModel]:
    call = by_name()[name]
    hints = get_type_hints(call, include_extras=True)
    defaults = {name: each.default for name, each in call.__dataclass_fields__.items()}
    fields: dict[str, Any] = {
        each: (_on_wire(hints[each]), None if defaults[each] is None else ...) for each in call.arguments
    }
    return create_model(call.__name__, __config__=ConfigDict(strict=True, extra="forbid"), **fields)


def _on_wire(hint: Any) -> Any:
    exact = [each.type for each in getattr(hint, "__metadata__", ()) if isinstance(each, calls.OnWire)]
    return exact[0] if exact else hint


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else repr(value)
