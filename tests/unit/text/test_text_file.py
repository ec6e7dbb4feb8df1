"""The codec between a file's bytes and an editor's lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.text_file import Text, decode, encode, first_change, split

_pieces = st.sampled_from(
    [b"a", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"\xff", "é".encode(), b"\0", "\u2028".encode()]
)


@given(st.one_of(st.binary(max_size=60), st.lists(_pieces, max_size=12).map(b"".join)))
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    assert encode(decode(data)) == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", Text()),
        (b"a", Text(("a",), final=False)),
        (b"\n", Text(("",))),
        (b"a\nb\n", Text(("a", "b"))),
        (b"a\r\nb\r\n", Text(("a", "b"), end="\r\n")),
        (b"a\r\nb", Text(("a", "b"), end="\r\n", final=False)),
        (b"a\r\nb\n", Text(("a\r", "b"))),
        (b"\xef\xbb\xbfa\n", Text(("a",), bom=True)),
        (b"a\rb", Text(("a\rb",), final=False)),
    ],
)
def test_lines_are_what_an_editor_shows(data: bytes, text: Text) -> None:
    assert decode(data) == text


def test_bytes_that_are_no_utf8_are_known() -> None:
    assert not decode(b"caf\xe9\n").is_utf8
    assert decode("café\n".encode()).is_utf8


@given(st.text(alphabet="ab\n\r", max_size=20))
def test_an_agents_text_is_split_without_loss(text: str) -> None:
    assert split(text).whole == text


def test_the_first_changed_line_is_named():
    assert first_change("a\nb\nc\n", "a\nB\nc\n") == 2
    assert first_change("a\n", "a\nb\n") == 2
    assert first_change("", "x") == 1
    assert first_change("ab\n", "a\n") == 1
