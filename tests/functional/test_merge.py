"""The three-way merge in Neovim: which lines must be there, and when somebody must be asked."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functional.editor import Editor

MERGE = "return { require('acp_nvim.documents.merge').lines(...) }"
BASE = [f"line {n}" for n in range(8)]
LINES = st.sampled_from(["a", "b", "c\nd"])  # with a NUL byte, as Neovim holds it


many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Merge:
    def __init__(self, editor: Editor) -> None:
        self.editor = editor

    def __call__(
        self, base: list[str], mine: list[str], theirs: list[str]
    ) -> tuple[list[str], list[str] | None]:
        """The merge with my lines where both overlap, and with theirs; None: nothing overlaps."""
        merged, *others = self.editor.lua(MERGE, base, mine, theirs)
        return list(merged), list(others[0]) if others else None


@pytest.fixture(scope="module")
def merge(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Merge]:
    """One Neovim for all of them."""
    with closing(Editor(program, tmp_path_factory.mktemp("merge"))) as editor:
        yield Merge(editor)


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
def test_disjoint_edits_merge(merge: Merge, base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge([*base], [*ours], [*theirs]) == ([*merged], None)


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
    merge: Merge, base: str, ours: str, theirs: str, preferred: tuple[str, str]
) -> None:
    assert merge([*base], [*ours], [*theirs]) == ([*preferred[0]], [*preferred[1]])


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


@many
@given(ours=_sides("ours"), theirs=_sides("theirs"))
def test_no_line_is_lost_doubled_or_moved(merge: Merge, ours: list[str], theirs: list[str]) -> None:
    merged, others = merge(BASE, ours, theirs)
    if others is not None:
        return
    kept = {line for line in BASE if line in ours and line in theirs}
    assert sorted(merged) == sorted(kept | ({*ours, *theirs} - {*BASE}))
    for side in (ours, theirs):
        assert [line for line in merged if line in side] == [line for line in side if line in merged]


@many
@given(ours=_sides("ours"), theirs=_sides("theirs"))
def test_only_overlap_asks(merge: Merge, ours: list[str], theirs: list[str]) -> None:
    asks = merge(BASE, ours, theirs)[1] is not None
    same_line = {f"ours for {n}" for n in range(8) if f"theirs for {n}" in theirs} & {*ours}
    beside = [n for n in range(8) if n == 0 or (BASE[n - 1] in ours and BASE[n - 1] in theirs)]
    same_gap = {f"ours before {n}" for n in beside if f"theirs before {n}" in theirs} & {*ours}
    near = any(len(one & other) > 1 for one in _gaps(ours) for other in _gaps(theirs))
    if same_line or same_gap:
        assert asks
    if not near:
        assert not asks


@many
@given(ours=_sides("ours"), theirs=_sides("theirs"))
def test_a_preferred_side_keeps_all_of_its_lines(merge: Merge, ours: list[str], theirs: list[str]) -> None:
    mine, others = merge(BASE, ours, theirs)
    assert {*ours} - {*BASE} <= {*mine}
    assert {*theirs} - {*BASE} <= {*(mine if others is None else others)}


def test_lines_that_hold_nul_bytes_merge(merge: Merge) -> None:
    """Neovim holds a NUL byte as a line break within its line."""
    base = ["x", "a\nb", "c", "\n", "q", "e"]
    ours, theirs = ["y", *base[1:]], [*base[:2], "d", "\n", "q", "f"]
    assert merge(base, ours, theirs) == (["y", "a\nb", "d", "\n", "q", "f"], None)


@many
@given(base=st.lists(LINES, max_size=6), side=st.lists(LINES, max_size=6))
def test_one_side_alone_is_taken_as_it_is(merge: Merge, base: list[str], side: list[str]) -> None:
    for sides in ((side, base), (base, side), (side, side)):
        assert merge(base, *sides) == (side, None)


EDITS = """local diff, limits = require("acp_nvim.documents.diff"), require("acp_nvim.limits")
local before = limits.DIFF_LINES
local old, new, lines = ...
limits.DIFF_LINES = lines
local edits = diff.edits(old, new)
limits.DIFF_LINES = before
local last = -1
for _, edit in ipairs(edits) do
  assert(last < edit[1] and edit[1] <= edit[2] and (edit[1] < edit[2] or #edit[3] > 0), "they touch, or do nothing")
  last = edit[2]
end
return diff.apply(old, edits)"""


@many
@given(
    old=st.lists(st.integers(0, 9).map(str), max_size=80),
    cuts=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 9), st.lists(LINES, max_size=9)), max_size=5),
    lines=st.sampled_from([4, 10, 40]),
)
def test_edits_of_texts_that_are_compared_in_windows(
    merge: Merge, old: list[str], cuts: list[tuple[int, int, list[str]]], lines: int
) -> None:
    """`lines` are few here, so that small texts go the way of large ones."""
    new = list(old)
    for first, count, come in cuts:
        new[first : first + count] = come
    assert merge.editor.lua(EDITS, old, new, lines) == new


BOUNDED = """local diff = require("acp_nvim.documents.diff")
local function lines(make)
  local made = {}
  for i = 1, 80000 do made[i] = make(i) end
  return made
end
local function letter() return math.random(2) == 1 and "a" or "b" end
local kinds = {
  { lines(letter), lines(letter) },
  { lines(function(i) return "line " .. i end), lines(function(i) return (i % 2 == 0 and "new " or "line ") .. i end) },
}
local worst = 0
for _, kind in ipairs(kinds) do
  local began = os.clock() -- CPU time: a busy machine must not count
  local edits = diff.edits(kind[1], kind[2])
  worst = math.max(worst, (os.clock() - began) * 1000)
  assert(vim.deep_equal(diff.apply(kind[1], edits), kind[2]))
end
return worst"""


def test_large_texts_are_compared_in_bounded_time(merge: Merge) -> None:
    assert min(merge.editor.lua(BOUNDED) for _ in range(3)) < 200
