"""What the chat shows of a form before it is opened: its questions and their choices, bounded."""

from typing import Any

import pytest

from acp_nvim.processes.regex_match import match
from acp_nvim.protocol import decode
from acp_nvim.session.form import Form
from acp_nvim.session.form_outline import outline
from tests.steps.forms import FIELDS, ONE_QUESTION, TWO_QUESTIONS, WHICH


def outlined(properties: Any, required: tuple[str, ...] = (), are_offered: bool = False) -> list[str]:
    schema = {"properties": properties, "required": list(required)}
    form = Form(decode.elicitation({"requestedSchema": schema}).fields or (), match)
    return [str(line) for line in outline(form, form.shape(), are_offered)]


def test_each_question_stands_above_its_choices() -> None:
    assert outlined(TWO_QUESTIONS) == [
        f"Format  {WHICH}",
        "- TOML  Typed values, in the standard library since 3.11",
        "- INI  What is there now, with sections",
        "- JSON  No comments, but every tool reads it",
        "Extras  What should be done as well?",
        "- Tests  One for each format",
        "- Docs  A page in doc/",
    ]


def test_choices_that_are_options_are_not_listed_again() -> None:
    assert outlined(ONE_QUESTION, are_offered=True) == ["Format"]


def test_what_may_stay_empty_is_said_only_where_something_is_required() -> None:
    lines = ["Your name  As on the door", "Age", "Colour  red · blue", "Tools  Hammer · Saw", "Sure?"]
    assert outlined(FIELDS) == lines
    assert outlined(FIELDS, ("name",)) == [lines[0], *(f"{line}  (optional)" for line in lines[1:])]


def test_a_name_that_is_only_a_key_is_no_question() -> None:
    assert outlined({"q": {"type": "string", "enum": ["a", "b"]}}) == ["a · b"]
    assert outlined({"q": {"type": "string", "title": "Q"}}) == ["Q"]


LONG = "x" * 3000


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        (
            {"enum": [f"c{n}" for n in range(1000)]},
            ["Q  c0 · c1 · c2 · c3 · c4 · c5 · c6 · c7 · c8 · … (1000)"],
        ),
        (
            {"enum": [f"a rather long choice {n}" for n in range(12)]},
            ["Q", *(f"- a rather long choice {n}" for n in range(9)), "… 3 more in the form"],
        ),
        (
            {"oneOf": [{"const": "a", "title": LONG, "description": LONG}]},
            ["Q", f"- {'x' * 39}…  {'x' * 199}…"],
        ),
        ({"description": "\n".join([LONG[:500]] * 9)}, [f"Q  {'x' * 199}…", *[f"{'x' * 199}…"] * 4, "…"]),
    ],
)
def test_a_long_one_is_cut(field: dict[str, Any], lines: list[str]) -> None:
    assert outlined({"q": {"type": "string", "title": "Q", **field}, "n": {"type": "integer"}}) == [
        *lines,
        "n",
    ]


def test_hidden_characters_are_seen() -> None:
    evil = "x\x1b[8m\u202e\ny"
    choice = {"const": evil, "title": evil, "description": evil}
    assert outlined({"q": {"type": "string", "title": evil, "description": evil, "oneOf": [choice]}}) == [
        "x^[[8m<202E> y  x^[[8m<202E>",
        "y",
        "- x^[[8m<202E> y  x^[[8m<202E> y",
    ]
