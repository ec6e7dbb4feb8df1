"""How much of a proposal the user has taken, in numbers and in words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_nvim.text.compare_decision import Taken, taken, taken_in_words, total

LEFT, RIGHT = "a b c d e f", "A b C d e x y f"


def lines(text: str) -> str:
    return "".join(f"{line}\n" for line in text.split())


@pytest.mark.parametrize(
    ("decided", "count", "words"),
    [
        ("A b c d e f", Taken(1, 0, 3, 1, 1), "1 of 3 hunks"),
        ("A b C d e x f", Taken(2, 1, 3, 3, 2), "3 of 3 hunks, edited by you"),
        ("A b c d e y f", Taken(1, 1, 3, 2, 1), "2 of 3 hunks, edited by you"),
        ("mine b c d e f", Taken(0, 1, 3, 1, 1), "1 of 3 hunks, edited by you"),
        ("mine b mine d e f", Taken(0, 2, 3, 2, 2), "2 of 3 hunks, edited by you"),
        ("A b C d e x y f mine", Taken(3, 0, 3, 5, 2), "edited by you"),
        ("a b c d e f mine", Taken(0, 0, 3, 1, 0), "no hunk, edited by you"),
    ],
)
def test_what_was_taken(decided: str, count: Taken, words: str) -> None:
    found = taken(lines(LEFT), lines(RIGHT), lines(decided))
    assert (found, taken_in_words(found)) == (count, words)


def test_a_single_hunk_and_several_files() -> None:
    assert taken_in_words(taken("a\nb\n", "x\ny\n", "x\nb\n")) == "1 of 1 hunk, edited by you"
    assert taken_in_words(total([Taken(1, 0, 1), Taken(0, 1, 2)])) == "2 of 3 hunks, edited by you"
    assert total([Taken(1, 0, 1, 2, 3), Taken(0, 1, 2, 4, 5)]) == Taken(1, 1, 3, 6, 8)


TEXTS = st.lists(st.sampled_from("abxy"), max_size=8).map(
    lambda found: "".join(f"{line}\n" for line in found)
)


@given(TEXTS, TEXTS, TEXTS)
@example("a\na\nb\na\nx\n", "b\na\na\nx\na\n", "")  # compared the other way round the hunks stand elsewhere
def test_no_hunk_counts_twice(left: str, right: str, decided: str) -> None:
    found = taken(left, right, decided)
    assert 0 <= found.whole + found.edited <= found.proposed
    assert taken(left, right, right)[:3] == (found.proposed, 0, found.proposed)
    assert taken(left, right, left) == (0, 0, found.proposed, 0, 0)
    assert found.added - found.removed == decided.count("\n") - left.count("\n")
