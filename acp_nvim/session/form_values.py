"""Checks the value of a form's field, and converts the text that a user typed to one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol.schema.elicitation import FormField
from acp_nvim.text.printable import one_line

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,4})?")
_FORMATS = {
    "email": (re.compile(r"[^@\s]{1,500}@[^@\s]{1,500}"), "an e-mail address"),
    "uri": (re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,100}:\S+"), "a URI, such as https://example.org"),
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), "a date, such as 2026-01-31"),
    "date-time": (
        re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d\S{0,30}"),
        "a date and time, such as 2026-01-31T12:00:00Z",
    ),
}


class Wrong(ValueError):
    """Says what is wrong with a value, in words that follow the field's name."""


def checked(each: FormField, value: Any) -> Any:
    """Return the value as the agent gets it, or raise `Wrong`."""
    if value is None:
        if each.required:
            raise Wrong("is required" if each.type != "unknown" else "has an unknown type")
        return None
    return _CHECKS[each.type](each, value)


def _string(each: FormField, value: Any) -> str:
    if not isinstance(value, str):
        raise Wrong("must be text")
    if each.choices and not each.custom:
        return _one_of(each, value)
    if len(value) > limits.FORM_TEXT_CHARS:
        raise Wrong(f"is longer than {limits.FORM_TEXT_CHARS} characters")
    _within(each, len(value), "must have at least {} characters", "must have at most {} characters")
    _formatted(each, value)
    return value


def _formatted(each: FormField, value: str) -> None:
    pattern, what = _FORMATS.get(each.format or "", (None, ""))
    try:
        if pattern and not pattern.fullmatch(value):
            raise ValueError
        if each.format == "date":
            date.fromisoformat(value)
        elif each.format == "date-time":
            datetime.fromisoformat(value.upper())
    except ValueError as error:
        raise Wrong(f"must be {what}") from error


def _array(each: FormField, value: Any) -> list[str]:
    chosen = [value] if isinstance(value, str) else [] if value == {} else value
    if not isinstance(chosen, list) or not all(isinstance(item, str) for item in chosen):
        raise Wrong("must be a list of strings")
    chosen = [item if each.custom else _one_of(each, item) for item in dict.fromkeys(chosen)]
    if each.required and not chosen and each.least is None:
        return chosen
    _within(each, len(chosen), "needs at least {} choices", "takes at most {} choices")
    return chosen


def _one_of(each: FormField, value: str) -> str:
    if any(choice.value == value for choice in each.choices):
        return value
    raise Wrong(f"must be one of {brief(', '.join(choice.value for choice in each.choices))}")


def _number(each: FormField, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Wrong("must be a number")
    _within(each, value, "must be at least {}", "must be at most {}")
    return value


def _integer(each: FormField, value: Any) -> int:
    number = _number(each, value)
    if number != int(number):
        raise Wrong("must be a whole number")
    if not -(2**63) <= number < 2**63:
        raise Wrong("is too large a number")
    return int(number)


def _boolean(_each: FormField, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Wrong("must be true or false")
    return value


def _unknown(_each: FormField, _value: Any) -> None:
    return None


_CHECKS = {
    "string": _string,
    "array": _array,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "unknown": _unknown,
}


def _within(each: FormField, size: float, least: str, most: str) -> None:
    if each.least is not None and size < each.least:
        raise Wrong(least.format(each.least))
    if each.most is not None and size > each.most:
        raise Wrong(most.format(each.most))


# --- as typed


def typed(each: FormField, text: str, numbers: Any) -> Any:
    """Convert what a field of a buffer holds: its text, and the numbers of its chosen choices, from 1."""
    chosen = _numbers(numbers)
    match each.type:
        case "boolean":
            return None if not chosen else _only(chosen) == 1
        case "number" | "integer":
            return _parsed(text.strip(), each.type)
        case "string" if each.choices:
            return _chosen_text(each, text, chosen)
        case "array":
            values = list(_values(each, chosen))
            return [*values, text] if text and each.custom else values or (None if not each.required else [])
        case _:
            return text or None


def _chosen_text(each: FormField, text: str, chosen: list[int]) -> str | None:
    if text and each.custom:
        return text
    return next(_values(each, [_only(chosen)]), None) if chosen else None


def _parsed(text: str, kind: str) -> int | float | None:
    if not text:
        return None
    if _INTEGER.fullmatch(text):
        return int(text)
    if kind == "integer":
        raise Wrong("must be a whole number")
    if not _NUMBER.fullmatch(text):
        raise Wrong("must be a number")
    return float(text)


def _only(chosen: list[int]) -> int:
    if len(chosen) > 1:
        raise Wrong("takes one choice")
    return chosen[0]


def _values(each: FormField, chosen: list[int]) -> Iterator[str]:
    return (each.choices[number - 1].value for number in chosen if 0 < number <= len(each.choices))


def _numbers(raw: Any) -> list[int]:
    return [item for item in raw if isinstance(item, int)] if isinstance(raw, list) else []


def brief(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= 60 else line[:59] + "…"
