"""Which rows of a diff a question has room for: both sides of a hunk, and how many lines each leaves out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.chat.change_excerpt import Excerpt
from acp_nvim.session.change_preview import DiffRow


def rows_of(lines: str) -> list[DiffRow]:
    return [DiffRow(line[0], line[1:]) for line in lines.split("|") if line]


def drawn(rows: list[DiffRow], most: int) -> list[DiffRow]:
    excerpt = Excerpt(rows, most)
    while excerpt.take():
        pass
    return excerpt.rows()


def told(rows: list[DiffRow]) -> str:
    return "|".join(f"{row.sign}{row.text}{f' … {row.more}' if row.more else ''}" for row in rows)


HUNK = " f|-a|-b|-c|-d|+x|+y"


@pytest.mark.parametrize(
    ("most", "wanted"),
    [
        (1, ""),
        (2, "-a … 3|+x … 1"),
        (3, " f|-a … 3|+x … 1"),
        (4, " f|-a|-b … 2|+x … 1"),
        (5, " f|-a|-b … 2|+x|+y"),
        (6, " f|-a|-b|-c … 1|+x|+y"),
        (7, HUNK),
    ],
)
def test_both_sides_of_a_hunk_are_drawn(most: int, wanted: str) -> None:
    assert told(drawn(rows_of(HUNK), most)) == wanted


def test_the_next_hunk_comes_with_both_sides_or_not_at_all() -> None:
    two = rows_of("-a|+x| 2|⋯| 8|-b|-c|+y| 11")
    assert told(drawn(two, 6)) == "-a|+x| 2"
    assert told(drawn(two, 7)) == "-a|+x| 2|⋯| 8|-b … 1|+y"
    assert drawn(two, 20) == two


def test_a_side_alone_is_cut_at_its_end() -> None:
    assert told(drawn(rows_of("+a|+b|+c"), 2)) == "+a|+b … 1"
    assert told(drawn(rows_of("-a|-b|-c"), 1)) == "-a … 2"


def test_what_the_preview_has_left_out_is_counted_too() -> None:
    rows = [DiffRow("-", "a"), DiffRow("-", "b", more=7), DiffRow("+", "x", more=3)]
    assert told(drawn(rows, 2)) == "-a … 8|+x … 3"
    assert told(drawn(rows, 3)) == "-a|-b … 7|+x … 3"


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), max_size=5), st.integers(0, 30))
def test_no_drawn_hunk_hides_a_side_or_a_line(sizes: list[tuple[int, int]], most: int) -> None:
    rows = []
    for number, (gone, come) in enumerate(sizes):
        rows += [DiffRow("⋯", "")] * (number > 0)
        rows += [DiffRow("-", f"{number}")] * gone + [DiffRow("+", f"{number}")] * come
    found = drawn(rows, most)
    assert len(found) <= most
    for number, sides in enumerate(sizes):
        have = [row for row in found if row.text == f"{number}"]
        for sign, count in zip("-+", sides, strict=True):
            mine = [row for row in have if row.sign == sign]
            assert not have or len(mine) + sum(row.more for row in mine) == count
            assert not have or bool(mine) == bool(count)
    assert most < len(rows) or found == rows
