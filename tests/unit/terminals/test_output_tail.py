"""The end of an output, by bytes, on the borders of characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.terminals.output_tail import Tail

WHOLE = "é漢😀"
ENDS = ["", "", "", "😀", "😀", "😀", "漢😀", "漢😀", WHOLE, WHOLE, WHOLE, WHOLE]


def tail(limit: int, *pieces: bytes) -> Tail:
    kept = Tail(limit)
    for piece in pieces:
        kept.feed(piece)
    return kept


@pytest.mark.statement(110)
@pytest.mark.parametrize(("limit", "text"), list(enumerate(ENDS, start=1)))
def test_a_limit_keeps_whole_characters_of_the_end(limit: int, text: str):
    data = WHOLE.encode()
    assert tail(limit, data).text(ended=True) == (text, text != WHOLE)
    assert tail(limit, *(bytes([byte]) for byte in data)).text(ended=True) == (text, text != WHOLE)


@pytest.mark.statement(110)
def test_a_limit_of_nothing_keeps_nothing():
    assert tail(0).text(ended=True) == ("", False)
    assert tail(0, b"a", b"b").text(ended=True) == ("", True)


@pytest.mark.statement(110)
def test_as_many_bytes_as_the_limit_are_not_cut():
    assert tail(3, b"ab", b"c").text(ended=True) == ("abc", False)
    assert tail(3, b"ab", b"cd").text(ended=True) == ("bcd", True)


def test_half_a_character_waits_for_its_other_half():
    kept = tail(9, "a漢".encode()[:-1])
    assert kept.text(ended=False) == ("a", False)
    assert kept.text(ended=True) == ("a�", False)
    kept.feed("漢".encode()[-1:])
    assert kept.text(ended=False) == ("a漢", False)


def test_what_is_no_text_takes_no_more_room_than_the_limit():
    assert tail(7, b"\xff" * 7).text(ended=True) == ("��", True)


@given(st.lists(st.binary(max_size=9000)), st.integers(0, 20000))
def test_any_bytes_leave_their_end(pieces: list[bytes], limit: int):
    whole = b"".join(pieces)
    text, truncated = tail(limit, *pieces).text(ended=True)
    assert len(text.encode()) <= limit
    assert whole.decode(errors="replace").endswith(text.lstrip("�"))
    assert truncated == (text != whole.decode(errors="replace"))


@given(st.lists(st.text(max_size=3000)), st.integers(0, 5000))
def test_any_text_leaves_as_much_as_fits(pieces: list[str], limit: int):
    whole = "".join(pieces)
    text, truncated = tail(limit, *(piece.encode() for piece in pieces)).text(ended=True)
    assert whole.endswith(text)
    assert truncated == (text != whole)
    assert len(whole[: -len(text) or None][-1:].encode()) + len(text.encode()) > limit or not truncated


def test_it_is_read_on_from_where_one_was():
    kept = tail(4, b"ab", b"cd")
    assert kept.since(0, 3) == (0, b"abc")
    assert kept.since(3, 3) == (3, b"d")
    assert kept.since(4, 3) == (4, b"")
    kept.feed(b"efg")
    assert kept.since(2, 9) == (3, b"defg")
