"""Who owns a line once a user has edited beside an agent, and how hunks go out of another text: by examples."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functional.editor import Editor
from tests.functional.review_driver import DRIVER, Edit, Lua, author

_one = st.integers(0, 2)
TURN, NEXT = (1, 1), (1, 2)
many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def neovim(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One for all examples."""
    with closing(Editor(program, tmp_path_factory.mktemp("model"))) as editor:
        editor.lua(DRIVER)
        yield editor


# Who owns a line, as the user would put it ----------------------------------------------------------------------------


class Patched(Lua):
    """An agent has made the second text of the first one."""

    def __init__(self, neovim: Editor, base: str, new: str) -> None:
        super().__init__(neovim, base.split())
        self.drive("agent", new.split(), author(*TURN))

    def hunks(self) -> list[tuple[int, str, str]]:
        return [(row, " ".join(old), " ".join(new)) for _, _, row, old, new in self.pending]

    def undone(self) -> str:
        base = " ".join(self.reviewed)
        self.drive("undo", [each.id for each in self.pending])
        assert " ".join(self.lines) == base
        return base


@pytest.mark.statement(123)
def test_a_line_that_the_user_changes_takes_its_partner_out_and_splits_the_hunk(neovim: Editor) -> None:
    text = Patched(neovim, "1 a b c 2", "1 x y z 2")
    whole = text.pending[0].id
    text.drive("user", [Edit(2, 3, ["U"])])
    assert text.hunks() == [(1, "a", "x"), (3, "c", "z")]
    assert text.pending[0].id == whole != text.pending[1].id
    assert text.undone() == "1 a U c 2"


@pytest.mark.parametrize(
    ("base", "new", "row", "left"),
    [
        ("a b", "x y z", 2, "a b U"),  # a line that was added has no partner
        ("a b", "x y z", 1, "a U"),
        ("a b", "x y z", 0, "U b"),
        ("a b c", "x y", 1, "a U"),
        ("a b c", "x y", 0, "U b c"),
        ("a", "x y z", 1, "a U"),
        ("", "x y z", 1, "U"),
    ],
)
def test_lines_pair_by_position(neovim: Editor, base: str, new: str, row: int, left: str) -> None:
    text = Patched(neovim, f"1 {base} 2", f"1 {new} 2")
    text.drive("user", [Edit(1 + row, 2 + row, ["U"])])
    assert text.undone() == f"1 {left} 2"


def test_a_line_of_the_agent_that_the_user_deletes_is_not_brought_back(neovim: Editor) -> None:
    text = Patched(neovim, "1 a b c 2", "1 x y z 2")
    text.drive("user", [Edit(2, 3, [])])
    assert text.hunks() == [(1, "a c", "x z")]
    assert text.undone() == "1 a c 2"


@pytest.mark.statement(123)
def test_lines_that_the_user_writes_into_a_hunk_stay(neovim: Editor) -> None:
    text = Patched(neovim, "1 a b 2", "1 x y 2")
    text.drive("user", [Edit(2, 2, ["U", "V"])])
    assert text.hunks() == [(1, "a", "x"), (4, "b", "y")]
    assert text.undone() == "1 a U V b 2"


@pytest.mark.statement(123)
@pytest.mark.parametrize("row", [1, 3])
def test_lines_beside_a_hunk_leave_it_whole(neovim: Editor, row: int) -> None:
    text = Patched(neovim, "1 a b 2", "1 x y 2")
    text.drive("user", [Edit(row, row, ["U"])])
    assert text.hunks() == [(1 + (row == 1), "a b", "x y")]


def test_deleted_lines_stay_hidden_between_lines_that_the_user_changes(neovim: Editor) -> None:
    text = Patched(neovim, "1 2 a b 3 4", "1 2 3 4")
    text.drive("user", [Edit(1, 3, ["U", "V"])])
    assert text.hunks() == [(2, "a b", "")]
    assert text.undone() == "1 U a b V 4"


def test_a_further_edit_melts_into_the_hunk_and_the_newest_author_has_it(neovim: Editor) -> None:
    text = Patched(neovim, "1 a b c 2", "1 x y z 2")
    whole = text.pending[0].id
    text.drive("agent", ["1", "x", "b", "Z", "2"], author(*NEXT))
    assert text.hunks() == [(1, "a", "x"), (3, "c", "Z")]
    assert [each.authors[0] for each in text.pending] == [(*NEXT, "agent")] * 2
    assert text.pending[0].id == whole
    text.drive("agent", ["1", "a", "b", "c", "2"], author(*NEXT))
    assert (text.pending, text.decided) == ([], [])


