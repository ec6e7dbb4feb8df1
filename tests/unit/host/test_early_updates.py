"""What comes before its session is kept for it, as far as it is no burden."""

from typing import Any

import pytest

from acp_nvim.host.early_updates import EarlyUpdates

MEGABYTE = 1024 * 1024


def said(text: str) -> dict[str, Any]:
    return {"sessionId": "s", "update": {"content": {"text": text}}}


def waiting() -> EarlyUpdates:
    orphans = EarlyUpdates()
    orphans.expect()
    return orphans


def test_each_session_gets_its_own_once():
    orphans = waiting()
    for session, text in (("a", "one"), ("b", "two"), ("a", "three")):
        assert orphans.keep(session, said(text))
    assert orphans.take("a") == [said("one"), said("three")]
    assert orphans.take("a") == []
    assert orphans.take("b") == [said("two")]


def test_where_none_is_due_nothing_is_kept():
    orphans = EarlyUpdates()
    assert not orphans.keep("a", said("x"))
    orphans.expect()
    assert not orphans.keep(None, said("x"))
    assert orphans.keep("a", said("x"))
    orphans.count_answer()
    orphans.take("b")
    assert orphans.take("a") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("params", "fitting"),
    [
        (said("x" * MEGABYTE), range(10, 17)),
        ({"update": {"x" * MEGABYTE: None}}, range(10, 17)),
        ({"update": [0] * 100_000}, range(1, 17)),
        (said("x" * 20 * MEGABYTE), range(1)),
    ],
)
def test_however_they_are_made_they_are_kept_up_to_some_megabytes(params: Any, fitting: range):
    orphans = waiting()
    kept = sum(orphans.keep(f"s{number}", params) for number in range(40))
    assert kept in fitting
    assert orphans.keep("small", said("x"))


def test_what_was_taken_or_forgotten_leaves_room():
    orphans = waiting()
    large = said("x" * 9 * MEGABYTE)
    for _ in range(3):
        assert orphans.keep("a", large)
        assert not orphans.keep("a", large)
        assert orphans.take("a") == [large]
    assert orphans.keep("never", large)
    orphans.count_answer()
    orphans.expect()
    assert orphans.keep("a", large)
