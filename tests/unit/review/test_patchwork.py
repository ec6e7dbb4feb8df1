"""Who owns a line, as the user would put it; and how long it takes."""

import time
from collections.abc import Callable

import pytest

from acp_nvim.review.edits import Edit
from acp_nvim.review.patchwork import Author, Patchwork

TURN = Author(1, 1, "agent")
NEXT = Author(1, 2, "agent")
UNKNOWN = Author(1, 2, "unknown")


def patched(base: str, new: str, author: Author = TURN) -> Patchwork:
    patchwork = Patchwork(base.split())
    patchwork.agent(new.split(), author)
    return patchwork


def hunks(patchwork: Patchwork) -> list[tuple[int, str, str]]:
    return [(hunk.first, " ".join(hunk.old), " ".join(hunk.new)) for hunk in patchwork.pending]


def undone(patchwork: Patchwork) -> str:
    base = " ".join(patchwork.base)
    for hunk in reversed(patchwork.pending):
        patchwork.undo(hunk.id)
    assert " ".join(patchwork.lines) == base
    return base


@pytest.mark.statement(123)
def test_a_line_that_the_user_changes_takes_its_partner_out_and_splits_the_hunk():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    whole = patchwork.pending[0].id
    patchwork.user(Edit(2, 3, ["U"]))
    assert hunks(patchwork) == [(1, "a", "x"), (3, "c", "z")]
    assert patchwork.pending[0].id == whole != patchwork.pending[1].id
    assert undone(patchwork) == "1 a U c 2"


@pytest.mark.parametrize(
    ("base", "new", "row", "left"),
    [
        ("a b", "x y z", 2, "a U"),  # the rest belongs to the last pair
        ("a b", "x y z", 1, "a U"),
        ("a b", "x y z", 0, "U b"),
        ("a b c", "x y", 1, "a U"),
        ("a b c", "x y", 0, "U b c"),
        ("a", "x y z", 1, "U"),
        ("", "x y z", 1, "U"),
    ],
)
def test_lines_pair_by_position(base: str, new: str, row: int, left: str):
    patchwork = patched(f"1 {base} 2", f"1 {new} 2")
    patchwork.user(Edit(1 + row, 2 + row, ["U"]))
    assert undone(patchwork) == f"1 {left} 2"


def test_the_order_in_which_the_user_changes_lines_does_not_matter():
    for rows in ([1, 2], [2, 1]):
        patchwork = patched("a b", "x y z")
        for row in rows:
            patchwork.user(Edit(row, row + 1, [f"U{row}"]))
        assert hunks(patchwork) == [(0, "a", "x")]
        assert undone(patchwork) == "a U1 U2"


def test_a_line_of_the_agent_that_the_user_deletes_is_not_brought_back():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    patchwork.user(Edit(2, 3, []))
    assert hunks(patchwork) == [(1, "a", "x"), (2, "c", "z")]
    assert undone(patchwork) == "1 a c 2"


@pytest.mark.statement(123)
def test_lines_that_the_user_writes_into_a_hunk_stay():
    patchwork = patched("1 a b 2", "1 x y 2")
    patchwork.user(Edit(2, 2, ["U", "V"]))
    assert hunks(patchwork) == [(1, "a", "x"), (4, "b", "y")]
    assert undone(patchwork) == "1 a U V b 2"


@pytest.mark.statement(123)
@pytest.mark.parametrize("row", [1, 3])
def test_lines_beside_a_hunk_leave_it_whole(row: int):
    patchwork = patched("1 a b 2", "1 x y 2")
    patchwork.user(Edit(row, row, ["U"]))
    assert hunks(patchwork) == [(1 + (row == 1), "a b", "x y")]


def test_a_user_who_writes_over_everything_has_it_all():
    patchwork = patched("1 a 2 b 3", "1 x 2 y 3")
    patchwork.became(["U"])
    assert hunks(patchwork) == []
    assert undone(patchwork) == "U"


def test_deleted_lines_stay_hidden_between_lines_that_the_user_changes():
    patchwork = patched("1 2 a b 3 4", "1 2 3 4")
    patchwork.user(Edit(1, 3, ["U", "V"]))
    assert hunks(patchwork) == [(2, "a b", "")]
    assert undone(patchwork) == "1 U a b V 4"


def test_the_agent_that_takes_its_hunk_back_leaves_none():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    patchwork.agent(["1", "a", "b", "c", "2"], NEXT)
    assert patchwork.pending == []
    assert patchwork.decided == []


