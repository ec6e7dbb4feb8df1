"""Output of programs: what a terminal would obey goes, everything else is made visible."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.ansi import plain, shown


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[2K\x1b[1Gline\x1b[?25l", "line"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"),
        ("\x1bPq#0\x1b\\a\x1b(Bb\x1b7c", "abc"),
        ("a\r\nb\rc", "a\nb\rc"),
        ("\x1b]0;no end", "\x1b]0;no end"),
        ("\x1b[12", "\x1b[12"),
    ],
)
def test_sequences_go(text: str, left: str):
    assert plain(text) == left


@pytest.mark.parametrize(
    ("line", "expected"), [("\ta\x1b\x08", "\ta^[^H"), ("\u202e\x00", "<202E>^@"), ("é漢", "é漢")]
)
def test_the_rest_is_visible(line: str, expected: str):
    assert shown(line) == expected


@given(st.text("\x1b[];0m\x07\\PB\r\na", max_size=200))
def test_what_is_left_has_no_sequence_that_began_whole(text: str):
    assert "\x1b[0m" not in shown(plain(text))
    assert "\x1b" not in shown(plain(text))


@pytest.mark.alone
@pytest.mark.parametrize("piece", ["\x1b[", "\x1b]", "\x1bP", "\x1b[1;", "\x1b(", "\x1b]x\x1b"])
def test_the_time_is_linear(piece: str):
    start = time.process_time()
    plain(piece * 100_000)
    plain("\x1b[" + "1;" * 100_000)
    assert time.process_time() - start < 1
