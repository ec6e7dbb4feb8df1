"""The files that a tool call names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol.schema import Diff, Location
from acp_nvim.session.tool_paths import named


def test_locations_diffs_and_raw_input_each_once_and_absolute() -> None:
    locations = (Location(path="/w/a.py", line=3), Location(path="b.py"))
    content = (Diff(path="/w/sub/../a.py", new_text="x"),)
    assert named(locations, content, {"file_path": "c.py", "other": "d"}, "/w") == [
        "/w/a.py",
        "/w/b.py",
        "/w/c.py",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        None,
        7,
        "text",
        ["path"],
        {"path": 3},
        {"path": ""},
        {"path": "a\0b"},
        {"path": "x\ny"},
        {"path": "file:///a%00b"},
    ],
)
def test_what_is_no_path_names_nothing(raw: object) -> None:
    assert named(None, None, raw, "/w") == []


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/a%20b.py", "/w/a b.py"),
        ("file://host/w/a", "/w/a"),
        ("file://[x/w/a", "/w/a"),
        ("file:///w/a?b#L10", "/w/a"),
    ],
)
def test_file_uris_are_paths(uri: str, path: str) -> None:
    assert named(None, None, {"path": uri}, "/") == [path]


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.dictionaries(st.sampled_from(["path", "file"]), inner),
    )
)
def test_no_input_raises(raw: object) -> None:
    assert all(path.startswith("/") for path in named(None, None, raw, "/w"))
