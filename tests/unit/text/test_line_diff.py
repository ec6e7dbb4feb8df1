"""Line edits between two texts: right, few, and quick."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.line_diff import Edit, apply, edits

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
    began = time.process_time()
    assert apply(old, edits(old, new)) == new
    return time.process_time() - began


@pytest.mark.alone
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


@given(_texts, _texts)
def test_which_side_is_longer_does_not_matter(old: list[str], new: list[str]) -> None:
    """Wide texts are aligned with the sides swapped."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("acp_nvim.limits.ALIGNED_LINES", 2)
        assert apply(old, edits(old, new)) == new


@pytest.mark.alone
@pytest.mark.parametrize(
    ("few", "many"),
    [
        ([f"was {n}" for n in range(20)], [f"is {n}" for n in range(199_000)]),
        (["}", "x"] * 10, ["}"] * 199_000),
    ],
)
def test_a_small_file_may_become_a_large_one(few: list[str], many: list[str]) -> None:
    nothing_old = max(_seconds([], many), 0.01)
    assert _seconds(few, many) < 20 * nothing_old
    assert _seconds(many, few) < 20 * nothing_old
