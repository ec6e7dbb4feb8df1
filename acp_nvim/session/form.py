"""A form: what its fields take, from the API or as typed into a buffer, and what is wrong with it.

A value that is None was left out on purpose; one that is not given at all takes its default.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol.schema.elicitation import FormChoice, FormField
from acp_nvim.text.printable import one_line, visible

Match = Callable[
    [Sequence[tuple[str, tuple[str, ...], bool]]], list[bool | None]
]  # see `processes/bounded_match.py`
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
    """What is wrong with a value, in words that follow the field's name."""


@dataclass(slots=True)
class Filled:
    """What goes to the agent, by its own names; or what is wrong, by the names that the user sees."""

    content: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def problem(self, titles: Mapping[str, str]) -> str:
        """The first thing that is wrong, in one line; fields are called as the form calls them."""
        wrong = ((f"'{titles.get(name, name)}'" if name else "", what) for name, what in self.errors.items())
        return next((f"{called} {what}".strip() for called, what in wrong), "")


class Form:
    def __init__(self, fields: Iterable[FormField], match: Match) -> None:
        self._match = match
        self.fields: dict[str, FormField] = {}
        self.about: tuple[str, ...] = ()  # what the agent says to it, line by line
        for each in fields:
            name = one_line(each.key) or "(no name)"
            while name in self.fields:
                name += "'"
            self.fields[name] = each

    def __bool__(self) -> bool:
        return bool(self.fields)

    @property
    def missing(self) -> str | None:
        """A required field of a kind that nobody here knows: the form cannot be answered."""
        unknown = (name for name, each in self.fields.items() if each.required and each.type == "unknown")
        return next(unknown, None)

    @property
    def single(self) -> str | None:
        """The name of its only field, if that takes words."""
        only = next(iter(self.fields)) if len(self.fields) == 1 else None
        return only if only is not None and self.fields[only].type in ("string", "array") else None

    def shape(self) -> list[dict[str, Any]]:
        """As `acp.questions()` tells it."""
        return [_shape(name, each) for name, each in self.fields.items() if each.type != "unknown"]

    def told(self, content: Mapping[str, Any]) -> str:
        """An answer in one line, for the chat."""
        given = [(name, content[each.key]) for name, each in self.fields.items() if each.key in content]
        words = [_words(self.fields[name], value) for name, value in given]
        if len(self.fields) > 1:
            words = [f"{name}: {value}" for (name, _), value in zip(given, words, strict=True)]
        return _brief(", ".join(words))

    def check(self, content: Any) -> Filled:
        if isinstance(content, str) and self.single is not None:
            content = {self.single: content}
        if content in (None, []):
            content = {}
        if not isinstance(content, Mapping):
            return Filled(errors={"": f"the answer must be a table with {', '.join(self.fields)}"})
        filled = Filled()
        for name in content:
            if name not in self.fields or self.fields[name].type == "unknown":
                filled.errors[""] = f"there is no field '{one_line(str(name))}'"
        for name, each in self.fields.items():
            try:
                value = _value(each, content.get(name, each.default))
            except Wrong as error:
                filled.errors[name] = str(error)
            else:
                if value is not None:
                    filled.content[each.key] = value
        self._match_patterns(filled)
        return filled

    def _match_patterns(self, filled: Filled) -> None:
        """What takes too long, or is no expression to Python, is left to the agent."""
        given = [(name, each, filled.content.get(each.key)) for name, each in self.fields.items()]
        texts = [(name, each.pattern, value) for name, each, value in given if isinstance(value, str)]
        wanted = [(name, pattern, value) for name, pattern, value in texts if pattern and self._is_free(name)]
        found = self._match([(pattern, (value,), False) for _, pattern, value in wanted])
        for (name, pattern, _), is_match in zip(wanted, found, strict=True):
            if is_match is False:
                filled.errors[name] = f"must match {_brief(pattern)}"
                del filled.content[self.fields[name].key]

    def _is_free(self, name: str) -> bool:
        """Not a choice of those that the agent offers."""
        return not self.fields[name].choices or self.fields[name].custom

    def read(self, typed: Any) -> Filled:
        """What a buffer holds: for each field `text`, and `chosen`, the numbers of its choices from 1."""
        content: dict[str, Any] = {}
        errors: dict[str, str] = {}
        for name, each in self.fields.items():
            raw = typed.get(name) if isinstance(typed, Mapping) else None
            raw = raw if isinstance(raw, Mapping) else {}
            try:
                content[name] = _typed(each, str(raw.get("text") or ""), _numbers(raw.get("chosen")))
            except Wrong as error:
                errors[name] = str(error)
        filled = self.check({name: value for name, value in content.items() if self._is_known(name)})
        return Filled(filled.content, {**filled.errors, **errors})

    def _is_known(self, name: str) -> bool:
        return self.fields[name].type != "unknown"


def _shape(name: str, each: FormField) -> dict[str, Any]:
    shape = {
        "name": name,
        "title": one_line(each.title[:500]) or name,
        "type": each.type,
        "required": each.required,
        "default": shown_default(each),
        "description": "\n".join(map(visible, each.description[:10_000].splitlines())),
        "choices": [_choice(choice) for choice in each.choices],
        "custom": each.custom,
        "format": one_line(each.format[:100]) if each.format else None,
        "pattern": one_line(each.pattern[:1000]) if each.pattern else None,
        "least": each.least,
        "most": each.most,
    }
    return {key: value for key, value in shape.items() if value is not None}


def _choice(choice: FormChoice) -> dict[str, str]:
    return {
        "value": choice.value,
        "title": one_line(choice.title[:500]),
        "description": one_line(choice.description[:1000]),
    }


def _words(each: FormField, value: Any) -> str:
    titles = {choice.value: choice.title for choice in each.choices}
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(str(titles.get(item, item)) for item in (value if isinstance(value, list) else [value]))


def shown_default(each: FormField) -> Any:
    """None for one that holds what nobody would see: it would be sent unread."""
    value = each.default
    if isinstance(value, str) and not each.choices:
        plain = value.replace("\n", "").replace("\t", "")
        return value if visible(plain) == plain else None
    return value


# --- values


def _value(each: FormField, value: Any) -> Any:
    if value is None:
        if each.required:
            raise Wrong("is required" if each.type != "unknown" else "is of a kind that is not known here")
        return None
    return _CHECKS[each.type](each, value)


def _string(each: FormField, value: Any) -> str:
    if not isinstance(value, str):
        raise Wrong("must be a text")
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
        raise Wrong("must be a list of texts")
    chosen = [item if each.custom else _one_of(each, item) for item in dict.fromkeys(chosen)]
    if each.required and not chosen and each.least is None:
        return chosen
    _within(each, len(chosen), "needs at least {} choices", "takes at most {} choices")
    return chosen


def _one_of(each: FormField, value: str) -> str:
    if any(choice.value == value for choice in each.choices):
        return value
    raise Wrong(f"must be one of {_brief(', '.join(choice.value for choice in each.choices))}")


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


def _typed(each: FormField, text: str, chosen: list[int]) -> Any:
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


def _brief(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= 60 else line[:59] + "…"
