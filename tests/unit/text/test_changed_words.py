"""Which words differ between the lines of a change, and which lines are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.changed_words import NOTHING, changed_words


def marked(lines: str, spans: list[tuple[int, int]]) -> list[str]:
    """The changed part of each line."""
    return [line[first:last] for line, (first, last) in zip(lines.split("|"), spans, strict=True)]


def words(old: str, new: str) -> tuple[list[str], list[str]]:
    gone, come = changed_words(old.split("|"), new.split("|"))
    return marked(old, gone), marked(new, come)


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("in orders: add(order)", "in all_orders: add(order)", "orders", "all_orders"),
        ("total(a)", "total(a, b)", "", ", b"),
        ("x = total(a)", "x = totals(a)", "total", "totals"),
        ("TAX = 0.19", "TAX = 0.21", "19", "21"),
        ("    return a", "        return a", "", "    "),
        ("größe = höhe + 1", "größe = höhle + 1", "höhe", "höhle"),
        ("a = aa", "a = aaa", "aa", "aaa"),
        ("one two three", "four five six", "", ""),  # nothing in common
        ("        a", "        b", "", ""),  # the indent alone
        ("", "", "", ""),
    ],
)
def test_the_changed_part_begins_and_ends_with_a_word(old: str, new: str, gone: str, come: str) -> None:
    assert words(old, new) == ([gone], [come])


def test_as_many_lines_are_compared_by_their_places() -> None:
    assert words("a = f(1)|b = f(2)", "a = f(3)|b = f(4)") == (["1", "2"], ["3", "4"])


def test_fewer_lines_are_compared_with_those_that_are_most_alike() -> None:
    assert words("total = add(x)", "# sum|total = add(y)|return z") == (["x"], ["", "y", ""])
    assert words("# sum|total = add(x)|return z", "total = add(y)") == (["", "x", ""], ["y"])


def test_a_neighbour_is_compared_before_a_line_further_down_that_is_more_alike() -> None:
    added = "    return 2 * n||def triple(n):|    return 3 * n|||def half(n):|    return n / 2"
    rest = [""] * 7
    assert words("    return n * 2", added) == (["n * 2"], ["2 * n", *rest])
    assert words(added, "    return n * 2") == (["2 * n", *rest], ["n * 2"])


def test_what_would_take_long_is_not_compared() -> None:
    gone, come = changed_words(["a b"] * 30, ["a c"] * 31)
    assert {*gone, *come} == {NOTHING}


@given(st.text("ab _("), st.text("ab _("))
def test_outside_of_its_changed_part_a_line_is_as_it_was(old: str, new: str) -> None:
    (gone,), (come,) = changed_words([old], [new])
    if (gone, come) != (NOTHING, NOTHING):
        assert old[: gone[0]] == new[: come[0]]
        assert old[gone[1] :] == new[come[1] :]
        assert gone[0] <= gone[1] <= len(old)
        assert come[0] <= come[1] <= len(new)