@pytest.mark.parametrize("who", [TURN, NEXT])
def test_neighbours_are_one_hunk_and_turns_are_told_apart(neovim: Editor, who: tuple[int, int]) -> None:
    text = Patched(neovim, "1 a b 2", "1 x b 2")
    text.drive("write", [Edit(2, 3, ["y"])], author(*who))
    assert text.hunks() == [(1, "a b", "x y")]
    text.drive("undo_turn", *NEXT)
    assert text.hunks() == ([(1, "a b", "x y")] if who == TURN else [(1, "a", "x")])


@pytest.mark.statement(123)
def test_lines_of_the_user_under_the_agents_are_what_undo_restores(neovim: Editor) -> None:
    text = Patched(neovim, "1 a 2", "1 x 2")
    text.drive("user", [Edit(1, 2, ["U"])])
    text.drive("agent", ["1", "y", "2"], author(*NEXT))
    assert text.hunks() == [(1, "U", "y")]
    assert text.undone() == "1 U 2"


@pytest.mark.statement(125)
def test_kept_stays_kept_through_u(neovim: Editor) -> None:
    text = Patched(neovim, "1 a b c 2", "1 x y z 2")
    text.drive("user", [Edit(2, 3, ["U"])])
    first, second = (each.id for each in text.pending)
    text.drive("keep", [second], at=text.at)
    text.go(1)
    assert text.hunks() == [(1, "a b", "x y")]
    assert [each.id for each in text.pending] == [first]
    assert [each[:2] for each in text.decided] == [(second, True)]


def test_only_u_brings_a_hunk_back(neovim: Editor) -> None:
    text = Patched(neovim, "1 a 2", "1 x 2")
    text.drive("undo", [text.pending[0].id])
    text.drive("user", [Edit(1, 2, ["x"])])
    assert text.pending == []
    text.go(1)
    assert text.hunks() == [(1, "a", "x")]


# Hunks taken out of a disk that has them or lacks them ----------------------------------------------------------------

_kinds = st.sampled_from(["hunk", "same", "mine", "changed"])
SIX = [f"line {n}" for n in range(1, 7)]


def without(neovim: Editor, rows: list[str], undoing: list[Edit], lines: list[str]) -> list[str] | None:
    found = neovim.lua("return without(...)", rows, undoing, lines)
    return None if found is None else list(found)


def test_a_hunk_goes_out_of_a_text_that_has_it_and_nothing_is_guessed(neovim: Editor) -> None:
    two, taken = Edit(1, 2, ["line 2"]), Edit(1, 1, ["line 3"])
    beside = [SIX[0], "TWO", "mine", *SIX[2:]]
    assert without(neovim, beside, [two], [SIX[0], "TWO", *SIX[2:]]) == SIX
    assert without(neovim, beside, [two], SIX) == SIX
    assert without(neovim, [SIX[0], "TWO", *SIX[2:]], [two], [SIX[0], "zwei", *SIX[2:]]) is None
    # the agent has taken away line 3, and the user those beside it
    assert without(neovim, [SIX[0], *SIX[4:]], [taken], SIX) == SIX
    assert without(neovim, [SIX[0], *SIX[4:]], [taken], [*SIX[:2], *SIX[3:]]) is None


@many
@given(st.lists(st.tuples(_kinds, _one, _one, st.booleans()), max_size=12))
def test_hunks_go_out_whatever_is_beside_them(
    neovim: Editor, steps: list[tuple[str, int, int, bool]]
) -> None:
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
            rows, disk, wanted = [*rows, *new], [*disk, *(new if is_there else old)], [*wanted, *old]
        else:
            rows = [*rows, f"{kind} {number}"]
            if kind != "mine":
                was = f"same {number}" if kind == "changed" else rows[-1]
                disk, wanted = [*disk, was], [*wanted, was]
        if kind != "mine":
            same = f"between {number}"
            rows, disk, wanted = [*rows, same], [*disk, same], [*wanted, same]
    assert without(neovim, rows, undoing, disk) == wanted
