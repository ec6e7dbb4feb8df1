"""What a proposal makes of the live text: whole files, fragments, and what does not fit."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.codec import split
from acp_nvim.review.merge import merge3
from acp_nvim.review.proposed import Proposed, propose, propose_all


def text(words: str, end: str = "\n") -> str:
    return "".join(word + end for word in words.split())


def right(live: str | None, old: str | None, new: str | None, disk: str | None = None) -> str | None:
    found = propose(live, live if disk is None else disk, None, old, new)
    assert (found.left, found.fits, found.problem) == (live, True, "")
    return found.right


def test_a_whole_file_is_what_the_agent_wrote():
    found = propose("a\nb\n", "a\nb\n", None, "a\nb\n", "a\nc\n")
    assert found == Proposed("a\nb\n", "a\nc\n", True, "", True)


@pytest.mark.parametrize("old", [None, ""])
def test_a_new_file(old: str | None):
    assert propose(None, None, None, old, "x\n") == Proposed(None, "x\n", True, "", True)
    assert propose("", "", None, old, "x\n") == Proposed("", "x\n", True, "", True)


@pytest.mark.parametrize("old", [None, ""])
def test_an_overwrite_keeps_what_the_agent_has_not_seen(old: str | None):
    assert propose("a\n", "a\n", None, old, "b\n").right == "b\n"
    assert propose("U\na\nb\nc\n", "a\nb\nc\n", None, old, "a\nb\nX\n").right == "U\na\nb\nX\n"
    assert propose("U\na\nb\nc\n", "U\na\nb\nc\n", "a\nb\nc\n", old, "a\nb\nX\n").right == "U\na\nb\nX\n"


def test_an_overwrite_of_a_text_that_is_nowhere_but_in_the_editor_says_so():
    found = propose("mine\n", None, None, None, "x\n")
    assert (found.left, found.right, found.fits, found.whole) == ("mine\n", "x\n", True, True)
    assert "you have changed" in found.problem


def test_a_deletion():
    assert propose("a\n", "a\n", None, "a\n", None) == Proposed("a\n", None, True, "", True)


@pytest.mark.parametrize("seen", ["disk", "belief"])
def test_unsaved_lines_are_never_shown_as_deletions(seen: str):
    live, old, new = text("U a b c d V"), text("a b c d"), text("a B c d e")
    disk, belief = (old, None) if seen == "disk" else (live, old)
    found = propose(live, disk, belief, old, new)
    assert found.problem  # V and e are at one place
    assert propose(live, disk, belief, old, text("a B c d")).right == text("U a B c d V")


def test_lines_that_both_have_changed_are_shown_as_they_came_and_said():
    found = propose(text("U a mine c"), text("a b c"), None, text("a b c"), text("a B c"))
    assert found == Proposed(text("U a mine c"), text("U a B c"), True, found.problem, True)
    assert "you have changed" in found.problem


@pytest.mark.parametrize(
    ("live", "old", "new", "result"),
    [
        ("a\nb\nc\n", "b\n", "B\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "b", "B", "a\nB\nc\n"),
        ("a\nb\nc\n", "a\nb\n", "x\n", "x\nc\n"),
        ("a\nb\nc\n", "b\n", "", "a\nc\n"),
        ("one two three\n", "two", "2", "one 2 three\n"),
        ("f(a,\n  b) + 1\n", "a,\n  b", "c", "f(c) + 1\n"),
        ("f(c) + 1\n", "c", "a,\n  b", "f(a,\n  b) + 1\n"),
        ("a\nb", "b\n", "B\n", "a\nB"),
        ("a\nb", "b", "B\n", "a\nB\n"),
        ("ä\nö\n", "ö", "ü", "ä\nü\n"),
    ],
)
def test_a_fragment_is_replaced_where_it_is(live: str, old: str, new: str, result: str):
    assert right(live, old, new) == result
    assert not propose(live, live, None, old, new).whole


@pytest.mark.parametrize(
    ("live", "old", "word"),
    [
        ("a\nb\na\n", "a\n", "more than once"),
        ("xaaax", "aa", "more than once"),
        ("a\nb\n", "c", "not in the file"),
    ],
)
def test_a_fragment_that_has_no_place_is_shown_as_it_came(live: str, old: str, word: str):
    found = propose(live, live, None, old, "new")
    assert found == Proposed(old, "new", False, found.problem, False)
    assert word in found.problem


@pytest.mark.parametrize("seen", ["disk", "belief"])
def test_a_fragment_of_what_the_agent_has_seen_is_merged(seen: str):
    was, live = text("a b c d"), text("a b U c d d2")
    disk, belief = (was, None) if seen == "disk" else (live, was)
    found = propose(live, disk, belief, "b\nc\n", "B\nc\n")
    assert found == Proposed(live, text("a B U c d d2"), True, "", False)


def test_a_line_that_the_user_has_doubled_leaves_a_fragment_its_place():
    assert right(text("a b c b"), "b\n", "B\n", disk=text("a b c")) == text("a B c b")


def test_a_fragment_over_lines_that_the_user_has_changed():
    found = propose(text("a mine c"), text("a b c"), None, "b\n", "B\n")
    assert (found.left, found.right, found.fits) == (text("a mine c"), text("a B c"), True)
    assert "you have changed" in found.problem


@pytest.mark.parametrize(("old", "new"), [("b\nc\n", "B\nC\n"), ("b\r\nc\r\n", "B\r\nC\r\n")])
def test_a_file_keeps_its_line_ends(old: str, new: str):
    for end in ("\n", "\r\n"):
        assert right(text("a b c d", end), old, new) == text("a B C d", end)
        assert right(text("b c", end), old, new) == text("B C", end)
        assert right(text("U b c", end), old, new, disk=text("b c", end)) == text("U B C", end)


def test_lines_of_a_file_with_mixed_ends_keep_theirs():
    assert right("a\r\nb\nc\r\n", "b", "B") == "a\r\nB\nc\r\n"


@pytest.mark.parametrize(
    ("live", "old", "new", "result"),
    [
        ("a\nb", "a\nb\n", "a\nc\n", "a\nc"),
        ("a\nb", "a\nb", "a\nc\n", "a\nc\n"),
        ("a\nb\n", "a\nb\n", "a\nb", "a\nb"),
        ("a\nb\n", "a\nb", "a\nc", "a\nc\n"),
    ],
)
def test_the_final_newline_is_the_files_unless_the_agent_means_it(live: str, old: str, new: str, result: str):
    assert right(live, old, new) == result


@pytest.mark.parametrize("old", ["\ufeffa\n", "a\n"])
@pytest.mark.parametrize("new", ["\ufeffb\n", "b\n"])
def test_a_bom_stays_as_it_is(old: str, new: str):
    assert right("\ufeffa\n", old, new) == "\ufeffb\n"
    assert right("a\n", old, new) == "b\n"
    assert right("\ufeffa\nc\n", "c", "d") == "\ufeffa\nd\n"


def test_a_file_that_has_gone_is_said():
    found = propose(None, None, "a\n", "a\n", "b\n")
    assert (found.left, found.right, found.fits) == (None, "b\n", False)
    assert "not there" in found.problem


def test_every_problem_is_one_short_line():
    found = [
        propose(None, None, None, "a", "b"),
        propose("aa", "aa", None, "a", "b"),
        propose("c", "c", None, "a", "b"),
        propose("c", None, None, "", "b"),
    ]
    assert all(0 < len(each.problem) < 80 and each.problem.isprintable() for each in found)


def test_several_changes_of_a_file_follow_each_other():
    was = text("a b c d")
    found = propose_all(text("U a b c d"), was, None, [("b\n", "B\nB2\n"), ("B2\nc\n", "C\n")])
    assert found == Proposed(text("U a b c d"), text("U a B C d"), True, "", False)
    assert propose_all(None, None, None, [(None, "a\n"), ("a\n", "b\n")]).right == "b\n"
    assert propose_all("a\n", "a\n", None, [(None, "b\n"), (None, "c\n")]).right == "c\n"


def test_several_changes_that_do_not_all_fit_are_shown_as_they_came():
    found = propose_all(text("a b"), None, None, [("a\n", "A\n"), ("z\n", "Z\n")])
    assert (found.left, found.right, found.fits) == ("a\n\nz\n", "A\n\nZ\n", False)
    only = propose_all(text("a b"), None, None, [("z\n", "Z\n")])
    assert (only.left, only.right, only.fits) == ("z\n", "Z\n", False)


_lines = st.lists(st.sampled_from("abcd"), max_size=6).map(lambda words: text(" ".join(words)))


@given(_lines, _lines, st.sampled_from(["\n", "\r\n"]))
def test_what_the_agent_has_seen_becomes_what_it_wrote(old: str, new: str, end: str):
    live = old.replace("\n", end)
    found = propose(live, live, None, old, new)
    assert found.fits
    assert found.right == (new.replace("\n", end) if old else new)


@given(_lines, _lines, _lines)
def test_every_proposal_has_a_right_side(live: str, disk: str, new: str):
    found = propose(live, disk, None, disk, new)
    assert found.left == live
    assert found.right is not None
    assert found.fits
    assert bool(found.problem) is bool(
        merge3(*(list(split(each).lines) for each in (disk, live, new))).overlaps
    )


@pytest.mark.alone
def test_a_large_file_takes_no_time():
    lines = [f"line {n}" for n in range(10_000)]
    old = "\n".join(lines) + "\n"
    new = "\n".join(f"new {n}" if not n % 100 else line for n, line in enumerate(lines)) + "\n"
    live = f"mine\n{old}".replace("line 77\n", "")
    times = []
    for _ in range(3):
        began = time.process_time()
        assert propose(live, old, None, old, new).fits
        times.append(time.process_time() - began)
    assert min(times) < 0.1
