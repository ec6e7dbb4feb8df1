"""Unified diffs: what git writes, what agents write, and what nobody should have."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.text.unified_patch import parse_patch

GIT = """diff --git a/src/a.py b/src/a.py
index 83db48f..bf269f4 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two
+TWO
 three
@@ -10,2 +10,3 @@
 ten
+more
 eleven
diff --git a/b b/b
--- a/b
+++ b/b
@@ -1 +1 @@
-x
+y
"""


def test_a_diff_of_git_is_one_fragment_a_hunk():
    assert parse_patch(GIT) == [
        ("src/a.py", "one\ntwo\nthree\n", "one\nTWO\nthree\n"),
        ("src/a.py", "ten\neleven\n", "ten\nmore\neleven\n"),
        ("b", "x\n", "y\n"),
    ]


@pytest.mark.parametrize(
    ("diff", "piece"),
    [
        ("--- f.txt\t2024-01-01\n+++ f.txt\t2024-01-02\n@@ -1 +1 @@\n-x\n+y\n", ("f.txt", "x\n", "y\n")),
        ("--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", ("a/f", "x\n", "y\n")),
        ("@@ -1 +1 @@\n-x\n+y", ("", "x\n", "y\n")),
        ("@@ @@\n-x\n+y\n z", ("", "x\nz\n", "y\nz\n")),
        ("--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n", ("new", None, "x\ny\n")),
        ("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", ("gone", "x\n", None)),
        ("--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", ("f", None, "x\n")),
        (
            '--- "a/\\303\\266 \\"x\\""\n+++ "b/\\303\\266 \\"x\\""\n@@ -1 +1 @@\n-x\n+y\n',
            ('ö "x"', "x\n", "y\n"),
        ),
        ("@@ -1,3 +1,3 @@\n a\n\n-x\n+y\n", ("", "a\n\nx\n", "a\n\ny\n")),
        ("@@ -1,9 +1,9 @@\n-x\n+y\n", ("", "x\n", "y\n")),
        ("@@ -1 +1 @@\n--- x\n+++ y\n", ("", "-- x\n", "++ y\n")),
        ("@@ -1 +1 @@\n-x\n+y\n-- \n2.40.1\n", ("", "x\n", "y\n")),
    ],
)
def test_other_ways_to_write_a_diff(diff: str, piece: tuple[str, str | None, str | None]):
    assert parse_patch(diff) == [piece]


NO_END = "\\ No newline at end of file"


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        (f"-x\n{NO_END}\n+y\n{NO_END}", "x", "y"),
        (f"-x\n{NO_END}\n+y", "x", "y\n"),
        (f"-x\n+y\n{NO_END}", "x\n", "y"),
    ],
)
def test_a_missing_newline_at_the_end(body: str, old: str, new: str):
    assert parse_patch(f"@@ -1 +1 @@\n{body}\n") == [("", old, new)]


def test_a_missing_newline_after_context():
    assert parse_patch(f"@@ -1,2 +1,2 @@\n-x\n+y\n z\n{NO_END}\n") == [("", "x\nz", "y\nz")]


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "garbage",
        "--- a/x",
        "@@ -1,2 +1 @@\n-x\n+y\n",
        "@@ -1 +1,2 @@\n-x\n+y\n",
        "@@ -1 +1 @@\n-x\n+y\n+more\n",
        "@@ -999999999999999999999999 +1 @@\n-x\n+y\n",
        "@@@ -1,1 -1,1 +1,1 @@@\n- x\n++y\n",
        "@@ -5,0 +6 @@\n+an insertion that nothing places\n",
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n",
        f"@@ -1,2 +1 @@\n{NO_END}\n-x\n+y\n",
        "Binary files a/x and b/x differ\n",
        "rename from x\nrename to y\n",
    ],
)
def test_what_cannot_be_trusted_is_no_diff(diff: str):
    assert parse_patch(diff) == []


@given(st.text(alphabet="+- @\\\n1,ax"))
def test_garbage_does_no_harm(diff: str):
    assert all(len(piece) == 3 for piece in parse_patch(diff))


@pytest.mark.alone
@pytest.mark.parametrize(
    "diff",
    [
        "@@ -1 +1 @@\n-x\n+y\n" * 30_000,
        "@@ -1,999999999 +1,999999999 @@\n" + " x\n" * 100_000,
        "@@ @@\n" * 100_000,
        "--- a\n" * 100_000,
        "@@ -1," * 100_000,
    ],
)
def test_a_hostile_diff_is_read_in_time(diff: str):
    began = time.process_time()
    parse_patch(diff)
    assert time.process_time() - began < 2
