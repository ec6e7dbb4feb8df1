"""What an agent gets in the place of a yes to its plan."""

from acp_nvim.messages.proposals import LineComment
from acp_nvim.proposals.plan_message import make

PLAN = "# Plan\n\n1. Read\n2. Write\n"


def test_comments_alone_name_the_lines_of_the_plan_as_it_came():
    said = [
        LineComment(id=1, first=4, last=4, text="tests first"),
        LineComment(id=2, first=1, last=3, text="too short\nreally"),
    ]
    assert make(PLAN, PLAN, said) == (
        "Not yet: I have comments on your plan, which is:\n\n# Plan\n\n1. Read\n2. Write\n\n"
        'My comments:\n- lines 1 to 3, "# Plan 1. Read": too short\n  really\n- line 4, "2. Write": tests first'
    )


def test_an_edit_and_comments_go_together():
    said = [LineComment(id=3, first=3, last=3, text="all of it?")]
    assert make(PLAN, PLAN.replace("Write", "Test"), said) == (
        "Not yet: I have edited your plan. Go on planning from this version:\n\n# Plan\n\n1. Read\n2. Test\n\n"
        "What I have changed:\n```diff\n@@ -2,3 +2,3 @@\n \n 1. Read\n-2. Write\n+2. Test\n```\n\n"
        'My comments:\n- line 3, "1. Read": all of it?'
    )


def test_a_fence_in_the_plan_does_not_end_the_diff():
    told = make("````sh\nmake\n````\n", "````sh\nmake test\n````\n", [])
    assert told.endswith("\n`````diff\n@@ -1,3 +1,3 @@\n ````sh\n-make\n+make test\n ````\n`````")


def test_a_line_end_alone_is_no_edit():
    assert "What I have changed" not in make(
        PLAN, PLAN.rstrip("\n"), [LineComment(id=4, first=1, last=1, text="no")]
    )


def test_a_comment_on_a_line_that_is_gone_names_its_number():
    assert make("a\n", "a\n", [LineComment(id=5, first=7, last=7, text="what?")]).endswith(
        "\n- line 7: what?"
    )
