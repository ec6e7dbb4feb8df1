r"""Writes the message that an agent gets in the place of a yes to its plan: the whole plan as the user wants it, what
the user has changed of it as a diff, and the user's comments on its lines.

    Not yet: I have edited your plan. Go on planning from this version:

    # Plan
    …

    What I have changed:
    ```diff
    @@ -2,1 +2,1 @@
    -2. Write the code
    +2. Write the tests first
    ```

    My comments:
    - line 3, "3. Ship it": only after a review
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acp_nvim.messages.proposals import LineComment
from acp_nvim.text.decision_report import unified
from acp_nvim.text.line_diff import edits
from acp_nvim.text.printable import one_line

_EDITED = "Not yet: I have edited your plan. Go on planning from this version:"
_COMMENTED = "Not yet: I have comments on your plan, which is:"
_QUOTED_CHARS = 80
_FENCE = re.compile(r"`{3,}")


def make(proposed: str, plan: str, comments: Sequence[LineComment]) -> str:
    """Return the message. `plan` is the text as the user has left it."""
    before, now = _lines(proposed), _lines(plan)
    is_edited = before != now
    parts = [_EDITED if is_edited else _COMMENTED, plan.strip("\n")]
    if is_edited:
        parts.append(_fenced("What I have changed:", "\n".join(unified(before, edits(before, now)))))
    if comments:
        parts.append("\n".join(["My comments:", *map("- {}".format, _comments(now, comments))]))
    return "\n\n".join(parts)


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _fenced(head: str, diff: str) -> str:
    """Return a block whose fence is longer than any in the diff."""
    fence = "`" * max(3, *(len(each) + 1 for each in _FENCE.findall(diff)), 0)
    return f"{head}\n{fence}diff\n{diff}\n{fence}"


def _comments(plan: list[str], comments: Sequence[LineComment]) -> Iterator[str]:
    for each in sorted(comments, key=lambda comment: (comment.first, comment.last)):
        where = f"line {each.first}" if each.last <= each.first else f"lines {each.first} to {each.last}"
        quoted = one_line(" ".join(plan[max(0, each.first - 1) : each.last]).strip())
        said = each.text.strip().replace("\n", "\n  ")
        yield f'{where}, "{quoted[:_QUOTED_CHARS]}": {said}' if quoted else f"{where}: {said}"
