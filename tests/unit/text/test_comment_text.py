"""What an agent gets of the user's comments."""

from acp_nvim import limits
from acp_nvim.messages.comments import Comment, CommentedHunk
from acp_nvim.text.comment_text import message, without

ONE = Comment(
    id=1, path="/p/src/cart.py", side="live", first=3, last=3, lines=["total = 0"], text="use sum()"
)


def test_a_comment_has_its_path_its_lines_and_its_text():
    assert message([ONE], "/p") == "src/cart.py, line 3:\n> total = 0\nuse sum()"
    assert message([], "/p") == ""


def test_a_path_beside_the_folder_of_the_session_is_whole():
    assert message([ONE], "/p/src/") == "cart.py, line 3:\n> total = 0\nuse sum()"
    assert message([ONE], "/p/sr").startswith("/p/src/cart.py, line 3:")
    bent = ONE.model_copy(update={"path": "/p/a\nb.py"})
    assert message([bent], "/p").startswith("a^Jb.py, line 3:\n")


def test_sides_ranges_and_lines_that_are_gone_are_named():
    old = ONE.model_copy(update={"side": "old", "last": 4, "lines": ["a", ""]})
    proposed = ONE.model_copy(update={"side": "proposed"})
    gone = ONE.model_copy(update={"moved": True})
    assert message([old, proposed, gone], "/p").split("\n\n") == [
        "src/cart.py, old lines 3-4:\n> a\n>\nuse sum()",
        "src/cart.py, proposed line 3:\n> total = 0\nuse sum()",
        "src/cart.py, line 3 (these lines are gone, the place is the nearest):\n> total = 0\nuse sum()",
    ]


def test_the_pending_change_stands_below_the_text():
    hunk = CommentedHunk(old=["a"], new=["b", ""], more=3)
    with_hunk = ONE.model_copy(update={"hunk": hunk, "more": 7})
    assert message([with_hunk], "/p") == (
        "src/cart.py, line 3:\n> total = 0\n> … (7 more lines)\nuse sum()\n"
        "In this pending change:\n-a\n+b\n+\n… (3 more lines)"
    )


def test_a_long_line_is_cut():
    long = ONE.model_copy(update={"lines": ["x" * 5000]})
    cut = message([long], "/p").split("\n")[1]
    assert len(cut) < limits.REPORT_LINE_CHARS + 40
    assert cut.endswith("… (4600 more characters)")


def test_comments_are_left_out_by_their_ids():
    other = ONE.model_copy(update={"id": 2})
    assert without([ONE, other], frozenset([1])) == [other]
