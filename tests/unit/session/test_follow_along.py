"""Which place is the newest, and how often it may change."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol.schema import Diff, Location, ToolCallUpdate
from acp_nvim.session.follow_along import LocationFollower, Place


def everywhere(_path: str) -> bool:
    return True


def update(call: str = "1", **fields: Any) -> ToolCallUpdate:
    return ToolCallUpdate(id=call, **fields)


def at(*places: tuple[str, int | None]) -> tuple[Location, ...]:
    return tuple(Location(path=path, line=line) for path, line in places)


@pytest.fixture
def follow() -> LocationFollower:
    return LocationFollower("/w")


@pytest.mark.statement(118)
def test_the_last_location_counts(follow: LocationFollower) -> None:
    follow.tool(update(locations=at(("/w/a.py", 3), ("b.py", 7))))
    assert follow.take(0, everywhere) == Place("/w/b.py", 7)
    assert follow.take(9, everywhere) is None


@pytest.mark.statement(118)
@pytest.mark.parametrize(("line", "shown"), [(None, None), (0, 1), (1, 1), (7, 7)])
def test_lines_begin_at_one_and_may_be_missing(
    follow: LocationFollower, line: int | None, shown: int | None
) -> None:
    follow.tool(update(locations=at(("a.py", line))))
    assert follow.take(0, everywhere) == Place("/w/a.py", shown)
    follow.touch("/w/b.py", line)
    assert follow.take(1, everywhere) == Place("/w/b.py", shown)


def test_agents_without_locations_are_followed_by_their_input(follow: LocationFollower) -> None:
    follow.tool(update(raw_input={"file_path": "a.py", "offset": 40, "limit": 9}))
    assert follow.take(0, everywhere) == Place("/w/a.py", 40)
    follow.tool(update("2", content=(Diff(path="/w/b.py", new_text="x"),)))
    assert follow.take(1, everywhere) == Place("/w/b.py")


def test_locations_are_better_than_input(follow: LocationFollower) -> None:
    follow.tool(update(locations=at(("a.py", 5)), raw_input={"path": "b.py"}))
    assert follow.take(0, everywhere) == Place("/w/a.py", 5)
    follow.tool(update(raw_input={"path": "b.py"}))
    assert follow.ready_at() is None


def test_what_is_only_repeated_is_nothing_new(follow: LocationFollower) -> None:
    follow.tool(update(locations=at(("a.py", 5))))
    follow.tool(update("2", locations=at(("b.py", 1))))
    follow.take(0, everywhere)
    follow.tool(update(locations=at(("a.py", 5)), status="completed"))
    assert follow.ready_at() is None
    follow.tool(update(locations=at(("a.py", 6))))
    assert follow.take(1, everywhere) == Place("/w/a.py", 6)


def test_five_a_second_and_the_last_one_wins(follow: LocationFollower) -> None:
    jumps = []
    for n in range(128):
        now = n / 128
        follow.touch("/w/a.py", n + 1)
        if place := follow.take(now, everywhere):
            jumps.append(place.line)
    assert jumps == [1, 27, 53, 79, 105]
    assert follow.ready_at() == pytest.approx(104 / 128 + 0.2)
    assert follow.take(1.1, everywhere) == Place("/w/a.py", 128)


@pytest.mark.statement(118)
def test_a_file_that_is_missing_is_passed_over_and_shown_when_its_call_has_made_it(
    follow: LocationFollower,
) -> None:
    exists = {"/w/a.py"}.__contains__
    follow.touch("/w/a.py", 2)
    follow.tool(update(locations=at(("new.py", 1))))
    assert follow.take(0, exists) == Place("/w/a.py", 2)
    follow.tool(update(status="in_progress"))
    assert follow.ready_at() is None
    follow.tool(update(status="completed"))
    assert follow.take(1, everywhere) == Place("/w/new.py", 1)
    follow.tool(update(status="completed"))
    assert follow.ready_at() is None


def test_what_names_no_file_takes_no_time(follow: LocationFollower) -> None:
    follow.touch("/w/missing.py")
    assert follow.take(0, lambda _: False) is None
    follow.touch("/w/a.py")
    assert follow.take(0.01, everywhere) == Place("/w/a.py")


@given(
    st.recursive(
        st.none() | st.text() | st.integers() | st.booleans() | st.floats(),
        lambda inner: st.dictionaries(st.sampled_from(["path", "file", "line", "offset"]), inner),
    )
)
def test_no_input_raises(raw: object) -> None:
    follow = LocationFollower("/w")
    follow.tool(update(raw_input=raw))
    place = follow.take(0, everywhere)
    assert place is None or (place.path.startswith("/") and (place.line is None or place.line >= 1))
