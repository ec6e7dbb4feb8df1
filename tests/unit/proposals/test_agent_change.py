"""Where a change that an agent describes has its place: whole texts, fragments, and what does not fit."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim import limits
from acp_nvim.proposals.agent_change import AgentChange, Change, find_place


def text(words: str, end: str = "\n") -> str:
    return "".join(word + end for word in words.split())


Texts = tuple[str | None, str | None]


def place(disk: str | None, *changes: Texts, belief: str | None = None) -> tuple[str | None, str | None]:
    found = find_place(disk, belief, [Change(*each) for each in changes])
    assert found.problem == ""
    return found.base, found.new


def test_a_whole_file_is_what_the_agent_wrote():
    found = find_place("a\nb\n", None, [Change("a\nb\n", "a\nc\n")])
    assert found == AgentChange("a\nb\n", "a\nc\n", "", frozenset(["a\nc\n"]))


@pytest.mark.parametrize("old", [None, ""])
def test_a_new_file(old: str | None):
    assert place(None, (old, "x\n")) == (None, "x\n")
    assert place("", (old, "x\n")) == ("", "x\n")


@pytest.mark.parametrize("old", [None, ""])
def test_an_overwrite_builds_on_what_the_agent_knows(old: str | None):
    assert place("a\n", (old, "b\n")) == ("a\n", "b\n")
    assert place("U\na\n", (old, "a\nX\n"), belief="a\n") == ("a\n", "a\nX\n")
    written = find_place("U\na\n", "a\n", [Change(old, "a\nX\n")]).written
    assert written == {"a\nX\n"}


def test_a_deletion():
    assert find_place("a\n", None, [Change("a\n", None)]) == AgentChange("a\n", None, "", frozenset([None]))


@pytest.mark.parametrize(
    ("disk", "old", "new", "result"),
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
        ("\u00e4\n\u00f6\n", "\u00f6", "\u00fc", "\u00e4\n\u00fc\n"),
    ],
)
def test_a_fragment_is_replaced_where_it_is(disk: str, old: str, new: str, result: str):
    assert place(disk, (old, new)) == (disk, result)


@pytest.mark.parametrize(
    ("disk", "old", "word"),
    [
        ("a\nb\na\n", "a\n", "more than once"),
        ("xaaax", "aa", "more than once"),
        ("a\nb\n", "c", "not in the file"),
        (None, "a\n", "no longer exists"),
    ],
)
def test_a_fragment_that_has_no_place_stays_as_it_came(disk: str | None, old: str, word: str):
    found = find_place(disk, None, [Change(old, "new")])
    assert (found.base, found.new, found.written) == (old, "new", frozenset())
    assert word in found.problem
    assert len(found.problem) < 80


@pytest.mark.parametrize(
    ("disk", "old", "new", "result"),
    [
        ("a b a\n", "a", "A", "A b A\n"),
        ("aaa b aa\n", "aa", "x", "xa b x\n"),
        ("a\nb\na\n", "a\n", "", "b\n"),
        ("a\r\nb\r\na\r\nb\r\n", "a\nb\n", "c\n", "c\r\nc\r\n"),
        ("a b\na", "a", "aa", "aa b\naa"),
        ("a\nb\na", "a\n", "x\n", "x\nb\na"),
        ("b\na", "a\n", "x\n", "b\nx"),
        ("a b\n", "a", "A", "A b\n"),
    ],
)
def test_everywhere_each_place_is_replaced(disk: str, old: str, new: str, result: str):
    found = find_place(disk, None, [Change(old, new, everywhere=True)])
    assert found == AgentChange(disk, result, "", frozenset([result]))


@pytest.mark.parametrize(
    ("disk", "everywhere", "shown", "written"),
    [
        ("a\nx\nb\n", False, "a\n\nb\n", "a\nb\n"),
        ("a\r\nx\r\nb\r\n", False, "a\r\n\r\nb\r\n", "a\r\nb\r\n"),
        ("x y x\nz\n", True, " y \nz\n", "x y z\n"),
        ("x y\nz\n", True, " y\nz\n", " y\nz\n"),
    ],
)
def test_what_is_deleted_may_take_its_line_end_along(disk: str, everywhere: bool, shown: str, written: str):
    found = find_place(disk, None, [Change("x", "", everywhere)])
    assert (found.new, found.written) == (shown, {shown, written})


def test_everywhere_is_not_nowhere():
    found = find_place("a\n", None, [Change("b", "B", everywhere=True)])
    assert "not in the file" in found.problem


def test_everywhere_and_once_follow_each_other():
    changes = [Change("a", "c", everywhere=True), Change("c b", "d"), Change("a", "e")]
    assert find_place("a b a\n", None, changes[:2]).new == "d c\n"
    assert find_place("a b a\n", None, changes).problem
    assert "more than once" in find_place("a b a\n", None, changes[2:]).problem


@pytest.mark.parametrize(
    ("disk", "new"),
    [
        ("a" * (limits.REPLACED_PLACES + 1), "b"),
        ("a" * 1000, "b" * limits.REPLACED_CHARS),
    ],
)
def test_what_a_short_message_makes_large_is_not_made(disk: str, new: str):
    found = find_place(disk, None, [Change("a", new, everywhere=True)])
    assert (found.base, found.new, found.written) == ("a", new, frozenset())
    assert "too often" in found.problem
    assert not find_place(disk[: limits.REPLACED_PLACES], None, [Change("a", "bb", everywhere=True)]).problem


def test_changes_that_double_a_text_have_an_end():
    doubles = [Change("a", "aa", everywhere=True)] * 40
    assert find_place("aa", None, doubles).problem


def test_a_fragment_may_be_only_in_what_the_agent_has_seen():
    assert place("a b\n", ("c", "C"), belief="a c\n") == ("a c\n", "a C\n")
    assert find_place("a\nb\n", "a\nb\nc\n", [Change("b", "B")]).written == {"a\nB\n", "a\nB\nc\n"}


@pytest.mark.parametrize(("old", "new"), [("b\nc\n", "B\nC\n"), ("b\r\nc\r\n", "B\r\nC\r\n")])
def test_a_file_keeps_its_line_ends(old: str, new: str):
    for end in ("\n", "\r\n"):
        assert place(text("a b c d", end), (old, new))[1] == text("a B C d", end)
        assert place(text("b c", end), (old, new))[1] == text("B C", end)


def test_lines_of_a_file_with_mixed_ends_keep_theirs():
    assert place("a\r\nb\nc\r\n", ("b", "B"))[1] == "a\r\nB\nc\r\n"


@pytest.mark.parametrize(
    ("disk", "old", "new", "result"),
    [
        ("a\nb", "a\nb\n", "a\nc\n", "a\nc"),
        ("a\nb", "a\nb", "a\nc\n", "a\nc\n"),
        ("a\nb\n", "a\nb\n", "a\nb", "a\nb"),
        ("a\nb\n", "a\nb", "a\nc", "a\nc\n"),
    ],
)
def test_the_final_newline_is_the_files_unless_the_agent_means_it(disk: str, old: str, new: str, result: str):
    assert place(disk, (old, new))[1] == result


@pytest.mark.parametrize("old", ["\ufeffa\n", "a\n"])
@pytest.mark.parametrize("new", ["\ufeffb\n", "b\n"])
def test_a_bom_stays_as_it_is(old: str, new: str):
    assert place("\ufeffa\n", (old, new))[1] == "\ufeffb\n"
    assert place("a\n", (old, new))[1] == "b\n"
    assert place("\ufeffa\nc\n", ("c", "d"))[1] == "\ufeffa\nd\n"


def test_several_changes_of_a_file_follow_each_other():
    assert place(text("a b c d"), ("b\n", "B\nB2\n"), ("B2\nc\n", "C\n"))[1] == text("a B C d")
    assert place(None, (None, "a\n"), ("a\n", "b\n"))[1] == "b\n"
    assert place("a\n", (None, "b\n"), (None, "c\n"))[1] == "c\n"


def test_several_changes_that_do_not_all_fit_stay_as_they_came():
    found = find_place(text("a b"), None, [Change("a\n", "A\n"), Change("z\n", "Z\n")])
    assert (found.base, found.new) == ("a\n\nz\n", "A\n\nZ\n")
    assert found.problem


_lines = st.lists(st.sampled_from("abcd"), max_size=6).map(lambda words: text(" ".join(words)))


@given(_lines, _lines, st.sampled_from(["\n", "\r\n"]))
def test_what_the_agent_has_seen_becomes_what_it_wrote(old: str, new: str, end: str):
    disk = old.replace("\n", end)
    assert place(disk, (old, new)) == (disk, new.replace("\n", end) if old else new)


@pytest.mark.alone
def test_a_large_file_takes_no_time():
    lines = [f"line {n}" for n in range(10_000)]
    old = "\n".join(lines) + "\n"
    new = "\n".join(f"new {n}" if not n % 100 else line for n, line in enumerate(lines)) + "\n"
    times = []
    for _ in range(3):
        began = time.process_time()
        assert not find_place(old, None, [Change(old, new)]).problem
        times.append(time.process_time() - began)
    assert min(times) < 0.1
