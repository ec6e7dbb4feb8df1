"""Two texts compared: counts and the unified view, whatever the texts hold."""

import difflib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.diff_view import counts, lines, unified
from acp_nvim.text.line_diff import stretches

texts = st.text("ab\n", max_size=40)


@pytest.mark.statement(86)
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", (0, 0)),
        ("", "a", (1, 0)),
        ("", "a\nb\n", (2, 0)),
        ("a\nb", "", (0, 2)),
        ("a", "a\n", (0, 0)),
        ("a\nb", "a\nc", (1, 1)),
        ("a\nb", "a\nb\nc", (1, 0)),
        ("a\nb\nc\n", "a\nc\n", (0, 1)),
        ("x\ny\n", "y\nx\n", (1, 1)),
        ("\n\n", "\n", (0, 1)),
        ("x\n\nb\n", "y\nb\n", (1, 2)),
    ],
)
def test_counts(old: str, new: str, expected: tuple[int, int]):
    assert counts(old, new) == expected


@given(texts, texts)
def test_changes_lead_from_one_to_the_other_by_the_shortest_way(old: str, new: str):
    a, b = lines(old), lines(new)
    result, done, added, removed = list[str](), 0, 0, 0
    for i1, i2, j1, j2 in stretches(a, b):
        result += a[done:i1] + b[j1:j2]
        done, added, removed = i2, added + j2 - j1, removed + i2 - i1
    assert result + a[done:] == b
    assert counts(old, new) == (added, removed)
    assert added + removed <= sum(line[0] in "+-" for line in difflib.ndiff(a, b))


@given(texts, texts)
def test_the_unified_view_holds_every_change(old: str, new: str):
    view = list(unified(old, new))
    assert (sum(sign == "+" for sign, _ in view), sum(sign == "-" for sign, _ in view)) == counts(old, new)


def test_hunks_have_three_lines_around_them():
    old = "".join(f"{number}\n" for number in range(20))
    view = list(unified(old, old.replace("5\n", "five\n", 1).replace("17\n", "")))
    assert "".join(sign for sign, _ in view) == "   -+   ⋯   -  "
    assert view[0] == (" ", "2")
    assert view[-1] == (" ", "19")


def test_close_hunks_are_joined():
    old = "a\nb\nc\nd\ne\n"
    assert "".join(sign for sign, _ in unified(old, "A\nb\nc\nd\nE\n")) == "-+   -+"


@pytest.mark.statement(86)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("a\n", "a", "newline removed at the end"), ("a", "a\n", "newline added at the end")],
)
def test_the_last_newline_is_told(old: str, new: str, said: str):
    assert list(unified(old, new)) == [("\\", said)]


@pytest.mark.parametrize(
    "hostile", ["a\nb\n" * 5000, "a\n" * 10_000, "".join(f"{n % 7}\n" for n in range(10_000))]
)
def test_the_time_does_not_depend_on_what_the_lines_hold(hostile: str):
    start = time.process_time()
    added, removed = counts(hostile, "b\n" + hostile.replace("a", "c") + "b\na\n")
    list(unified(hostile, hostile.replace("b", "c")))
    assert time.process_time() - start < 0.5
    assert added - removed == 3


@pytest.mark.alone
def test_a_small_change_in_megabytes_is_counted_exactly():
    old = "line of text\n" * 500_000
    assert counts(old, old[:1300] + "one more\n" + old[1300:]) == (1, 0)
    assert counts(old, old.replace("t", "T")) == (500_000, 500_000)
