"""Outlines a form for the chat: what each field asks, and its choices. The form itself shows the rest.

Format  Which format should the settings have?     a field: its name, and what describes it
- TOML  Typed values                               a choice, and what describes it
- INI   What is there now
Colour  red · blue                                 short choices that nothing describes
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_nvim.session.form import Form
from acp_nvim.text.bounded import short

_CHOICES, _LINES, _CHARS = 9, 5, 200  # that the chat shows of a field whose form has all of it
_TITLE = 40  # characters of a choice
_BARE = 20  # characters of choices that stand side by side


class OutlineLine(NamedTuple):
    name: str = ""  # of a field
    text: str = ""
    note: str = ""  # what describes a choice, or that a field may stay empty

    def __str__(self) -> str:
        return "  ".join(filter(None, self))


def outline(form: Form, fields: list[dict[str, Any]], are_offered: bool) -> Iterator[OutlineLine]:
    """Yield the lines of the fields, which are shaped as `Form.shape` returns them. A text for the user's own words
    belongs to the choice before it. `are_offered`: the choices are options of the question, and not listed again."""
    asked = [field for field in fields if field["name"] not in form.own_words]
    has_required = any(field["required"] for field in asked)
    for field in asked:
        name = field["title"]
        if len(asked) == 1 and (name in form.about or not form.fields[field["name"]].title):
            name = ""
        first, *more = _described(field, is_whole=are_offered) or [""]
        choices = [] if are_offered else list(_choices(field["choices"]))
        if not first and choices and _are_bare(field["choices"]):
            first, choices = choices[0].text, []
        note = "(optional)" if has_required and not field["required"] else ""
        if name or first:
            yield OutlineLine(name, first, note)
        yield from (OutlineLine(text=line) for line in more)
        yield from choices


def _described(field: dict[str, Any], is_whole: bool) -> list[str]:
    lines = str(field["description"]).splitlines()
    if is_whole:
        return lines
    return [short(line, _CHARS) for line in lines[:_LINES]] + ["…"] * (len(lines) > _LINES)


def _choices(choices: list[dict[str, str]]) -> Iterator[OutlineLine]:
    shown, more = choices[:_CHOICES], len(choices) - _CHOICES
    if choices and _are_bare(choices):
        titles = [choice["title"] for choice in shown]
        yield OutlineLine(text=" · ".join([*titles, f"… ({len(choices)})"] if more > 0 else titles))
        return
    for choice in shown:
        title, described = short(choice["title"], _TITLE), short(choice["description"], _CHARS)
        yield OutlineLine(text=f"- {title}", note=described)
    if more > 0:
        yield OutlineLine(note=f"… {more:,} more in the form")


def _are_bare(choices: list[dict[str, str]]) -> bool:
    """Whether the choices that are shown fit side by side."""
    return all(len(each["title"]) <= _BARE and not each["description"] for each in choices[:_CHOICES])
