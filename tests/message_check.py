"""Holds calls, their answers and events against their classes: what the backend has recorded, or a call at hand.

The classes become pydantic models here, once for each process of pytest, and in no backend.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from acp_nvim.messages import (
    backend,
    chat,
    comments,
    documents,
    editor_tools,
    events,
    logins,
    prompts,
    proposals,
    questions,
    review,
    saved_sessions,
    session_options,
    sessions,
    status,
    terminals,
    transcripts,
)
from acp_nvim.messages.base_classes import Call, OnWire, Question

SUBJECTS = (
    backend,
    chat,
    comments,
    documents,
    editor_tools,
    events,
    logins,
    prompts,
    proposals,
    questions,
    review,
    saved_sessions,
    session_options,
    sessions,
    status,
    terminals,
    transcripts,
)

_STRICT = ConfigDict(strict=True, extra="forbid")


def misfits(record: Path) -> list[str]:
    """Return what does not fit in the messages that tests/fakes/message_recorder.py has written, a line each."""
    return [found for line in record.read_text().splitlines() if (found := _misfit_of(*json.loads(line)))]


def _misfit_of(kind: str, name: str, what: Any) -> str | None:
    if kind == "call":
        return misfit([name, *what])
    return wrong_answer(name, what) if kind == "answer" else f"{name}: {what}"


def misfit(call: list[Any]) -> str | None:
    """Return what does not fit in a call as it goes over the channel, in one line."""
    name, *arguments = call
    known = by_name().get(name)
    if known is None:
        return f"{name}: there is no such class"
    if len(arguments) > len(known.arguments):
        return f"{name}: {len(arguments)} arguments, {len(known.arguments)} are known"
    given = dict(zip(known.arguments, arguments, strict=False))
    if wrong := _wrong(name, _arguments(name), given):
        return wrong
    if isinstance(given.get("name"), str) and name == "event":
        return _wrong_event(given["name"], given["data"])
    return None


def wrong_answer(name: str, answer: Any) -> str | None:
    """Return what does not fit in Lua's answer to a call, in one line."""
    known = by_name().get(name)
    if known is None or not issubclass(known, Question):
        return None
    return _wrong(f"answer of {name}", _answer(name), {"answer": answer})


def _wrong_event(name: str, data: dict[str, Any]) -> str | None:
    if name not in events.EVENTS:
        return f"{name}: there is no such class"
    return _wrong(name, _data(name), {"data": data})


def _wrong(name: str, model: type[BaseModel], given: dict[str, Any]) -> str | None:
    try:
        model.model_validate_json(
            json.dumps(given, default=_text, ensure_ascii=False).encode(errors="replace")
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}: {str(first['input'])[:200]}"
    return None


def classes() -> list[type]:
    """Return the classes of all subjects, in their order."""
    found = ((module, each) for module in SUBJECTS for each in vars(module).values())
    return [each for module, each in found if isinstance(each, type) and each.__module__ == module.__name__]


@cache
def by_name() -> dict[str, type[Call]]:
    """Return the classes of all calls, by the functions that they call."""
    return {each.function: each for each in classes() if issubclass(each, Call)}


def answer_of(question: type[Call]) -> Any:
    """`class TerminalFeed(Question[bool])` is answered by a bool."""
    (answer,) = (get_args(base)[0] for base in question.__orig_bases__)  # type: ignore[attr-defined]
    return answer


@cache
def _arguments(name: str) -> type[BaseModel]:
    call = by_name()[name]
    hints = get_type_hints(call, include_extras=True)
    defaults = {name: each.default for name, each in call.__dataclass_fields__.items()}
    fields: dict[str, Any] = {
        each: (_on_wire(hints[each]), None if defaults[each] is None else ...) for each in call.arguments
    }
    return create_model(call.__name__, __config__=_STRICT, **fields)


@cache
def _answer(name: str) -> type[BaseModel]:
    return create_model("Answer", __config__=_STRICT, answer=(answer_of(by_name()[name]), ...))


@cache
def _data(name: str) -> type[BaseModel]:
    return create_model("Event", __config__=_STRICT, data=(events.EVENTS[name], ...))


def _on_wire(hint: Any) -> Any:
    exact = [each.type for each in getattr(hint, "__metadata__", ()) if isinstance(each, OnWire)]
    return exact[0] if exact else hint


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else repr(value)
