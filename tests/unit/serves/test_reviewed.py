"""One file in review: what the editor tells of its rows, and what it is told of hunks."""

from typing import Any

from acp_nvim.review.codec import Text
from acp_nvim.review.patchwork import Author
from acp_nvim.serves.reviewed import Asked, Reviewed, Taken

AGENT = Author(1, 1, "agent")


def file(*lines: str) -> Reviewed:
    reviewed = Reviewed("/r", "/g", lines, Text())
    reviewed.adopt(1, lines, 1)
    return reviewed


def message(*edits: Any, seq: int = 1, tick: int = 2, **more: Any) -> dict[str, Any]:
    return {"path": "/r", "buf": 1, "seq": seq, "tick": tick, "edits": list(edits), **more}


def asked(reviewed: Reviewed, *lines: str) -> None:
    reviewed.asks(Asked(list(lines), AGENT))
    reviewed.hear(message(asked=True, ours=True))


def test_what_was_asked_for_is_the_agent_s_once_the_editor_says_so():
    reviewed = file("a", "b")
    reviewed.asks(Asked(["a", "B"], AGENT))
    assert reviewed.hunks == []
    reviewed.hear(message([1, 2, ["B "]], asked=True, ours=True))
    assert [(hunk.old, hunk.new, hunk.author) for hunk in reviewed.hunks] == [(("b",), ("B ",), AGENT)]


def test_the_editor_is_told_what_it_does_not_know():
    reviewed = file("a", "b", "c", "d", "e", "f")
    asked(reviewed, "A", "b", "c", "d", "e", "F")
    told = reviewed.news.take()
    assert told
    assert [(hunk["first"], hunk["n"], hunk["new"]) for hunk in told["set"]] == [
        (0, 1, None),
        (5, 1, None),
    ]
    assert reviewed.news.take() is None
    reviewed.hear(message([3, 3, ["mine"]], seq=2, tick=3))
    assert reviewed.news.take() is None
    first, second = reviewed.hunks
    reviewed.decide([first.id])
    assert reviewed.keep([first.id]) == 1
    told = reviewed.news.take()
    assert told
    assert [(hunk["id"], hunk["state"]) for hunk in told["set"]] == [(first.id, "kept")]
    reviewed.forget_decided(1)
    told = reviewed.news.take()
    assert told
    assert (told["gone"], told["set"]) == ([first.id], [])
    assert [hunk.id for hunk in reviewed.hunks] == [second.id]


def test_a_write_tells_only_of_hunks_near_it_unless_all_marks_went():
    reviewed = file(*map(str, range(100)))
    lines = [f"{n}!" if n % 10 == 5 else str(n) for n in range(100)]
    asked(reviewed, *lines)
    told = reviewed.news.take()
    assert told
    assert len(told["set"]) == 10
    asked(reviewed, "new", *lines[:50], "50!", *lines[51:])
    told = reviewed.news.take()
    assert told
    assert [hunk["first"] for hunk in told["set"]] == [0, 51]
    asked(reviewed, *lines[:50], "50!", *lines[51:])
    reviewed.news.take()
    reviewed.asks(Asked([*lines[:50], *lines[51:]], AGENT))
    reviewed.hear(message(asked=True, anew=True))
    told = reviewed.news.take()
    assert told
    assert len(told["set"]) == len(reviewed.hunks)


def test_an_empty_buffer_has_a_row_and_no_line():
    reviewed = file()
    reviewed.hear(message([0, 1, ["x"]]))
    assert reviewed.lines == ["x"]
    reviewed.hear(message([0, 1, [""]], seq=2, tick=3, void=True))
    assert reviewed.lines == []
    reviewed.hear(message([1, 1, ["y"]], seq=3, tick=4))
    assert reviewed.lines == ["", "y"]


def test_edits_that_come_while_the_text_is_read_anew_are_done_once():
    reviewed = file("a")
    reviewed.read_anew()
    reviewed.hear(message([0, 0, ["one"]], tick=5))
    reviewed.hear(message([0, 0, ["two"]], seq=2, tick=6))
    reviewed.adopt(1, ["one", "a"], 5)
    assert reviewed.lines == ["two", "one", "a"]


def test_a_hunk_that_is_taken_back_is_undone_when_the_editor_has_done_it():
    reviewed = file("a", "b")
    asked(reviewed, "a", "B")
    [hunk] = reviewed.hunks
    reviewed.decide([hunk.id])
    reviewed.asks(Asked(["a", "b"], Taken(frozenset([hunk.id]))))
    assert reviewed.hunks == [hunk]
    reviewed.hear(message(asked=True, ours=True, seq=2, tick=3))
    assert [(each.id, each.state) for each in reviewed.shown] == [(hunk.id, "undone")]
    assert reviewed.lines == ["a", "b"]


def test_many_hunks_take_several_frames():
    reviewed = file(*map(str, range(1000)))
    asked(reviewed, *(f"{n}!" if n % 2 else str(n) for n in range(1000)))
    sizes = []
    while told := reviewed.news.take():
        sizes.append(len(told["set"]))
    assert sum(sizes) == 500
    assert max(sizes) <= 250
