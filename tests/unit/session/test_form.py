"""Forms: what their fields take, and what is wrong with what they do not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.processes.regex_match import match
from acp_nvim.protocol import decode
from acp_nvim.session.form import Form

TITLED = {"oneOf": [{"const": "a", "title": "A", "description": "the first"}, {"const": "b", "title": "B"}]}
SEVERAL = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}


def form(required: tuple[str, ...] = (), **properties: Any) -> Form:
    schema = {"properties": properties, "required": list(required)}
    return Form(decode.elicitation({"requestedSchema": schema}).fields or (), match)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "string"}, "words"),
        ({"type": "string", "minLength": 2, "maxLength": 2}, "漢😀"),
        ({"type": "string", "enum": ["a", "b"]}, "b"),
        ({"type": "string", **TITLED}, "a"),
        ({"type": "string", "pattern": "^[a-z]+-\\d{2}$"}, "ab-12"),
        (
            {"type": "string", "pattern": "((a+)+)+$"},
            "a" * 60 + "b",
        ),  # takes too long: the agent's own affair
        ({"type": "string", "pattern": "("}, "b"),
        ({"type": "string", "format": "email"}, "a@b.org"),
        ({"type": "string", "format": "uri"}, "mailto:a@b.org"),
        ({"type": "string", "format": "date"}, "2026-02-28"),
        ({"type": "string", "format": "date-time"}, "2026-02-28T12:00:00Z"),
        ({"type": "string", "format": "postcode"}, "x"),
        ({"type": "number", "minimum": 0.5}, 0.5),
        ({"type": "integer", "maximum": 3}, 3),
        ({"type": "boolean"}, False),
        (SEVERAL, ["a", "c"]),
        ({**SEVERAL, "minItems": 1, "maxItems": 1}, ["b"]),
        ({"type": "string", "minLength": "two", "maxLength": None}, "x"),
    ],
)
def test_what_fits_goes_to_the_agent_as_it_is(field: dict[str, Any], value: Any) -> None:
    filled = form(("f",), f=field).check({"f": value})
    assert (filled.content, filled.errors) == ({"f": value}, {})


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ({"type": "string"}, None, "is required"),
        ({"type": "string"}, 5, "must be text"),
        ({"type": "string", "minLength": 2}, "a", "at least 2 characters"),
        ({"type": "string", "maxLength": 2}, "abc", "at most 2 characters"),
        ({"type": "string"}, "x" * 70_000, "is longer than"),
        ({"type": "string", "enum": ["a", "b"]}, "c", "must be one of a, b"),
        ({"type": "string", "pattern": "^[a-z]+-\\d{2}$"}, "ab-1", "must match"),
        ({"type": "string", "format": "email"}, "a.b.org", "an e-mail address"),
        ({"type": "string", "format": "uri"}, "example", "a URI"),
        ({"type": "string", "format": "date"}, "2026-02-30", "a date"),
        ({"type": "string", "format": "date-time"}, "2026-02-28", "a date and time"),
        ({"type": "number", "minimum": 0.5}, 0.4, "must be at least 0.5"),
        ({"type": "number"}, True, "must be a number"),
        ({"type": "number"}, float("nan"), "must be a number"),
        ({"type": "integer"}, 1.5, "must be a whole number"),
        ({"type": "integer"}, 2**63, "too large"),
        ({"type": "integer", "maximum": 3}, 4, "must be at most 3"),
        ({"type": "boolean"}, "yes", "must be true or false"),
        (SEVERAL, ["d"], "must be one of a, b, c"),
        (SEVERAL, [1], "must be a list of strings"),
        ({**SEVERAL, "minItems": 2}, ["b", "b"], "needs at least 2 choices"),
        ({**SEVERAL, "maxItems": 1}, ["b", "a"], "takes at most 1 choices"),
    ],
)
def test_what_does_not_fit_is_said(field: dict[str, Any], value: Any, words: str) -> None:
    filled = form(("f",), f=field).check({"f": value})
    assert words in filled.errors["f"]
    assert filled.content == {}
    assert filled.problem({"f": "Field"}).startswith("'Field' ")


def test_what_is_not_given_takes_its_default_and_null_leaves_it_out() -> None:
    wanted = form((), a={"type": "string", "default": "x"}, b={"type": "integer", "default": 0})
    assert wanted.check({}).content == {"a": "x", "b": 0}
    assert wanted.check({"a": None}).content == {"b": 0}


@pytest.mark.parametrize(
    ("field", "default"),
    [
        ({"type": "string", "enum": ["a"], "default": "b"}, None),
        ({"type": "string", "default": "a\u202eb"}, None),  # would be sent unread
        ({"type": "string", "default": "a\n\tb"}, "a\n\tb"),
        ({"type": "integer", "default": True}, None),
        ({"type": "number", "default": 10**400}, None),
        ({**SEVERAL, "default": ["a", 3, "z"]}, ["a"]),
    ],
)
def test_odd_defaults_are_none(field: dict[str, Any], default: Any) -> None:
    assert form((), f=field).shape()[0].get("default") == default


def test_what_cannot_be_seen_is_made_visible() -> None:
    (shape,) = form(
        (), **{"a\u202eb": {"type": "string", "title": "x\x1b[8m", "description": "1\n2\x07"}}
    ).shape()
    assert (shape["name"], shape["title"], shape["description"]) == ("a<202E>b", "x^[[8m", "1\n2^G")
    assert form((), **{"a\u202eb": {"type": "string"}}).check({"a<202E>b": "v"}).content == {"a\u202eb": "v"}


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        ({"type": "string"}, {"text": "a\nb"}, "a\nb"),
        ({"type": "string", "default": "x"}, {"text": ""}, None),
        ({"type": "integer"}, {"text": " -12 "}, -12),
        ({"type": "number"}, {"text": "1.5e3"}, 1500.0),
        ({"type": "number"}, {"text": "7"}, 7),
        ({"type": "boolean"}, {"chosen": [2]}, False),
        ({"type": "boolean", "default": True}, {"chosen": []}, None),
        ({"type": "string", **TITLED}, {"chosen": [2]}, "b"),
        (SEVERAL, {"chosen": [1, 3]}, ["a", "c"]),
        (SEVERAL, {"chosen": []}, None),
        (SEVERAL, {"chosen": [0, 9, "x"]}, None),
    ],
)
def test_what_was_typed_is_read(field: dict[str, Any], typed: dict[str, Any], value: Any) -> None:
    filled = form((), f=field).read({"f": typed})
    assert filled.errors == {}
    assert filled.content.get("f") == value


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ({"type": "integer"}, {"text": "1_000"}, "must be a whole number"),
        ({"type": "integer"}, {"text": "9" * 5000}, "must be a whole number"),
        ({"type": "integer"}, {"text": "١"}, "must be a whole number"),
        ({"type": "number"}, {"text": "1e9999"}, "must be a number"),
        ({"type": "number"}, {"text": "nan"}, "must be a number"),
        ({"type": "boolean"}, {"chosen": [1, 2]}, "takes one choice"),
        ({"type": "string", **TITLED}, {"chosen": [1, 2]}, "takes one choice"),
    ],
)
def test_what_was_typed_wrong_is_said(field: dict[str, Any], typed: dict[str, Any], words: str) -> None:
    filled = form((), f=field).read({"f": typed})
    assert words in filled.errors["f"]


def test_a_required_choice_of_several_may_be_none_of_them() -> None:
    assert form(("f",), f=SEVERAL).read({"f": {"chosen": []}}).content == {"f": []}


@pytest.mark.parametrize("raw", [None, [], "text", {"f": 3}, {"f": {"text": None, "chosen": "x"}}])
def test_a_buffer_that_says_nothing_has_what_is_required_missing(raw: Any) -> None:
    assert form(("f",), f={"type": "string"}).read(raw).errors == {"f": "is required"}


def test_a_text_alone_is_the_answer_where_one_is_asked_for() -> None:
    assert form(("f",), f={"type": "string"}).check("x").content == {"f": "x"}
    assert form((), f={"type": "integer"}).check("x").errors


def test_a_field_of_an_unknown_kind_is_not_shown_and_not_sent() -> None:
    odd = form((), f={"type": "_picture"}, g={"type": "array", "items": {"type": "_x"}}, h={"type": "string"})
    assert [shape["name"] for shape in odd.shape()] == ["h"]
    assert odd.check({"h": "x"}).content == {"h": "x"}
    assert odd.check({"f": "x"}).errors
    assert odd.missing is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(
    [
        "type",
        "title",
        "default",
        "enum",
        "oneOf",
        "items",
        "minLength",
        "maximum",
        "pattern",
        "format",
        "const",
    ]
)
properties = st.dictionaries(
    st.text(max_size=3),
    st.dictionaries(
        keys, anything | st.sampled_from(["string", "integer", "array", "boolean", "date"]), max_size=6
    ),
    max_size=3,
)


@given(properties, anything, st.lists(st.text(max_size=3), max_size=2))
def test_no_form_and_no_answer_makes_it_raise(fields: Any, answer: Any, required: list[str]) -> None:
    odd = Form(
        decode.elicitation({"requestedSchema": {"properties": fields, "required": required}}).fields or (),
        match,
    )
    odd.shape()
    odd.read(answer)
    filled = odd.check(answer)
    assert not filled.errors or filled.problem({})


@given(anything)
def test_no_params_make_the_reading_raise(params: Any) -> None:
    decode.elicitation(params)
    decode.elicitation({"requestedSchema": params})
    if isinstance(params, dict):
        decode.ask(params)
