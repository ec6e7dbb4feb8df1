"""A symbol is named by its text and that of its line."""

from typing import Any

import pytest

from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.symbols import Place, find

LINES = ["x = max(1)", "y = äx + x", "print(x)", "print(x)"]


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ({"symbol": "x", "line_content": "x = max(1)"}, Place(0, 0, 1)),
        ({"symbol": "max", "line_content": "  x = max(1)  "}, Place(0, 4, 7)),
        ({"symbol": "x", "line_content": "äx +"}, Place(1, 10, 11)),
        ({"symbol": "äx", "line_content": "äx +"}, Place(1, 4, 7)),
        ({"symbol": "x", "line_content": "print", "line": 4}, Place(3, 6, 7)),
        ({"line_content": "y ="}, Place(1, 0, 11)),
        ({"line": 3}, Place(2, 0, 8)),
    ],
)
def test_where_it_stands(wanted: dict[str, Any], place: Place) -> None:
    assert find(LINES, wanted, "a.py") == place


def test_a_line_that_stands_twice_is_told() -> None:
    found = find(LINES, {"symbol": "x", "line_content": "print(x)"}, "a.py")
    assert found[:3] == (2, 6, 7)
    assert found.note == "the text stands in lines 3, 4: line 3 was taken, name another one with 'line'"


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"symbol": "x", "line_content": "nowhere"}, "no line of a.py has the text 'nowhere'"),
        ({"symbol": "z", "line_content": "print"}, "line 3 of a.py has no 'z'"),
        ({"symbol": "max", "line_content": "x", "line": 2}, "line 2 of a.py has no 'max'"),
        ({"symbol": "x", "line_content": "print", "line": 1}, "line 1 of a.py does not have the text"),
        ({"symbol": "x", "line_content": "print", "line": 9}, "line 9 of a.py does not have the text"),
    ],
)
def test_what_is_not_there(wanted: dict[str, Any], why: str) -> None:
    with pytest.raises(Failed, match=why):
        find(LINES, wanted, "a.py")
