"""Checks the answer to a form, from the API or as typed into a buffer, and says what is wrong with it.

A value that is None was left out on purpose; one that is not given at all takes its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol.schema.elicitation import FormChoice, FormField
from acp_nvim.session import form_values
from acp_nvim.text.printable import one_line, visible

# Matches regular expressions in bounded time: see `processes/regex_match.py`.
Match = Callable[[Sequence[tuple[str, tuple[str, ...], bool]]], list[bool | None]]


@dataclass(slots=True)
class Filled:
    """The content for the agent, by its own names, or the errors, by the names that the user sees."""

    content: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def problem(self, titles: Mapping[str, str]) -> str:
        """Return the first error in one line, with the field's name in the form."""
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
        choices = {each.key for each in self.fields.values() if each.choices}
        self.own_words = {name for name, each in self.fields.items() if _is_own_words(each, choices)}

    def __bool__(self) -> bool:
        return bool(self.fields)

    @property
    def missing(self) -> str | None:
        """Return the name of a required field of an unknown type: such a form cannot be answered."""
        unknown = (name for name, each in self.fields.items() if each.required and each.type == "unknown")
        return next(unknown, None)

    @property
    def single(self) -> str | None:
        """Return the name of its only field, if that takes a text."""
        only = next(iter(self.fields)) if len(self.fields) == 1 else None
        return only if only is not None and self.fields[only].type in ("string", "array") else None

    @property
    def choice(self) -> str | None:
        """Return the name of the field whose choices are answers by themselves, because the form asks nothing else."""
        asked = [name for name in self.fields if name not in self.own_words]
        only = asked[0] if len(asked) == 1 else None
        return only if only is not None and self.fields[only].type == "string" else None

    def shape(self) -> list[dict[str, Any]]:
        """Return the fields as `acp.questions()` shows them."""
        return [_shape(name, each) for name, each in self.fields.items() if each.type != "unknown"]

    def told(self, content: Mapping[str, Any]) -> str:
        """Return an answer in one line for the chat."""
        is_named = len(self.fields) - len(self.own_words) > 1
        words: list[str] = []
        for name, each in self.fields.items():
            if each.key in content:
                named = f"{_title(name, each)}: " if is_named and name not in self.own_words else ""
                words.append(named + _words(each, content[each.key]))
        return form_values.brief(", ".join(words))

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
                value = form_values.checked(each, content.get(name, each.default))
            except form_values.Wrong as error:
                filled.errors[name] = str(error)
            else:
                if value is not None:
                    filled.content[each.key] = value
        self._match_patterns(filled)
        return filled

    def _match_patterns(self, filled: Filled) -> None:
        """Check patterns. One that takes too long, or that Python does not know, is left to the agent."""
        given = [(name, each, filled.content.get(each.key)) for name, each in self.fields.items()]
        texts = [(name, each.pattern, value) for name, each, value in given if isinstance(value, str)]
        wanted = [(name, pattern, value) for name, pattern, value in texts if pattern and self._is_free(name)]
        found = self._match([(pattern, (value,), False) for _, pattern, value in wanted])
        for (name, pattern, _), is_match in zip(wanted, found, strict=True):
            if is_match is False:
                filled.errors[name] = f"must match {form_values.brief(pattern)}"
                del filled.content[self.fields[name].key]

    def _is_free(self, name: str) -> bool:
        """Whether the field takes other texts than the offered choices."""
        return not self.fields[name].choices or self.fields[name].custom

    def read(self, typed: Any) -> Filled:
        """Check what a buffer holds: for each field `text`, and `chosen`, the numbers of its choices from 1."""
        content: dict[str, Any] = {}
        errors: dict[str, str] = {}
        for name, each in self.fields.items():
            raw = typed.get(name) if isinstance(typed, Mapping) else None
            raw = raw if isinstance(raw, Mapping) else {}
            try:
                content[name] = form_values.typed(each, str(raw.get("text") or ""), raw.get("chosen"))
            except form_values.Wrong as error:
                errors[name] = str(error)
        filled = self.check({name: value for name, value in content.items() if self._is_known(name)})
        return Filled(filled.content, {**filled.errors, **errors})

    def _is_known(self, name: str) -> bool:
        return self.fields[name].type != "unknown"


def _is_own_words(each: FormField, choices: set[str]) -> bool:
    """Whether the field is a text beside a choice: "Other", `question_0_custom`, comes behind `question_0`."""
    is_free = each.type == "string" and not (each.choices or each.required or each.default)
    return is_free and each.key.removesuffix("_custom") in choices


def _title(name: str, each: FormField) -> str:
    return one_line(each.title) or name


def _shape(name: str, each: FormField) -> dict[str, Any]:
    shape = {
        "name": name,
        "title": _title(name, each),
        "type": each.type,
        "required": each.required,
        "default": shown_default(each),
        "description": "\n".join(map(visible, each.description.splitlines())),
        "choices": [_choice(choice) for choice in each.choices],
        "custom": each.custom,
        "format": one_line(each.format[: limits.FORM_NOTE_CHARS]) if each.format else None,
        "pattern": one_line(each.pattern[: limits.FORM_NOTE_CHARS]) if each.pattern else None,
        "least": each.least,
        "most": each.most,
    }
    return {key: value for key, value in shape.items() if value is not None}


def _choice(choice: FormChoice) -> dict[str, str]:
    return {
        "value": choice.value,
        "title": one_line(choice.title),
        "description": one_line(choice.description),
    }


def _words(each: FormField, value: Any) -> str:
    titles = {choice.value: choice.title for choice in each.choices}
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(str(titles.get(item, item)) for item in (value if isinstance(value, list) else [value]))


def shown_default(each: FormField) -> Any:
    """Return the default; None if it holds hidden characters, which would be sent unread."""
    value = each.default
    if isinstance(value, str) and not each.choices:
        plain = value.replace("\n", "").replace("\t", "")
        return value if visible(plain) == plain else None
    return value
