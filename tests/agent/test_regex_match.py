"""Expressions of strangers and of users: matched as Python matches them, or given up in good time."""

import re
import signal
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.processes.regex_match import Trial, match

PARTS = ["a", "a*", "a?", "(", ")", "|", "+", "{2,}", "{3}", "[ab]", "\\w*", ".*", "$"]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abC", False),
        ("b", "abc", True),
        ("(?i)B", "abc", True),
        ("^(?!rm).*$", "rm -rf", False),
        ("(a)\\1", "aa", True),
        ("^(foo|bar)?-\\d{3}$", "foo-123", True),
        ("^[^@]+@[^@]+\\.[^@]+$", "a@b.c", True),
        ("^.+$", "a" * 5000, True),
        ("é+\ud800", "éé\ud800", True),
        ("(a|a)*b", "a" * 60, None),
        ("(a+)+$", "a" * 60 + "!", None),
        (".*" * 30 + "b", "a" * 4000, None),
        ("(?:(?:.{25}){25}){25}\n", "a" * 65_536, None),
        ("[", "a", None),
        ("(" * 5000, "a", None),
        ("x{99999999999}", "x", None),
    ],
)
def test_what_ends_soon_is_matched_and_all_else_is_given_up(
    pattern: str, text: str, found: bool | None
) -> None:
    began = time.monotonic()
    assert match([(pattern, (text,), False)]) == [found]
    assert time.monotonic() - began < 5


def test_one_text_is_enough_and_a_whole_one_may_be_wanted() -> None:
    trials: list[Trial] = [
        ("b+", ("a", "abb"), False),
        ("b+", ("a", "abb"), True),
        ("b+", ("a", "bb"), True),
        ("b+", (), False),
        ("git (status|diff)", ("git status; rm",), True),
    ]
    assert match(trials) == [True, False, True, False, False]


def test_what_stands_before_one_without_an_end_is_known() -> None:
    endless: Trial = ("(a|a)*b", ("a" * 60,), False)
    assert match([("a+", ("a",), False), endless, ("a+", ("a",), False)]) == [True, None, None]


@given(st.lists(st.sampled_from(PARTS)))
def test_it_says_what_python_says(parts: list[str]) -> None:
    pattern = "".join(parts)
    [found] = match([(pattern, ("aaa!",), False)])
    try:
        wanted = re.search(pattern, "aaa!") is not None
    except re.error:
        assert found is None
    else:
        assert found in (wanted, None)


def test_the_signals_of_this_process_stay_as_they_are() -> None:
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)
    match([("(a|a)*b", ("a" * 60,), False)])
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_where_no_process_can_be_started_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/python")
    assert match([("a+", ("a",), False), ("a", ("a",), False)]) == [None, None]
