"""Hunks go out of a disk that has them or lacks them, whatever unsaved lines are beside them."""

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.edits import Edit
from acp_nvim.review.without import without

BASE = [f"line {n}" for n in range(1, 7)]
TWO = Edit(1, 2, ["line 2"])


def test_a_line_beside_a_hunk_hides_nothing() -> None:
    rows = ["line 1", "TWO", "mine", *BASE[2:]]
    for disk in (["line 1", "TWO", *BASE[2:]], BASE):
        assert without(rows, [TWO], disk) == BASE
    assert without(["line 1", "TWO", "mine", *BASE[3:]], [TWO], BASE) == BASE


def test_a_hunk_that_is_another_on_the_disk_is_left() -> None:
    assert without(["line 1", "TWO", *BASE[2:]], [TWO], ["line 1", "zwei", *BASE[2:]]) is None


def test_where_lines_were_taken_away_and_more_are_gone_nobody_can_tell() -> None:
    rows = [BASE[0], *BASE[4:]]  # the agent has taken away line 3, and the user those beside it
    taken = Edit(1, 1, ["line 3"])
    assert without(rows, [taken], BASE) == BASE
    assert without(rows, [taken], [*BASE[:2], *BASE[3:]]) is None


_kinds = st.sampled_from(["hunk", "same", "mine", "changed"])


@given(st.lists(st.tuples(_kinds, st.integers(0, 2), st.integers(0, 2), st.booleans()), max_size=12))
def test_whatever_is_beside_them(steps: list[tuple[str, int, int, bool]]) -> None:
    """Between two hunks there is a line that nobody has changed."""
    rows: list[str] = []
    disk: list[str] = []
    wanted: list[str] = []
    undoing = []
    for number, (kind, olds, news, is_there) in enumerate(steps):
        if kind == "hunk":
            old, new = [f"old {number} {n}" for n in range(olds)], [f"new {number} {n}" for n in range(news)]
            if old or new:
                undoing.append(Edit(len(rows), len(rows) + len(new), old))
            rows += new
            disk += new if is_there else old
            wanted += old
        else:
            rows += [f"{kind} {number}"]
            if kind != "mine":
                was = f"same {number}" if kind == "changed" else rows[-1]
                disk, wanted = [*disk, was], [*wanted, was]
        if kind != "mine":
            same = f"between {number}"
            rows, disk, wanted = [*rows, same], [*disk, same], [*wanted, same]
    assert without(rows, undoing, disk) == wanted
