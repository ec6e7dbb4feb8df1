"""The three-way merge against a reference: which lines must be there, and when somebody must be asked."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.merge import merge3
from acp_nvim.review.texts import first_change

BASE = [f"line {n}" for n in range(8)]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("abc", "abc", "abX", "abX"),
        ("abc", "Xbc", "abc", "Xbc"),
        ("abc", "Xbc", "abY", "XbY"),
        ("abc", "XYc", "abZ", "XYZ"),  # neighbours are not the same line
        ("abc", "abXc", "Yabc", "YabXc"),
        ("abc", "aXc", "aXc", "aXc"),  # both did the same: once
        ("abc", "aXYc", "aXYc", "aXYc"),
        ("abc", "aXc", "aXY", "aXY"),  # the same on one line, more on another
        ("abc", "ac", "abcX", "acX"),
        ("abc", "aXbc", "aBc", "aXBc"),  # a new line before one that the other changed
        ("", "ab", "", "ab"),
    ],
)
def test_disjoint_edits_merge(base: str, ours: str, theirs: str, merged: str) -> None:
    merge = merge3([*base], [*ours], [*theirs])
    assert merge.overlaps == ()
    assert merge.lines("ours") == merge.lines("theirs") == [*merged]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "preferred"),
    [
        ("abc", "aXc", "aYc", ("aXc", "aYc")),
        ("abc", "ac", "aYc", ("ac", "aYc")),
        ("abc", "abXc", "abYc", ("abXc", "abYc")),  # nobody knows which of the two comes first
        ("abc", "aXYc", "abZc", ("aXYc", "abZc")),
        ("abcde", "aXcdE", "aYcDe", ("aXcDE", "aYcDE")),  # what is disjoint beside it merges
        ("", "a", "b", ("a", "b")),
    ],
)
def test_overlaps_are_known_and_can_be_had_either_way(
    base: str, ours: str, theirs: str, preferred: tuple[str, str]
) -> None:
    merge = merge3([*base], [*ours], [*theirs])
    assert len(merge.overlaps) == 1
    assert ("".join(merge.lines("ours")), "".join(merge.lines("theirs"))) == preferred


@st.composite
def _sides(draw: st.DrawFn, name: str) -> list[str]:
    """BASE, edited: every new line is one of a kind."""
    lines: list[str] = []
    for number, line in enumerate(BASE):
        what = draw(st.sampled_from(["keep"] * 6 + ["change", "delete", "insert"]))
        if what == "insert":
            lines += [f"{name} before {number}", line]
        elif what != "delete":
            lines.append(line if what == "keep" else f"{name} for {number}")
    return lines


def _gaps(side: list[str]) -> Iterator[set[int]]:
    """For each stretch that the side changed, the base lines it touches with a margin of one."""
    kept = [BASE.index(line) for line in side if line in BASE]
    at = 0
    for one, other in zip([-1, *kept], [*kept, len(BASE)], strict=True):
        new = side.index(BASE[other]) - at if other < len(BASE) else len(side) - at
        if other - one > 1 or new:
            yield set(range(one, other + 1))
        at += new + 1


@given(_sides("ours"), _sides("theirs"))
def test_no_line_is_lost_doubled_or_moved(ours: list[str], theirs: list[str]) -> None:
    merge = merge3(BASE, ours, theirs)
    if merge.overlaps:
        return
    merged = merge.lines("ours")
    kept = {line for line in BASE if line in ours and line in theirs}
    assert sorted(merged) == sorted(kept | ({*ours, *theirs} - {*BASE}))
    for side in (ours, theirs):
        assert [line for line in merged if line in side] == [line for line in side if line in merged]


@given(_sides("ours"), _sides("theirs"))
def test_only_overlap_asks(ours: list[str], theirs: list[str]) -> None:
    merge = merge3(BASE, ours, theirs)
    same_line = {f"ours for {n}" for n in range(8) if f"theirs for {n}" in theirs} & {*ours}
    beside = [n for n in range(8) if n == 0 or (BASE[n - 1] in ours and BASE[n - 1] in theirs)]
    same_gap = {f"ours before {n}" for n in beside if f"theirs before {n}" in theirs} & {*ours}
    near = any(len(one & other) > 1 for one in _gaps(ours) for other in _gaps(theirs))
    if same_line or same_gap:
        assert merge.overlaps
    if not near:
        assert not merge.overlaps


@given(_sides("ours"), _sides("theirs"))
def test_a_preferred_side_keeps_all_of_its_lines(ours: list[str], theirs: list[str]) -> None:
    merge = merge3(BASE, ours, theirs)
    assert {*ours} - {*BASE} <= {*merge.lines("ours")}
    assert {*theirs} - {*BASE} <= {*merge.lines("theirs")}


@given(*[st.lists(st.sampled_from("ab\n"), max_size=6)] * 2)
def test_one_side_alone_is_taken_as_it_is(base: list[str], side: list[str]) -> None:
    assert merge3(base, side, base).lines("theirs") == side
    assert merge3(base, base, side).lines("ours") == side
    assert merge3(base, side, side).lines("ours") == side


def test_the_first_changed_line_is_named():
    assert first_change("a\nb\nc\n", "a\nB\nc\n") == 2
    assert first_change("a\n", "a\nb\n") == 2
    assert first_change("", "x") == 1
    assert first_change("ab\n", "a\n") == 1
