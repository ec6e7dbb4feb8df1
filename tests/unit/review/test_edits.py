"""Line edits between two texts: right, few, and quick."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.edits import Edit, apply, edits

_texts = st.lists(st.sampled_from("abcde"), max_size=12)


@given(_texts, _texts)
def test_edits_make_the_new_text_of_the_old(old: list[str], new: list[str]) -> None:
    found = edits(old, new)
    assert apply(old, found) == new
    ends = [0, *(edit.last for edit in found)]
    assert all(end <= edit.first <= edit.last for end, edit in zip(ends, found, strict=False))


@given(_texts)
def test_nothing_changed_is_no_edit(text: list[str]) -> None:
    assert edits(text, list(text)) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "ab", [(0, 0, "ab")]),
        ("ab", "", [(0, 2, "")]),
        ("abc", "axc", [(1, 2, "x")]),
        ("abc", "abxc", [(2, 2, "x")]),
        ("abcd", "acd", [(1, 2, "")]),
        ("abcde", "xbcdy", [(0, 1, "x"), (4, 5, "y")]),
        ("aXaYa", "aXbYa", [(2, 3, "b")]),
        ("aabb", "abab", [(1, 2, ""), (3, 3, "a")]),
    ],
)
def test_edits_are_small(old: str, new: str, found: list[tuple[int, int, str]]) -> None:
    assert edits([*old], [*new]) == [Edit(first, last, [*lines]) for first, last, lines in found]


def test_lines_that_moved_are_found_where_most_of_them_are() -> None:
    old = [str(n) for n in range(50)]
    new = [*old[40:], *old[:40]]
    assert sum(len(edit.lines) for edit in edits(old, new)) == 10


def _seconds(old: list[str], new: list[str]) -> float:
    began = time.perf_counter()
    assert apply(old, edits(old, new)) == new
    return time.perf_counter() - began


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["x"] * 50_000, ["y", *["x"] * 50_000, "z"]),
        (["a", "b"] * 50_000, ["b", "a"] * 50_000),
        ([str(n) for n in range(100_000)], [str(n) for n in range(100_000, 0, -1)]),
    ],
)
def test_a_hostile_text_is_as_quick_as_another(old: list[str], new: list[str]) -> None:
    assert _seconds(old, new) < 3
