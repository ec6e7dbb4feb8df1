"""What a raw input says, and that the help lists the very names that rules know."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.session import proposed_diffs, raw_input
from acp_nvim.session.permission_text import describe
from acp_nvim.session.question import Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.agent_patches import Piece, envelope

HELP = Path(__file__).parents[3] / "doc" / "acp_nvim.txt"
REAL = [
    ("read", {"file_path": "a.py", "offset": 1, "limit": 20}),
    ("read", {"target_file": "a.py", "should_read_entire_file": True, "explanation": "to see it"}),
    ("read", {"path": "a.py", "line_offset": 1, "n_lines": 100}),
    (
        "search",
        {"pattern": "x", "path": "src", "-n": True, "-A": 3, "output_mode": "content", "head_limit": 5},
    ),
    ("edit", {"file_path": "a.py", "old_string": "a", "new_string": "b", "replace_all": False}),
    ("edit", {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b", "replace_all": True}]}),
    ("edit", {"filepath": "a.py", "diff": "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n+b\n"}),
    ("edit", {"path": "a.py", "file_path": "a.py", "content": "x", "old_string": "a", "new_string": "b"}),
    ("execute", {"command": ["make"], "cwd": "/w", "timeout": 1000, "description": "Builds"}),
    ("execute", {"command": "make", "cwd": "/w", "call_id": "c", "turn_id": "1", "reason": "why"}),
]


@pytest.mark.parametrize(("kind", "raw"), REAL)
def test_what_agents_say_is_known(kind: str, raw: dict[str, Any]) -> None:
    found = raw_input.read(ToolCall(1, "t", 0.0, kind=kind, raw_input=raw))
    assert "other" not in {argument.role for argument in found.arguments}
    assert found.is_whole


def test_the_help_lists_the_names_that_rules_know() -> None:
    text = HELP.read_text()
    section = text[text.index("Names are compared without") : text.index("A `reject` or an `ask` matches")]
    listed = {raw_input.plain(word) for word in re.findall(r"[\w-]+", section)}
    listed |= {f"timeout{end}" for end in ("ms", "sec", "secs", "seconds")}
    names = raw_input.FOLDERS | raw_input._CHANGES | raw_input._LOOKS | raw_input._NOTES | raw_input._PATHS
    assert names - listed == set()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("*** Begin Patch\n*** Add File: a\n+x\n+y\n*** End Patch", [Piece("a", None, "x\ny\n")]),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch", [Piece("a", None, None)]),
        (
            "noise\n*** Begin Patch\n*** Update File: a b\n@@\n k\n-x\n@@ def f\n+y\n*** End of File\n*** End Patch\n",
            [Piece("a b", "k\nx\n", "k\n"), Piece("a b", "", "y\n")],
        ),
        ("*** Begin Patch\n*** Update File: a\n*** Move to: b\n-x\n*** End Patch", []),
        ("*** Begin Patch\n*** Update File: a\nodd line\n*** End Patch", []),
        ("*** Begin Patch\nodd line\n*** End Patch", []),
        ("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n", []),
        ("", []),
    ],
)
def test_an_envelope_is_read_whole_or_not_at_all(text: str, pieces: list[Piece]) -> None:
    assert envelope(text) == pieces


@pytest.mark.parametrize("end", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\r"])
def test_nothing_of_a_line_hides_behind_what_ends_no_line(end: str) -> None:
    """Else the user would allow what they are not shown."""
    line = f"x = 1  # fine{end}import os"
    text = f"*** Begin Patch\n*** Add File: a\n+{line}\r\n+y\n*** End Patch"
    assert envelope(text) == [Piece("a", None, f"{line}\ny\n")]
    assert proposed_diffs._net_of_patch(f"--- a\n+++ a\n@@ -0,0 +1 @@\n+{line}\n") == {line: 1}


def test_a_patch_that_is_not_understood_is_shown_as_it_came() -> None:
    text = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n-x\n+y\n*** End Patch"
    question, call = Question(1, "permission", ""), ToolCall(1, "t", 0.0, raw_input={"input": text})
    describe(question, call, "/w")
    assert all(any(line in shown for shown in question.detail) for line in text.splitlines())
    assert question.is_more_than_diff


@pytest.mark.alone
@pytest.mark.parametrize(
    "raw",
    [
        {"path": "a", "content": "x" * 3_000_000, **{"_" * n + "content": f"y{n}" for n in range(2_000)}},
        {
            "path": "a",
            "new_text": "b\n" * 300_000,
            "old_text": "a\n",
            "edits": ["--- a\n+++ a\n@@ @@\n+z\n"] * 20_000,
        },
        {"input": "*** Begin Patch\n" + "*** Update File: a\n@@\n-x\n+y\n" * 50_000 + "*** End Patch"},
        {f"n{n}": f"/{n}" for n in range(100_000)},
    ],
)
def test_however_much_it_says_it_is_described_in_good_time(raw: dict[str, Any]) -> None:
    question, call = Question(1, "permission", ""), ToolCall(1, "t", 0.0, raw_input=raw)
    began = time.perf_counter()
    describe(question, call, "/w")
    assert time.perf_counter() - began < 5
