"""From a tool call to what it proposes: diffs in its content, else the usual names in its raw input."""

from typing import Any

import pytest

from acp_nvim.protocol import schema
from acp_nvim.session.proposed_diffs import FileDiff, diffs, has_diff, patch
from acp_nvim.session.tool_call import ToolCall


def call(*content: schema.ToolContent, **fields: Any) -> ToolCall:
    return ToolCall(1, "t", 0.0, content=content, **fields)


def test_content_goes_before_raw_input_and_paths_are_absolute() -> None:
    told = call(
        schema.Diff(path="src/a.py", old_text="a\n", new_text="b\n"),
        schema.Diff(path="/w/new.py", new_text="n\n"),
        raw_input={"file_path": "/w/other", "old_string": "x", "new_string": "y"},
    )
    assert diffs(told, "/w") == [
        FileDiff("/w/src/a.py", "a\n", "b\n"),
        FileDiff("/w/new.py", None, "n\n"),
    ]


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ({"file_path": "a", "old_string": "x", "new_string": "y"}, [("x", "y")]),
        ({"filePath": "a", "oldString": "x", "newString": ""}, [("x", "")]),
        ({"path": "a", "content": "all\n"}, [(None, "all\n")]),
        (
            {
                "file_path": "a",
                "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}],
            },
            [("1", "2"), ("3", "4")],
        ),
        ({"path": "a", "edits": "none", "content": "all\n"}, []),
        ({"path": "a", "old_string": "x"}, []),
        ({"path": "a", "old_string": 3, "new_string": ["y"]}, []),
        ({"path": "a"}, []),
        ({"content": "nowhere"}, []),
        ("a text", []),
        (None, []),
    ],
)
def test_raw_input_alone(raw: Any, wanted: list[Any]) -> None:
    assert diffs(call(raw_input=raw), "/w") == [FileDiff("/w/a", old, new) for old, new in wanted]


AB = {"old_string": "a", "new_string": "b"}


@pytest.mark.parametrize(
    ("raw", "everywhere"),
    [
        ({**AB, "replace_all": True}, True),
        ({**AB, "replaceAll": True}, True),
        ({"edits": [{"old_string": "x", "new_string": "y"}, {**AB, "replace_all": True}]}, True),
        ({"replace_all": True}, True),
        ({**AB, "replace_all": False}, False),
        ({**AB, "replace_all": "true"}, False),
        ({**AB, "replace_all": 1}, False),
        ({**AB, "all": True}, False),
        ({"old_string": "x", "new_string": "y", "replace_all": True}, False),
        ({"edits": [{"old_string": "x", "new_string": "y", "replaceAll": True}, AB]}, False),
        (["replace_all", True], False),
        (None, False),
    ],
)
def test_a_text_is_replaced_everywhere_if_the_raw_input_says_so_of_it(raw: Any, everywhere: bool) -> None:
    told = call(schema.Diff(path="/w/c", old_text="a", new_text="b"), raw_input=raw)
    assert diffs(told, "/w") == [FileDiff("/w/c", "a", "b", everywhere)]


def test_raw_input_alone_may_replace_everywhere() -> None:
    edits = [{**AB, "replace_all": True}, {"old_string": "x", "new_string": "y"}]
    assert diffs(call(raw_input={"path": "c", "edits": edits}), "/w") == [
        FileDiff("/w/c", "a", "b", True),
        FileDiff("/w/c", "x", "y"),
    ]


def test_a_place_is_the_path_where_the_raw_input_names_none() -> None:
    told = call(raw_input={"old_string": "x", "new_string": "y"}, locations=(schema.Location(path="b"),))
    assert diffs(told, "/w") == [FileDiff("/w/b", "x", "y")]


def test_deletions() -> None:
    emptied = schema.Diff(path="a", old_text="x\n", new_text="")
    assert diffs(call(emptied, kind="delete"), "/w") == [FileDiff("/w/a", "x\n", None)]
    assert diffs(call(emptied, kind="edit"), "/w") == [FileDiff("/w/a", "x\n", "")]
    assert diffs(call(kind="delete", raw_input={"path": "a"}), "/w") == [FileDiff("/w/a", None, None)]
    assert diffs(call(kind="delete", raw_input={"path": "a", "command": "rm a"}), "/w") == []


def test_a_patch_counts_where_there_is_no_diff() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    assert patch(call(raw_input={"diff": text})) == text
    assert has_diff(call(raw_input={"diff": text}), "/w")
    assert patch(call(schema.Diff(path="x", new_text="b"), raw_input={"diff": text})) is None
    assert patch(call(raw_input={"diff": "none"})) is None
    assert not has_diff(call(raw_input={"command": "diff a b"}), "/w")


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 5000])
def test_paths_that_no_file_can_have_are_left_out(path: str) -> None:
    assert diffs(call(schema.Diff(path=path, new_text="b")), "/w") == []
