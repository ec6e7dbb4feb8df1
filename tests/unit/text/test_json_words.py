"""Of JSON in the words of an agent, a user reads the message."""

import pytest

from acp_nvim.text.json_words import without_json

OVERLOADED = '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"API Error: 529 {OVERLOADED}", "API Error: 529 Overloaded"),
        (f"{OVERLOADED} (request 7)", "Overloaded (request 7)"),
        ('model overloaded: {"retry": 5}', 'model overloaded: {"retry": 5}'),
        ("a brace { that opens nothing", "a brace { that opens nothing"),
        ("no JSON at all", "no JSON at all"),
        ('{"a": ' * 100_000, '{"a": ' * 100_000),
    ],
)
def test_an_object_becomes_the_message_in_it(text: str, read: str) -> None:
    assert without_json(text) == read
