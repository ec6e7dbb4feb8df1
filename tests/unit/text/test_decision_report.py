"""What the user decided, and the text that tells the agent."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.compare_decision import Outcome, decide
from acp_nvim.text.decision_report import report, report_of_review, split

LEFT = "".join(f"{n}\n" for n in range(1, 21))
RIGHT = LEFT.replace("\n3\n", "\nthree\n").replace("\n12\n", "\ntwelve\n").replace("\n20\n", "\ntwenty\n")


@pytest.mark.parametrize(
    ("left", "right", "decided", "decision"),
    [
        ("a\n", "b\n", "b\n", Outcome("all", "b\n")),
        ("a\n", "b\n", "b", Outcome("all", "b\n")),
        ("a\r\n", "b\r\n", "b\n", Outcome("all", "b\r\n")),
        ("a\n", "b\n", "a\n", Outcome("nothing", "a\n")),
        ("a\n", "b\n", "a", Outcome("nothing", "a\n")),
        ("a\n", "a", "a", Outcome("all", "a")),
        ("a\n", "a", "a\n", Outcome("nothing", "a\n")),
        ("a\nb\n", "x\ny\n", "x\nb\n", Outcome("mixed", "x\nb\n")),
        ("a\n", "b\n", None, Outcome("mixed", None)),
        (None, "x\n", "x\n", Outcome("all", "x\n")),
        (None, "x\n", "", Outcome("nothing", None)),
        (None, "x\n", None, Outcome("nothing", None)),
        (None, "", "", Outcome("all", "")),
        ("a\n", None, None, Outcome("all", None)),
        ("a\n", None, "", Outcome("all", None)),
        ("a\n", None, "a\n", Outcome("nothing", "a\n")),
        ("a\nb\n", None, "a\n", Outcome("mixed", "a\n")),
    ],
)
def test_the_text_is_the_decision(
    left: str | None, right: str | None, decided: str | None, decision: Outcome
):
    assert decide(left, right, decided) == decision


def test_a_mixed_decision_is_told_by_hunks():
    decided = RIGHT.replace("three", "3").replace("twelve", "a dozen")
    told = report("src/a.txt", RIGHT, decided, LEFT)
    assert told.split("\n") == [
        "src/a.txt: 1 hunk refused and 1 hunk changed by the user. "
        'Lines with "-" are what you proposed, lines with "+" are what the user decided on instead.',
        "@@ -1,5 +1,5 @@",
        " 1",
        " 2",
        "-three",
        "+3",
        " 4",
        " 5",
        "@@ -10,5 +10,5 @@",
        " 10",
        " 11",
        "-twelve",
        "+a dozen",
        " 13",
        " 14",
    ]


def test_without_the_text_before_nobody_says_which_was_refused():
    assert "1 hunk refused or changed by the user" in report("f", RIGHT, RIGHT.replace("three", "3"))


def test_rows_are_those_of_either_text():
    told = report("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n", None)
    assert [line for line in told.split("\n") if line.startswith("@@")] == [
        "@@ -1,2 +1,3 @@",
        "@@ -7,3 +8,2 @@",
    ]


def test_neighbours_share_their_context():
    told = report("f", "1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n")
    assert told.split("\n")[1:] == ["@@ -1,5 +1,5 @@", "-1", "+x", " 2", " 3", " 4", "-5", "+y"]


@pytest.mark.parametrize(
    ("left", "right", "decided", "told"),
    [
        ("a\n", "b\n", "b", ""),
        ("a\n", None, "a\n", "f: the user refused to delete it."),
        ("a\nb\n", None, "a\n", "f: the user refused to delete it. It was changed."),
        (None, "x\n", None, "f: the user wants no such file."),
        ("a\n", "a", "a\n", "f: the user decided on another end of the last line."),
    ],
)
def test_what_has_no_hunks(left: str | None, right: str | None, decided: str | None, told: str):
    assert report("f", right, decided, left) == told


def test_a_new_file_that_is_left_empty_has_all_its_lines_refused():
    assert report("f", "x\ny\n", "").split("\n")[1:] == ["@@ -1,2 +0,0 @@", "-x", "-y"]


def test_a_report_is_bounded():
    told = report("f", "x\n" * 10_000, "y\n" * 10_000).split("\n")
    assert len(told) == 202
    assert told[-1] == "… (19801 more lines)"
    wide = report("f", "x" * 100_000, "y").split("\n")
    assert wide[2] == f"-{'x' * 399}… (99601 more characters)"


def test_a_path_stays_on_its_line():
    assert report("a\nb\x1b", "x\n", None).startswith("a\\nb\\x1b: ")


_texts = st.lists(st.sampled_from("abc"), max_size=8).map(
    lambda words: "".join(f"{word}\n" for word in words)
)


@given(_texts, _texts, _texts)
def test_hunks_lead_from_what_was_proposed_to_what_was_decided(left: str, right: str, decided: str):
    proposed, place, have = right.split("\n")[:-1], 0, []
    for line in report("f", right, decided, left).split("\n")[1:]:
        if line.startswith("@@"):
            first, count = map(int, line.split()[1][1:].split(","))
            have += proposed[place : first - (count > 0)]
            place = first - (count > 0)
        elif line[0] == "+":
            have.append(line[1:])
        else:
            assert proposed[place] == line[1:]
            have += line[1:] if line[0] == " " else ""
            place += 1
    if decide(left, right, decided).kind != "all":
        assert [*have, *proposed[place:]] == decided.split("\n")[:-1]


@dataclass
class Lost:
    path: str = "f"
    undone: int = 0
    changed: int = 0
    lines: list[str] = field(default_factory=list)
    more: int = 0
    removed: bool = False
    restored: bool = False
    gone: bool = False


@given(
    *[st.lists(st.sampled_from("abc"), max_size=5).map(lambda rows: "".join(f"{row}\n" for row in rows))] * 3,
    st.builds(
        Lost, undone=st.integers(1, 3), changed=st.integers(0, 2), gone=st.booleans(), restored=st.booleans()
    ),
    st.sampled_from(["now go on", "- a list\n- of mine", ""]),
)
def test_every_report_is_told_from_the_users_words(
    left: str, right: str, decided: str, lost: Lost, words: str
) -> None:
    told = [report("a name.txt", right, decided, left), report_of_review("f", lost)]
    text = "\n\n".join(filter(None, told))
    assert split(f"{text}\n\n{words}") == (text, words)