def test_a_further_edit_melts_into_the_hunk_and_the_newest_author_has_it():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    whole = patchwork.pending[0].id
    patchwork.agent(["1", "x", "b", "Z", "2"], NEXT)
    assert hunks(patchwork) == [(1, "a", "x"), (3, "c", "Z")]
    assert [hunk.author for hunk in patchwork.pending] == [NEXT, NEXT]
    assert patchwork.pending[0].id == whole


@pytest.mark.parametrize(
    ("author", "found"), [(TURN, [(1, "a b", "x y")]), (NEXT, [(1, "a", "x"), (2, "b", "y")])]
)
def test_neighbours_are_one_hunk_only_within_a_turn(author: Author, found: list[tuple[int, str, str]]):
    patchwork = patched("1 a b 2", "1 x b 2")
    patchwork.agent_edit(Edit(2, 3, ["y"]), author)
    assert hunks(patchwork) == found


def test_a_line_that_a_later_turn_brings_back_leaves_no_hunk():
    patchwork = patched("1 a 2", "1 2")
    patchwork.agent_edit(Edit(1, 1, ["a"]), NEXT)
    assert patchwork.pending == []


@pytest.mark.statement(123)
def test_lines_of_the_user_under_the_agents_are_what_undo_restores():
    patchwork = patched("1 a 2", "1 x 2")
    patchwork.user(Edit(1, 2, ["U"]))
    patchwork.agent(["1", "y", "2"], NEXT)
    assert hunks(patchwork) == [(1, "U", "y")]
    assert undone(patchwork) == "1 U 2"


def test_undo_of_undo_is_a_pending_hunk_again():
    patchwork = patched("1 a 2 b 3", "1 x 2 y 3")
    before = patchwork.pending
    assert patchwork.undo(before[0].id) == Edit(1, 2, ["a"])
    assert [(hunk.id, hunk.state, hunk.first) for hunk in patchwork.decided] == [(before[0].id, "undone", 1)]
    patchwork.user(Edit(1, 2, ["x"]))  # what `u` is
    assert patchwork.pending == before
    assert patchwork.decided == []
    patchwork.user(Edit(1, 2, ["a"]))  # <C-r>
    assert [hunk.id for hunk in patchwork.pending] == [before[1].id]
    assert [hunk.id for hunk in patchwork.decided] == [before[0].id]


def test_u_over_an_agents_write_takes_its_hunks_and_redo_brings_them():
    patchwork = patched("1 a 2", "1 x 2")
    before = patchwork.pending
    patchwork.user(Edit(1, 2, ["a"]))
    assert patchwork.pending == []
    patchwork.user(Edit(1, 2, ["x"]))
    assert patchwork.pending == before


def test_the_text_without_unsaved_lines_brings_the_hunks_that_u_has_taken():
    patchwork = patched("1 a 2 mine", "1 x 2 mine")
    before = patchwork.pending
    patchwork.knows(["1", "x", "2"])
    assert (patchwork.pending, patchwork.lines) == (before, ["1", "x", "2", "mine"])
    patchwork.user(Edit(1, 2, ["a"]))
    assert patchwork.pending == []
    patchwork.became(["1", "x", "2"])  # what :edit! is
    assert patchwork.pending == before


def test_u_over_what_was_typed_into_a_hunk_gives_it_back_to_the_agent():
    patchwork = patched("1 a b 2", "1 x y 2")
    before = patchwork.pending
    for number in range(2000):
        patchwork.user(Edit(1, 2, ["x" * number + "!"]))
    assert hunks(patchwork) == [(2, "b", "y")]
    patchwork.user(Edit(1, 2, ["x"]))
    assert patchwork.pending == before


@pytest.mark.statement(125)
def test_kept_stays_kept_through_u():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    patchwork.user(Edit(2, 3, ["U"]))
    first, second = patchwork.pending
    assert patchwork.keep(second.id)
    patchwork.user(Edit(2, 3, ["y"]))
    assert hunks(patchwork) == [(1, "a b", "x y")]
    assert [hunk.id for hunk in patchwork.pending] == [first.id]
    assert [(hunk.id, hunk.state) for hunk in patchwork.decided] == [(second.id, "kept")]
    patchwork.keep(first.id)
    patchwork.became(["1", "a", "b", "c", "2"])
    patchwork.became(["1", "x", "y", "z", "2"])
    assert patchwork.pending == []


@pytest.mark.statement(125)
def test_a_hunk_that_was_kept_does_not_come_back_under_its_id():
    patchwork = patched("1 a b c 2", "1 x y z 2")
    patchwork.user(Edit(2, 3, ["U"]))
    first, second = patchwork.pending
    patchwork.keep(first.id)
    patchwork.user(Edit(2, 3, ["y"]))
    assert hunks(patchwork) == [(2, "b c", "y z")]
    assert patchwork.pending[0].id not in (first.id, second.id)


