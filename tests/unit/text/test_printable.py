"""Nothing an agent writes on a line of ours can hide or act."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.printable import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "^[[31mred"),
        ("a\u202eb", "a<202E>b"),
        ("\x7f\x9b\x00", "^?<9b>^@"),
        ("zero\u200bwidth\ufeff", "zero<200B>width<FEFF>"),
        ("grün 漢字 😀", "grün 漢字 😀"),
    ],
)
def test_controls_are_shown_as_vim_shows_them(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_of_ours_is_one_line() -> None:
    assert one_line("  a\n\tb\r\n c ") == "a  b  c"


@given(st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    shown = one_line(text)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029"
    )
