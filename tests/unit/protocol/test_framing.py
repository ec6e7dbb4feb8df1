"""Lines out of bytes, however they come."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.limits import BAD_LINE_BYTES
from acp_nvim.protocol.framing import LineSplitter

pieces = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b" ", b"", b"{}", b"\xe2\x80\xa8", b"0123456789", b"\x00\xff"])
    | st.binary(max_size=12)
)


def split_at(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[first:last] for first, last in pairwise(edges)]


def lines_of(reads: list[bytes], limit: int) -> tuple[list[bytes], list[bytes]]:
    splitter = LineSplitter(limit)
    lines = [line for read in reads for line in splitter.feed(read)]
    return lines + splitter.finish(), splitter.dropped


@pytest.mark.statement(3)
@given(pieces, st.lists(st.integers(min_value=0)), st.sampled_from([4, 16, 1000]))
def test_any_split_of_any_bytes_gives_the_same_lines(parts: list[bytes], cuts: list[int], limit: int) -> None:
    data = b"".join(parts)
    wanted = [line.rstrip(b"\r") for line in data.split(b"\n") if len(line) <= limit]
    too_long = [line[:BAD_LINE_BYTES] for line in data.split(b"\n") if len(line) > limit]
    lines, dropped = lines_of(split_at(data, cuts), limit)
    assert lines == [line for line in wanted if line.strip()]
    assert len(dropped) == len(too_long)
    assert all(line.startswith(head) for line, head in zip(too_long, dropped, strict=True))


@pytest.mark.statement(3)
def test_bytes_may_come_one_by_one() -> None:
    data = '{"a":"é\u2028"}\n{"b":1}\n'.encode()
    assert lines_of([data[at : at + 1] for at in range(len(data))], 1000)[0] == data.split(b"\n")[:-1]


@pytest.mark.statement(2)
def test_only_a_newline_ends_a_line() -> None:
    line = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\rh".encode()
    assert LineSplitter().feed(line + b"\n") == [line]


@pytest.mark.statement(6)
def test_blank_lines_and_carriage_returns_are_dropped() -> None:
    assert LineSplitter().feed(b"\n\r\n  \t\n{}\r\n\n[]\n") == [b"{}", b"[]"]


def test_the_last_line_may_lack_its_newline() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b'{"a":1}\n{"b"') == [b'{"a":1}']
    assert splitter.finish() == [b'{"b"']
    assert splitter.finish() == []


def test_a_line_that_is_too_long_is_dropped_to_its_end_and_reported() -> None:
    splitter = LineSplitter(limit=8)
    assert splitter.feed(b"12345") == []
    assert splitter.feed(b"6789") == []
    assert splitter.feed(b"more of it\nnext\n") == [b"next"]
    assert splitter.dropped == [b"123456789"]


def test_what_is_kept_of_a_dropped_line_is_short() -> None:
    splitter = LineSplitter(limit=8)
    splitter.feed(b"x" * 100_000)
    splitter.feed(b"y" * 100_000 + b"\n" + b"z" * 100_000 + b"\n")
    assert splitter.dropped == [b"x" * BAD_LINE_BYTES, b"z" * BAD_LINE_BYTES]


@pytest.mark.alone
@pytest.mark.statement(3)
def test_a_line_in_single_bytes_takes_linear_time() -> None:
    few, many = min(spent_on(20_000) for _ in range(3)), min(spent_on(200_000) for _ in range(2))
    assert many < 40 * few  # linear: 10 times; with a copy for each byte: 100 times


def spent_on(count: int) -> float:
    splitter = LineSplitter()
    begin = time.process_time()
    for _ in range(count):
        splitter.feed(b"x")
    assert splitter.feed(b"\n") == [b"x" * count]
    return time.process_time() - begin
