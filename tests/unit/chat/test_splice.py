"""The edit between two states of a block makes the one of the other, and touches no more than it must."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.chat.splice import Row, edit
from tests.fakes.editor import ChatBuffer

rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([None, {"kind": "tool"}, {"kind": "body"}])), max_size=6
)


def buffer_of(block: list[Row]) -> ChatBuffer:
    lines = ["above", *(text for text, _ in block), "below"]
    marks: list[list[dict[str, Any]]] = [[], *([mark] if mark else [] for _, mark in block), []]
    return ChatBuffer(lines, marks)


@given(rows, rows)
def test_an_edit_leads_from_one_to_the_other(old: list[Row], new: list[Row]):
    buffer, expected = buffer_of(old), buffer_of(new)
    op = edit(1, old, new)
    buffer.apply([op] if op else [], len(new) + 2)
    assert buffer == expected
    assert (op is None) == (old == new)


def test_only_what_differs_is_replaced():
    old: list[Row] = [("a", None), ("b", None), ("c", None)]
    assert edit(5, old, [old[0], ("x", None), ("y", None), old[2]]) == ["splice", 6, 7, ["x", "y"], []]
    assert edit(5, old, [old[0], old[0], *old[1:]]) == ["splice", 6, 6, ["a"], []]
    assert edit(5, old, [*old[:2], ("c", {"kind": "body"})]) == ["marks", 7, 8, [{"row": 7, "kind": "body"}]]
