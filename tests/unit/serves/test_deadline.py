"""An end to matching: at its time, within its block alone, and not for whoever had a timer before."""

import re
import signal
import time

import pytest

from acp_nvim.serves.deadline import deadline


def work(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def match_without_end() -> None:
    with deadline():
        re.compile("(a|a)*b").search("a" * 4000)


def test_an_expression_without_an_end_is_given_up() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        match_without_end()
    assert time.monotonic() - began < 2


def test_who_is_done_in_time_is_not_disturbed_later() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with deadline(0.01):
        work(0)
    work(0.02)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_fault_of_its_own_goes_through() -> None:
    with pytest.raises(ValueError, match="invalid literal"), deadline():
        int("x")