def test_a_hunk_that_was_kept_after_all_is_told_as_kept():
    patchwork = patched("1 a 2", "1 x 2")
    (hunk,) = patchwork.pending
    patchwork.undo(hunk.id)
    patchwork.user(Edit(1, 2, ["x"]))
    patchwork.keep(hunk.id)
    patchwork.user(Edit(1, 2, ["a"]))
    assert [(each.id, each.state) for each in patchwork.decided] == [(hunk.id, "kept")]
    assert patchwork.pending == []


@pytest.mark.statement(125)
def test_what_was_kept_as_one_with_later_lines_stays_kept():
    patchwork = patched("1 a b 2", "1 x y 2")
    patchwork.agent(["1", "x", "Y", "2"], NEXT)
    patchwork.keep(patchwork.pending[0].id)
    patchwork.user(Edit(2, 3, ["y"]))
    assert patchwork.pending == []


def test_decided_hunks_follow_the_lines_above_them():
    patchwork = patched("1 a 2 b 3", "1 x 2 y 3")
    first, second = patchwork.pending
    patchwork.keep(second.id)
    patchwork.undo(first.id)
    patchwork.user(Edit(0, 0, ["U", "V"]))
    assert [(hunk.first, hunk.state) for hunk in patchwork.decided] == [(5, "kept"), (3, "undone")]


def test_several_are_one_step_back():
    patchwork = patched("1 a 2 b c 3 d", "1 2 x 3 d e f")
    before = patchwork.pending
    done = patchwork.undo_all({hunk.id for hunk in before})
    assert done == [Edit(1, 1, ["a"]), Edit(2, 3, ["b", "c"]), Edit(5, 7, [])]
    patchwork.became(["1", "2", "x", "3", "d", "e", "f"])
    assert patchwork.pending == before


def test_texts_that_differ_in_order_only_are_told_apart():
    patchwork = patched("1 a 2", "1 x 2")
    patchwork.became(["x", "1", "2"])
    assert hunks(patchwork) == [(0, "a", "x")]
    assert undone(patchwork) == "a 1 2"


def test_who_is_not_there_is_not_decided():
    patchwork = patched("a", "x")
    (hunk,) = patchwork.pending
    assert patchwork.undo(hunk.id + 1) is None
    assert not patchwork.keep(hunk.id + 1)
    assert patchwork.keep(hunk.id)
    assert not patchwork.keep(hunk.id)
    assert patchwork.undo(hunk.id) is None


def test_ids_are_unique_over_files():
    ids = [patched("a", "x").pending[0].id for _ in range(10)]
    assert len(set(ids)) == 10


@pytest.mark.parametrize("edit", [Edit(0, 3, []), Edit(2, 1, []), Edit(-1, 0, [])])
def test_rows_that_are_not_there_are_refused(edit: Edit):
    patchwork = patched("a b", "x y")
    with pytest.raises(IndexError):
        patchwork.user(edit)
    assert hunks(patchwork) == [(0, "a b", "x y")]


def large(lines: int, every: int) -> Patchwork:
    base = [f"line {n}" for n in range(lines)]
    patchwork = Patchwork(base)
    patchwork.agent([f"new {line}" if not n % every else line for n, line in enumerate(base)], TURN)
    assert len(patchwork.pending) == lines // every
    return patchwork


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return min(times)


@pytest.mark.alone
def test_one_of_a_thousand_hunks_is_kept_or_undone_at_once():
    patchwork = large(10_000, 10)
    ids = iter(hunk.id for hunk in patchwork.pending[500:])
    assert best(lambda: (patchwork.undo(next(ids)), patchwork.pending)) < 0.01
    assert best(lambda: (patchwork.keep(next(ids)), patchwork.pending)) < 0.01


@pytest.mark.alone
def test_all_of_a_thousand_hunks_are_undone_at_once():
    patchworks = [large(10_000, 10) for _ in range(3)]

    def undo() -> None:
        patchwork = patchworks.pop()
        assert len(patchwork.undo_all({hunk.id for hunk in patchwork.pending})) == 1000

    assert best(undo) < 0.1


@pytest.mark.alone
def test_typing_costs_nothing_in_a_large_file():
    patchwork = large(100_000, 100)
    texts = iter("abc" * 10)
    assert best(lambda: patchwork.user(Edit(50_001, 50_002, [next(texts)]))) < 0.001
    assert best(lambda: patchwork.user(Edit(50_000, 50_001, [next(texts)]))) < 0.001
    assert best(lambda: patchwork.user(Edit(50_000, 50_000, [next(texts)]))) < 0.001
