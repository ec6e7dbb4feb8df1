"""Shortens a report to the agent to one line: how many hunks of which file were refused, changed or undone, and
how many comments go along."""

from __future__ import annotations

import re

from acp_nvim import limits
from acp_nvim.chat.phrases import cut
from acp_nvim.text.printable import one_line

# "parse.py: 1 hunk refused and 2 hunks changed by the user. …"
_OF_FILE = re.compile(
    r"^(?P<name>[^\s+@-].{0,300}?): (?P<what>\d+ hunks? .{1,200}?)(?: by the user)?\.(?: |$)", re.MULTILINE
)
# "parse.py, proposed line 3:", and the lines below it
_OF_LINES = re.compile(
    r"^[^>\n].{0,300}?, (?:old |proposed )?lines? \d+(?:-\d+)?(?: \([^)\n]*\))?:\n> ", re.MULTILINE
)
_COUNT = re.compile(r"^(\d+ hunks?) ")


def summary(report: str) -> str:
    """Return `1 hunk of parse.py refused, 2 comments`, or the report's first words if it says something else."""
    found = [_of_file(match["name"], match["what"]) for match in _OF_FILE.finditer(report)]
    if count := len(_OF_LINES.findall(report)):
        found.append("1 comment" if count == 1 else f"{count} comments")
    first = report.strip().partition("\n")[0].partition(". ")[0]
    return cut(one_line(", ".join(found) or first), limits.NAME_CHARS)


def _of_file(name: str, what: str) -> str:
    return _COUNT.sub(lambda count: f"{count[1]} of {name} ", what, count=1)
