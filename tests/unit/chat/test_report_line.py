"""One line for what an agent is told of the user's decisions."""

import pytest

from acp_nvim.chat.report_line import summary

HUNKS = "parse.py: 1 hunk refused and 2 hunks changed by the user. Lines are yours.\n@@ -1 +1 @@\n-a\n+b"
COMMENT = "src/parse.py, proposed line 3:\n> THREE\nuse a word, line 4:\nplease"
OTHER = "parse.py, old lines 3-4 (these lines are gone, the place is the nearest):\n> a\n>\nno"


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (HUNKS, "1 hunk of parse.py refused and 2 hunks changed"),
        (COMMENT, "1 comment"),
        (f"{COMMENT}\n\n{OTHER}", "2 comments"),
        (f"{HUNKS}\n\n{COMMENT}", "1 hunk of parse.py refused and 2 hunks changed, 1 comment"),
        ("cart.py: the user wants no such file.", "cart.py: the user wants no such file."),
        ("see a.py, line 3:\nno quotation", "see a.py, line 3:"),
    ],
)
def test_hunks_and_comments_are_counted(report: str, line: str) -> None:
    assert summary(report) == line
