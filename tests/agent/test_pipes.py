"""Our ends of the pipes, with the other end in the test's own hand."""

import os
from collections.abc import Iterator
from io import FileIO

import pytest

from acp_nvim.agent.pipes import Inlet, Outlet
from acp_nvim.limits import PIPE_BYTES
from tests.fakes.script import eventually


@pytest.fixture
def ends() -> Iterator[tuple[FileIO, FileIO]]:
    reading, writing = (FileIO(end, mode) for end, mode in zip(os.pipe(), "rw", strict=True))
    with reading, writing:
        yield reading, writing


async def test_what_is_left_is_taken_though_the_pipe_stays_open(ends: tuple[FileIO, FileIO]) -> None:
    reading, writing = ends
    taken: list[bytes] = []
    outlet = Outlet(reading, taken.append)
    writing.write(b"last words")
    outlet.finish()
    outlet.finish()
    assert taken == [b"last words"]
    assert outlet.ended.is_set()


async def test_an_end_that_is_silent_is_let_go(ends: tuple[FileIO, FileIO]) -> None:
    taken: list[bytes] = []
    outlet = Outlet(ends[0], taken.append)
    outlet.finish()
    assert (taken, outlet.ended.is_set()) == ([], True)


async def test_nothing_overtakes_what_waits(ends: tuple[FileIO, FileIO]) -> None:
    reading, writing = ends
    inlet = Inlet(writing)
    inlet.write(b"a" * (2 * PIPE_BYTES))
    waiting = inlet.outstanding
    received = reading.read(PIPE_BYTES)  # there is room now, but the loop has not seen it yet
    inlet.write(b"b")
    assert inlet.outstanding == waiting + 1
    os.set_blocking(reading.fileno(), False)
    while not received.endswith(b"b"):
        received += await eventually(lambda: reading.read(PIPE_BYTES))
    assert received == b"a" * (2 * PIPE_BYTES) + b"b"
    assert inlet.outstanding == 0


async def test_a_reader_that_has_gone_ends_the_writing(ends: tuple[FileIO, FileIO]) -> None:
    reading, writing = ends
    inlet = Inlet(writing)
    inlet.write(b"a" * (2 * PIPE_BYTES))
    reading.close()
    await eventually(lambda: writing.closed)
    inlet.write(b"more")
    assert inlet.outstanding == 0
