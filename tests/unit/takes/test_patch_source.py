"""Patches are read whole or not at all, and their hunks placed where they fit."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.takes import patch_source
from acp_nvim.takes.taken_file import CannotTake
from acp_nvim.text.text_file import split

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x y", "-", "+", "@@"]), max_size=12)
TEXTS = st.builds(lambda rows, final: "\n".join(rows) + "\n" * (final and bool(rows)), LINES, st.booleans())
GIT = """diff --git a/{path} b/{path}
{head}
--- {old}
+++ {new}
@@ -1 +1 @@
-a
+b
"""


def diff_of(old: str, new: str, context: int = 3) -> str:
    """Return what `diff -u` prints."""
    sides = [text.splitlines(keepends=True) for text in (old, new)]
    found = list(difflib.unified_diff(*sides, "a/f", "b/f", n=context))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
    )


@given(TEXTS, TEXTS, st.integers(1, 3))
def test_a_diff_makes_the_new_text_of_the_old_one(old: str, new: str, context: int):
    if patch := diff_of(old, new, context):
        [file] = patch_source.parse(patch)
        made = patch_source.apply(split(old, "\n"), file.hunks)
        assert made is not None
        assert made.whole == new


def test_a_hunk_fits_where_its_lines_have_moved_to():
    [file] = patch_source.parse(diff_of("a\nb\nc\n", "a\nB\nc\n"))
    made = patch_source.apply(split("new\nnew\na\nb\nc\nd\n"), file.hunks)
    assert made is not None
    assert made.whole == "new\nnew\na\nB\nc\nd\n"


@pytest.mark.parametrize("text", ["a\nc\n", "c\nb\na\n", "", "a\nb\nother\n"])
def test_a_hunk_that_does_not_fit_makes_nothing(text: str):
    [file] = patch_source.parse(diff_of("a\nb\nc\n", "a\nB\nc\n"))
    assert patch_source.apply(split(text), file.hunks) is None


def test_of_several_places_the_nearest_one_is_meant():
    old = "x\ny\n" * 10
    [file] = patch_source.parse("--- a/f\n+++ b/f\n@@ -11,2 +11,2 @@\n x\n-y\n+Y\n")
    made = patch_source.apply(split(old), file.hunks)
    assert made is not None
    assert made.lines.index("Y") == 11


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("hello\n", "it is no patch"),
        ("@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+b\n", "is not whole"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n*b\n", "is not whole"),
    ],
)
def test_half_a_patch_is_none(patch: str, why: str):
    with pytest.raises(CannotTake, match=why):
        patch_source.parse(patch)


def test_what_git_says_above_the_hunks():
    names = {"old": "a/f g", "new": "b/f g", "path": "f g"}
    [plain] = patch_source.parse(GIT.format(head="index 1234abc..5678def 100644", **names))
    assert (plain.path, plain.blob, plain.note) == ("f g", "1234abc", "")
    [mode] = patch_source.parse("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n")
    assert (mode.path, mode.note, mode.hunks) == ("f", "mode", [])
    [moved] = patch_source.parse("diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n")
    assert (moved.old, moved.new) == ("f", "g")
    new, link, binary = patch_source.parse(
        "diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
        "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1234567\n--- /dev/null\n+++ b/l\n"
        "@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n"
        "diff --git a/p b/p\nindex 1234567..2345678 100644\nBinary files a/p and b/p differ\n"
    )
    assert (new.old, new.path, new.note, new.is_left) == ("/dev/null", "n", "mode", False)
    assert (link.path, link.note, link.is_left) == ("l", "link", True)
    assert (binary.path, binary.note, binary.is_left) == ("p", "binary", True)


def test_a_mail_of_format_patch_is_one():
    mail = "From 12 Mon\nSubject: [PATCH] x\n\nwords\n---\n f | 2 +-\n\n"
    mail += GIT.format(path="f", head="index 1234abc..5678def 100644", old="a/f", new="b/f") + "-- \n2.39\n"
    [file] = patch_source.parse(mail)
    assert [(hunk.old, hunk.new) for hunk in file.hunks] == [(["a"], ["b"])]


def test_lines_of_a_deleted_and_a_new_file():
    gone, new = patch_source.parse(
        "--- a/g\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+c\n+d\n"
    )
    assert (gone.path, patch_source.old_text(gone.hunks)) == ("g", "a\nb")
    assert (new.path, patch_source.new_text(new.hunks)) == ("n", "c\nd\n")
